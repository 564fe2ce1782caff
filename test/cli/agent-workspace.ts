import { afterAll } from "vitest";
import {
  type ModelServer,
  type ReceivedRequest,
  type Script,
  type ServerAnswer,
  modelServer,
} from "../../src/testing.ts";
import { folder } from "./windlass.ts";

const servers: ModelServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** What a workspace for agents has besides its model. */
interface Besides {
  /** More of `windlass.yaml`, as YAML. */
  readonly settings?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** A workspace whose model is a server on this machine that answers by a script. */
export async function agentWorkspace(
  script: Script<ReceivedRequest, ServerAnswer>,
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

/** What happened before a question to the model is on its way to the disk when that is asked, and there in this time. */
const writtenMs = 500;

/** For `onStart`: sends the signal once the model has been asked so often. */
export function killWhenAsked(
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

/** A tool that must run only once, and writes a line to a file whenever it runs. */
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

/** What was said to the model in a request, as it went over the wire. */
export function messagesOf(request: ReceivedRequest | undefined): readonly Message[] {
  // The server has checked it.
  return (request?.body as { messages: Message[] } | undefined)?.messages ?? [];
}

/** A message of the OpenAI protocol. */
interface Message {
  readonly role: string;
  readonly content: unknown;
}
