import { afterAll } from "vitest";
import {
  type ModelServer,
  type ReceivedRequest,
  type Script,
  type ModelServerResponse,
  modelServer,
} from "../../src/testing.ts";
import { folder } from "./windlass.ts";

const servers: ModelServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** Files of a workspace for agents besides its model. */
interface Besides {
  /** Further YAML for `windlass.yaml`. */
  readonly settings?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** A workspace whose model is a local server that answers from a script. */
export async function agentWorkspace(
  script: Script<ReceivedRequest, ModelServerResponse>,
  { settings = "", files = {} }: Besides = {},
): Promise<{ readonly cwd: string; readonly server: ModelServer }> {
  const server = await modelServer(script);
  servers.push(server);
  const model = `models: { default: { base_url: "${server.baseUrls.openai}", model: test } }`;
  const cwd = await folder({
    "windlass.yaml": `${model}\n${settings}\n`,
    ...files,
  });
  return { cwd, server };
}

/** Events before a model request are being written to disk when it is sent, and are there within this time. */
const writtenMs = 500;

/** For `onStart`: sends the signal once the model has received this many requests. */
export function killWhenRequested(
  { requests }: ModelServer,
  times: number,
  signal: NodeJS.Signals,
): (kill: (signal: NodeJS.Signals) => void) => void {
  return (kill) => {
    const timer = setInterval(() => {
      if (requests.length < times) return;
      clearInterval(timer);
      setTimeout(() => kill(signal), writtenMs);
    }, 20);
  };
}

/** A once tool that writes a line to a file whenever it runs. */
export const onceTool: Readonly<Record<string, string>> = {
  "tools/send.yaml": `name: send
description: Sends something.
effect: once
parameters:
  - { name: to, type: string, description: Who. }
entry: { type: custom, module: ./send.ts }
`,
  "tools/send.ts": `import { appendFileSync } from "node:fs";
export default ({ to }: { to: string }) => {
  appendFileSync("sent.log", to + "\\n");
  return { sent: to };
};
`,
};

/** Messages of a model request, as sent over the wire. */
export function messagesOf(request: ReceivedRequest | undefined): readonly Message[] {
  // The server has validated it.
  return (request?.body as { messages: Message[] } | undefined)?.messages ?? [];
}

/** A message of the OpenAI protocol. */
interface Message {
  readonly role: string;
  readonly content: unknown;
}
