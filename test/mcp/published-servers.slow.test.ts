import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { type FailureError, isFailureError } from "../../src/base/index.ts";
import type { McpConnection, McpStdioAddress } from "../../src/hub/mcp/mcp-port.ts";
import { always, childrenOf, connecting, failureOf, publishedServer, runs, textOf } from "./connecting.ts";

const folder = mkdtempSync(join(tmpdir(), "windlass-served-"));
writeFileSync(join(folder, "note.txt"), "a note");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const everything = publishedServer("server-everything");
const filesystem = publishedServer("server-filesystem", folder);
const memory = { ...publishedServer("server-memory"), env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } };

describe("[C04] published servers", () => {
  test("are listed and called: everything", async () => {
    const { connect } = connecting();
    const connection = await connect(everything);
    const names = (await connection.listTools(always)).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["echo", "get-sum", "get-tiny-image", "trigger-long-running-operation"]),
    );
    expect(await textOf(connection.callTool("get-sum", { a: 2, b: 3 }, { signal: always }))).toContain("5");
    const image = await connection.callTool("get-tiny-image", {}, { signal: always });
    expect(image.content).toContainEqual({ type: "image", mimeType: "image/png", data: expect.any(String) });
    const structured = await connection.callTool("get-structured-content", { location: "Chicago" }, { signal: always });
    expect(structured.structured).toMatchObject({ temperature: expect.any(Number) });
    const resources = await connection.listResources(always);
    const [content] = await connection.readResource(resources[0]?.uri ?? "", always);
    expect(content).toMatchObject({ uri: resources[0]?.uri, text: expect.any(String) });
    const accepted = await textOf(
      connection.callTool(
        "trigger-elicitation-request",
        {},
        {
          signal: always,
          elicit: ({ schema }) => {
            expect(schema).toHaveProperty("properties");
            return Promise.resolve({ action: "accept", content: { name: "Ada" } });
          },
        },
      ),
    );
    expect(accepted).toContain("Ada");
  });

  test("are listed and called: filesystem and memory", async () => {
    const { connect } = connecting();
    const files = await connect(filesystem);
    expect((await files.listTools(always)).length).toBeGreaterThan(5);
    const path = join(folder, "note.txt");
    expect(await textOf(files.callTool("read_text_file", { path }, { signal: always }))).toContain("a note");
    const outside = await files.callTool("read_text_file", { path: "/etc/hosts" }, { signal: always });
    expect(outside.isError).toBe(true);
    const facts = await connect(memory);
    const entities = [{ name: "Ada", entityType: "person", observations: ["counts"] }];
    await facts.callTool("create_entities", { entities }, { signal: always });
    expect(await textOf(facts.callTool("read_graph", {}, { signal: always }))).toContain("counts");
  });

  test("are cancelled half-way, killed, and connected to again", async () => {
    const { connect, stateDir, reported } = connecting();
    const connection = await connect(everything);
    const cancel = new AbortController();
    let seen = 0;
    const onProgress = (): void => {
      if (++seen === 2) cancel.abort();
    };
    const long = { duration: 10, steps: 100 };
    const began = performance.now();
    const cancelled = connection.callTool("trigger-long-running-operation", long, {
      signal: cancel.signal,
      onProgress,
    });
    expect(await failureOf(cancelled)).toMatchObject({ code: "cancelled" });
    expect(performance.now() - began).toBeLessThan(5_000);
    const under = failureOf(connection.callTool("trigger-long-running-operation", long, { signal: always }));
    const [pid] = childrenOf(stateDir);
    process.kill(pid!, "SIGKILL");
    expect((await under).toFailure("safe")).toMatchObject({ code: "not_available", retry: "unsafe" });
    await expect.poll(() => reported.ends.length).toBe(1);
    const again = await connect(everything, { lastProtocol: connection.protocol });
    expect(await textOf(again.callTool("echo", { message: "back" }, { signal: always }))).toContain("back");
  });
});

/** One call, or its attempt to connect: the server, start and end, and the failure. */
interface Attempt {
  readonly server: string;
  readonly began: number;
  readonly ended: number;
  readonly failure?: FailureError;
}

/** A server that was killed, and when that was noticed. */
interface Kill {
  readonly server: string;
  readonly pid: number;
  readonly at: number;
  noticed: number;
}

/** A server that is reconnected by the next call after its end. */
class Reconnecting {
  readonly name: string;
  readonly attempts: Attempt[] = [];
  readonly #connect: (gone: () => void) => Promise<McpConnection>;
  readonly #use: (connection: McpConnection) => Promise<unknown>;
  #connection: Promise<McpConnection> | undefined;

  constructor(
    name: string,
    connect: (gone: () => void) => Promise<McpConnection>,
    use: (connection: McpConnection) => Promise<unknown>,
  ) {
    this.name = name;
    this.#connect = connect;
    this.#use = use;
  }

