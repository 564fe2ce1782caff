import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import {
  type McpClient,
  type McpConnectorOptions,
  createMcpConnector,
} from "../../src/adapters/mcp/client/connector.ts";
import type { FailureError } from "../../src/base/index.ts";
import type { McpAddress, McpConnection, McpListener, McpStdioAddress } from "../../src/hub/mcp/mcp-port.ts";
import { createHttpClient } from "../../src/net/index.ts";

/** Records everything that is reported about a connection. */
export class Reported implements McpListener {
  readonly lines: string[] = [];
  changes = 0;
  ends: (FailureError | undefined)[] = [];

  toolsChanged(): void {
    this.changes++;
  }

  closed(why: FailureError | undefined): void {
    this.ends.push(why);
  }

  log(line: string): void {
    this.lines.push(line);
  }
}

/** A connector with its own folder, and its connections. All of it is removed after the test. */
export interface Connecting {
  readonly stateDir: string;
  readonly connector: McpClient;
  readonly reported: Reported;
  readonly connect: (
    address: McpAddress,
    more?: { signal?: AbortSignal; lastProtocol?: string; listener?: McpListener },
  ) => Promise<McpConnection>;
}

/** Never aborted. */
export const always: AbortSignal = new AbortController().signal;

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** Opens a connector for one test. */
export function connecting(options: Partial<McpConnectorOptions> = {}): Connecting {
  const stateDir = mkdtempSync(join(tmpdir(), "windlass-mcp-"));
  const http = createHttpClient({ allow: ["127.0.0.1", "localhost"] });
  const reported = new Reported();
  const connector = createMcpConnector({ stateDir, http, onLog: (line) => reported.log(line), ...options });
  const connections: McpConnection[] = [];
  opened.push(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await http.close();
    rmSync(stateDir, { recursive: true, force: true });
  });
  return {
    stateDir,
    connector,
    reported,
    connect: async (address, more = {}) => {
      const connection = await connector.connect("test", address, { listener: reported, signal: always, ...more });
      connections.push(connection);
      return connection;
    },
  };
}

/** A server of `test/mcp/servers`. */
export function testServer(file: string, ...args: string[]): McpStdioAddress {
  const program = join(import.meta.dirname, "servers", file);
  return { kind: "stdio", command: process.execPath, args: [program, ...args], env: {}, cwd: tmpdir() };
}

/** A published server, started with the command from its package. */
export function publishedServer(name: string, ...args: string[]): McpStdioAddress {
  const program = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol", name, "dist/index.js");
  return { kind: "stdio", command: process.execPath, args: [program, ...args], env: {}, cwd: tmpdir() };
}

/** The process ids of the running programs, according to their files. */
export function childrenOf(stateDir: string): readonly number[] {
  try {
    return readdirSync(join(stateDir, "mcp", "children")).map((name) => Number.parseInt(name, 10));
  } catch {
    return [];
  }
}

/** True if a process with this id is running. Zombies do not count. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !/^\d+ \(.*\) [ZX]/s.test(statOf(pid));
}

function statOf(pid: number): string {
  try {
    return process.getBuiltinModule("node:fs").readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return "";
  }
}

/** The text of the result of a call. */
export async function textOf(outcome: ReturnType<McpConnection["callTool"]>): Promise<string> {
  const { content } = await outcome;
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("");
}

/** Returns the failure of work that must fail. */
export async function failureOf(work: Promise<unknown>): Promise<FailureError> {
  try {
    await work;
  } catch (error) {
    return error as FailureError;
  }
  throw new Error("it did not fail");
}
