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
import type { McpAddress, McpConnection, McpListener, ProgramServer } from "../../src/hub/mcp/mcp-port.ts";
import { createDoor } from "../../src/net/index.ts";

/** Everything that was told about a connection. */
export class Told implements McpListener {
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

/** A connector with a folder of its own, and what it connected to. All of it is gone after the test. */
export interface Connecting {
  readonly stateDir: string;
  readonly connector: McpClient;
  readonly told: Told;
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
  const door = createDoor({ allow: ["127.0.0.1", "localhost"] });
  const told = new Told();
  const connector = createMcpConnector({ stateDir, door, onLog: (line) => told.log(line), ...options });
  const connections: McpConnection[] = [];
  opened.push(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await door.close();
    rmSync(stateDir, { recursive: true, force: true });
  });
  return {
    stateDir,
    connector,
    told,
    connect: async (address, more = {}) => {
      const connection = await connector.connect("test", address, { listener: told, signal: always, ...more });
      connections.push(connection);
      return connection;
    },
  };
}

/** A server of `test/mcp/servers`. */
export function testServer(file: string, ...args: string[]): ProgramServer {
  const program = join(import.meta.dirname, "servers", file);
  return { kind: "stdio", command: process.execPath, args: [program, ...args], env: {}, cwd: tmpdir() };
}

/** A published server, started as its package says. */
export function publishedServer(name: string, ...args: string[]): ProgramServer {
  const program = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol", name, "dist/index.js");
  return { kind: "stdio", command: process.execPath, args: [program, ...args], env: {}, cwd: tmpdir() };
}

/** The process numbers of the programs that run, as their files tell. */
export function childrenOf(stateDir: string): readonly number[] {
  try {
    return readdirSync(join(stateDir, "mcp", "children")).map((name) => Number.parseInt(name, 10));
  } catch {
    return [];
  }
}

/** Does a process of this number run? One that ended and was not taken note of does not. */
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

/** The text that a call gave. */
export async function textOf(outcome: ReturnType<McpConnection["callTool"]>): Promise<string> {
  const { content } = await outcome;
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("");
}

/** The failure of what has to fail. */
export async function failureOf(work: Promise<unknown>): Promise<FailureError> {
  try {
    await work;
  } catch (error) {
    return error as FailureError;
  }
  throw new Error("it did not fail");
}
