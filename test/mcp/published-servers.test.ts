import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isFailureError } from "../../src/base/index.ts";
import type { McpConnection } from "../../src/hub/mcp/mcp-port.ts";
import { Told, always, childrenOf, connecting, failureOf, publishedServer, runs, textOf } from "./connecting.ts";

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
    const { connect, stateDir, told } = connecting();
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
    await expect.poll(() => told.ends.length).toBe(1);
    const again = await connect(everything, { lastProtocol: connection.protocol });
    expect(await textOf(again.callTool("echo", { message: "back" }, { signal: always }))).toContain("back");
  });
});

/** A server that is connected to again as soon as a call finds it gone. */
class Reconnecting {
  readonly #connect: () => Promise<McpConnection>;
  #connection: Promise<McpConnection> | undefined;

  constructor(connect: (told: Told) => Promise<McpConnection>) {
    this.#connect = () => connect(new Told());
  }

  /** The connection, its last one where that still stands. */
  get(): Promise<McpConnection> {
    return (this.#connection ??= this.#connect());
  }

  /** This one is gone; another call may have made a new one meanwhile. */
  async gone(which: McpConnection | undefined): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    if (connection === which) this.#connection = undefined;
  }
}

test("of 1,000 calls over 4 servers, one of them killed every second, only those in flight on it fail", async () => {
  const { connect, stateDir } = connecting({ limits: { endMs: 200 } });
  const servers = Array.from({ length: 4 }, () => new Reconnecting((listener) => connect(everything, { listener })));
  await Promise.all(servers.map((server) => server.get()));
  const seen = new Set<number>();
  let kills = 0;
  const killer = setInterval(() => {
    const pids = childrenOf(stateDir);
    for (const pid of pids) seen.add(pid);
    const victim = pids[kills++ % pids.length];
    if (victim !== undefined) process.kill(victim, "SIGKILL");
  }, 1_000);
  const verdicts = new Map<string, number>();
  let [done, next, retried] = [0, 0, 0];
  const work = async (server: Reconnecting): Promise<void> => {
    while (next < 1_000) {
      const message = `call ${next++}`;
      for (let answered = false; !answered;) {
        let connection: McpConnection | undefined;
        try {
          connection = await server.get();
          // Slow enough for some to be under way when the server is killed.
          await connection.callTool("trigger-long-running-operation", { duration: 0.05, steps: 1 }, { signal: always });
          expect(await textOf(connection.callTool("echo", { message }, { signal: always }))).toBe(`Echo: ${message}`);
          done++;
          answered = true;
        } catch (error) {
          if (!isFailureError(error)) throw error;
          const { reason = "", retry } = error.toFailure("never");
          verdicts.set(`${reason} ${retry}`, (verdicts.get(`${reason} ${retry}`) ?? 0) + 1);
          retried++;
          await server.gone(connection);
        }
      }
    }
  };
  try {
    await Promise.all(servers.flatMap((server) => Array.from({ length: 5 }, () => work(server))));
  } finally {
    clearInterval(killer);
  }
  for (const pid of childrenOf(stateDir)) seen.add(pid);
  expect(done).toBe(1_000);
  expect(kills).toBeGreaterThanOrEqual(1);
  // At most what was under way on the server that was killed, or was begun before it was known.
  expect(retried).toBeLessThanOrEqual(kills * 5);
  for (const verdict of verdicts.keys())
    expect(["connection_lost unsafe", "closed safe", "exited safe"]).toContain(verdict);
  await Promise.all(servers.map(async (server) => (await server.get()).close()));
  await expect.poll(() => [...seen].filter(runs), { timeout: 5_000 }).toEqual([]);
  expect(childrenOf(stateDir)).toEqual([]);
}, 120_000);
