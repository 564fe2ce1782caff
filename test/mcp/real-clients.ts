import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdioTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { resolve } from "node:path";
import { environment } from "../cli/windlass.ts";

/** The answers of a client's user. */
export type Answers = (message: string) => {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, boolean>;
};

/** Options for starting a client. */
export interface ClientSetup {
  readonly cwd: string;
  /** Without it the client cannot elicit input. */
  readonly answers?: Answers;
  readonly onToolsChanged?: () => void;
}

/** Progress of a call. */
export interface Reported {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Result of a call. */
export interface Input {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

/** A real client of a package from npm, connected to `windlass mcp serve`. */
export interface RealClient {
  readonly protocol: string | undefined;
  names(): Promise<string[]>;
  call(
    name: string,
    args?: Record<string, unknown>,
    options?: { onProgress?: (reported: Reported) => void; signal?: AbortSignal },
  ): Promise<Input>;
  close(): Promise<void>;
}

export const program: string = resolve(import.meta.dirname, "../../src/cli/main.ts");
const server = { command: process.execPath, args: [program, "mcp", "serve"], stderr: "ignore" as const };
const info = { name: "test-client", version: "1.0.0" };

// Variables that are not set are left out.
const env = Object.fromEntries(
  Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
);

async function connectOld({ cwd, answers, onToolsChanged }: ClientSetup): Promise<RealClient> {
  const client = new OldClient(info, { capabilities: answers === undefined ? {} : { elicitation: {} } });
  if (answers !== undefined) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answers(params.message));
  if (onToolsChanged !== undefined) client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged);
  await client.connect(new OldStdioTransport({ ...server, cwd, env }));
  return {
    protocol: "2025-11-25",
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}, { onProgress, signal } = {}) => {
      const options = { ...(onProgress && { onprogress: onProgress }), ...(signal && { signal }) };
      // The older form of a result is one that only servers of long ago give.
      return (await client.callTool({ name, arguments: args }, undefined, options)) as unknown as Input;
    },
    close: () => client.close(),
  };
}

function connectNew(mode: "legacy" | "auto") {
  return async ({ cwd, answers, onToolsChanged }: ClientSetup): Promise<RealClient> => {
    const client = new Client(info, {
      capabilities: answers === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode },
      ...(onToolsChanged && { listChanged: { tools: { onChanged: onToolsChanged, autoRefresh: false } } }),
    });
    if (answers !== undefined) client.setRequestHandler("elicitation/create", ({ params }) => answers(params.message));
    await client.connect(new StdioClientTransport({ ...server, cwd, env }));
    return {
      protocol: client.getNegotiatedProtocolVersion(),
      names: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args = {}, { onProgress, signal } = {}) =>
        client.callTool(
          { name, arguments: args },
          { ...(onProgress && { onprogress: onProgress }), ...(signal && { signal }) },
        ),
      close: () => client.close(),
    };
  };
}

/** Common clients: of the old package, and of the new one in both protocol versions. */
export const clientKinds: readonly (readonly [string, (setup: ClientSetup) => Promise<RealClient>])[] = [
  ["the v1 client", connectOld],
  ["the 2.x client, 2025 era", connectNew("legacy")],
  ["the 2.x client, 2026 era", connectNew("auto")],
];