  /** The last connection if it is still open, or a new one. */
  get(): Promise<McpConnection> {
    if (this.#connection !== undefined) return this.#connection;
    const made = this.#connect(() => this.#gone(made));
    this.#connection = made;
    return made;
  }

  /** Another call may have opened a new one in the meantime. */
  #gone(made: Promise<McpConnection>): void {
    if (this.#connection === made) this.#connection = undefined;
  }

  /** Calls until there is an answer, and records every attempt. */
  async call(): Promise<void> {
    for (;;) {
      const began = performance.now();
      const made = this.get();
      const note = (more: object): void =>
        void this.attempts.push({ server: this.name, began, ended: performance.now(), ...more });
      try {
        await this.#use(await made);
        return note({});
      } catch (error) {
        if (!isFailureError(error)) throw error;
        note({ failure: error });
        this.#gone(made);
      }
    }
  }
}

test("1,000 calls over 4 servers, one of them killed every second: only those in flight on it fail", async () => {
  const { connector, stateDir } = connecting({ limits: { endMs: 200 } });
  const kills: Kill[] = [];
  const seen = new Set<number>();
  const opened: McpConnection[] = [];
  const server = (name: string, address: McpStdioAddress, use: (connection: McpConnection) => Promise<unknown>) =>
    new Reconnecting(
      name,
      async (gone) => {
        const closed = (): void => {
          gone();
          for (const kill of kills) if (kill.server === name) kill.noticed = Math.min(kill.noticed, performance.now());
        };
        const listener = { toolsChanged: () => {}, log: () => {}, closed };
        const connection = await connector.connect(name, address, { listener, signal: always });
        opened.push(connection);
        return connection;
      },
      use,
    );
  // Slow enough for some to be in flight when the server is killed.
  const slowEcho = async (connection: McpConnection): Promise<void> => {
    await connection.callTool("trigger-long-running-operation", { duration: 0.05, steps: 1 }, { signal: always });
    expect(await textOf(connection.callTool("echo", { message: "x" }, { signal: always }))).toBe("Echo: x");
  };
  const readNote = async (connection: McpConnection): Promise<void> => {
    const path = join(folder, "note.txt");
    expect(await textOf(connection.callTool("read_text_file", { path }, { signal: always }))).toContain("a note");
    await wait(40);
  };
  const readGraph = async (connection: McpConnection): Promise<void> => {
    expect(await textOf(connection.callTool("read_graph", {}, { signal: always }))).toContain("entities");
    await wait(40);
  };
  const servers = [
    server("everything", everything, slowEcho),
    server("files", filesystem, readNote),
    server("memory", memory, readGraph),
    server("other", everything, slowEcho),
  ];
  await Promise.all(servers.map((each) => each.get()));

  const killer = setInterval(() => {
    const children = runningServers(stateDir);
    for (const { pid } of children) seen.add(pid);
    const victim = children[kills.length % children.length];
    if (victim === undefined) return;
    kills.push({ ...victim, at: performance.now(), noticed: Infinity });
    process.kill(victim.pid, "SIGKILL");
  }, 1_000);
  try {
    const quota = async (each: Reconnecting): Promise<void> => {
      for (let call = 0; call < 50; call++) await each.call();
    };
    await Promise.all(servers.flatMap((each) => Array.from({ length: 5 }, () => quota(each))));
  } finally {
    clearInterval(killer);
  }
  const attempts = servers.flatMap((each) => each.attempts);
  const failed = attempts.filter(({ failure }) => failure !== undefined);
  expect(attempts.length - failed.length).toBe(1_000);
  expect(kills.length).toBeGreaterThanOrEqual(2);
  expect(failed.length).toBeGreaterThan(0);
  // At most the five on the server that was killed.
  expect(failed.length).toBeLessThanOrEqual(kills.length * 5);
  const unexplained = failed.filter(
    ({ server: name, began, ended }) =>
      !kills.some((kill) => kill.server === name && kill.at <= ended && began <= kill.noticed),
  );
  expect(unexplained).toEqual([]);
  const verdicts = failed.map(({ failure }) => {
    const { reason, retry } = failure!.toFailure("never");
    return `${reason} ${retry}`;
  });
  // A sent request may have been executed; an unsent one can be retried.
  expect(["connection_lost unsafe", "not_sent safe", "exited safe"]).toEqual(
    expect.arrayContaining([...new Set(verdicts)]),
  );
  expect(verdicts).toContain("connection_lost unsafe");

  for (const { pid } of runningServers(stateDir)) seen.add(pid);
  await Promise.all(opened.map((connection) => connection.close()));
  await expect.poll(() => [...seen].filter(runs), { timeout: 5_000 }).toEqual([]);
  expect(childrenOf(stateDir)).toEqual([]);
}, 120_000);

/** The running programs and their servers, according to their files. */
function runningServers(stateDir: string): readonly { readonly server: string; readonly pid: number }[] {
  const dir = join(stateDir, "mcp", "children");
  return readdirSync(dir)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      try {
        return [JSON.parse(readFileSync(join(dir, name), "utf8")) as { server: string; pid: number }];
      } catch {
        // Ended since it was listed.
        return [];
      }
    })
    .filter(({ pid }) => runs(pid));
}
