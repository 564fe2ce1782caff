import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createMcpConnector } from "../../src/adapters/mcp/client/connector.ts";
import type { McpConnectorOptions } from "../../src/adapters/mcp/client/connector.ts";
import { type Engine, createEngine } from "../../src/engine/index.ts";
import { type McpSource, type McpSourceOptions, createMcpSource } from "../../src/hub/mcp/mcp-source.ts";
import { createHttpClient } from "../../src/net/index.ts";
import { ToolRegistry } from "../../src/tool/index.ts";
import { childrenOf, publishedServer, runs, testServer } from "./connecting.ts";

interface Opened {
  readonly dir: string;
  readonly stateDir: string;
  readonly engine: Engine;
  readonly registry: ToolRegistry;
  readonly source: McpSource;
}

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** A workspace with these servers, and real connections to them. */
async function open(
  servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  more: Partial<McpSourceOptions> & { client?: Partial<McpConnectorOptions> } = {},
): Promise<Opened> {
  const dir = mkdtempSync(join(tmpdir(), "windlass-source-"));
  const stateDir = join(dir, ".windlass");
  writeFileSync(join(dir, "mcp.json"), JSON.stringify({ mcpServers: servers }));
  const http = createHttpClient({ allow: ["127.0.0.1"] });
  const registry = new ToolRegistry();
  const { client, ...options } = more;
  const source = createMcpSource({
    dir,
    registry,
    connector: async () => createMcpConnector({ stateDir, http, onLog: () => {}, ...client }),
    env: {},
    allowedEnv: [],
    secrets: { get: () => undefined },
    secretNames: [],
    ...options,
  });
  const engine = createEngine({ registry, concurrency: { maxConcurrent: 100, queueSize: 2_000 } });
  opened.push(async () => {
    await engine.close();
    await source.close();
    await http.close();
    const left = childrenOf(stateDir).filter(runs);
    rmSync(dir, { recursive: true, force: true });
    expect(left).toEqual([]);
  });
  await source.load();
  return { dir, stateDir, engine, registry, source };
}

/** The form in `mcp.json`. */
function entry({ command, args, env }: ReturnType<typeof testServer>): Record<string, unknown> {
  return { command, args, env };
}

/** The running processes, by server. */
function processes(stateDir: string): Map<string, number> {
  const dir = join(stateDir, "mcp", "children");
  return new Map(
    readdirSync(dir).flatMap((name) => {
      try {
        const { server, pid } = JSON.parse(readFileSync(join(dir, name), "utf8")) as { server: string; pid: number };
        return [[server, pid] as const];
      } catch {
        // It ended just now.
        return [];
      }
    }),
  );
}

const served = ["plain", "everything", "files", "memory"] as const;
type Served = (typeof served)[number];

interface Call {
  readonly server: Served;
  readonly from: number;
}

interface Ended extends Call {
  readonly to: number;
  readonly error?: { readonly reason?: string | undefined; readonly retry: string };
}

interface Kill {
  readonly server: Served;
  readonly at: number;
  /** Time at which its exit was noticed, shortly after the exit. */
  readonly known: number;
  /** Number of calls that had certainly been sent to it and were not nearly finished. */
  readonly slow: number;
}

/** Kills one server after the other, each second one, while it is working. */
class Killer {
  readonly #kills: Kill[] = [];
  readonly #seen = new Set<number>();
  readonly #done: Promise<void>;
  readonly #stateDir: string;
  readonly #under: () => readonly Call[];
  #stopped = false;

  constructor(stateDir: string, under: () => readonly Call[]) {
    this.#stateDir = stateDir;
    this.#under = under;
    this.#done = this.#run();
  }

  /** Every server process so far. */
  get seen(): readonly number[] {
    return [...this.#seen];
  }

  async stop(): Promise<readonly Kill[]> {
    this.#stopped = true;
    await this.#done;
    this.#look();
    return this.#kills;
  }

  async #run(): Promise<void> {
    for (let round = 0; ; round++) {
      const due = performance.now() + 1_000;
      const server = served[round % served.length] ?? "plain";
      while (performance.now() < due || !this.#isBusy(server)) {
        if (this.#stopped) return;
        this.#look();
        await moment();
      }
      await this.#kill(server);
    }
  }

  async #kill(server: Served): Promise<void> {
    const pid = processes(this.#stateDir).get(server);
    if (pid === undefined) return;
    const at = performance.now();
    const slow = isSlow(server) ? this.#under().filter((call) => isMidway(call, server, at)).length : 0;
    process.kill(pid, "SIGKILL");
    // Its file is removed once its exit is noticed.
    while (childrenOf(this.#stateDir).includes(pid)) await moment();
    this.#kills.push({ server, at, known: performance.now(), slow });
  }

  #isBusy(server: Served): boolean {
    const now = performance.now();
    const isReady = processes(this.#stateDir).has(server);
    return (
      isReady && this.#under().some((call) => (isSlow(server) ? isMidway(call, server, now) : call.server === server))
    );
  }

  #look(): void {
    for (const pid of childrenOf(this.#stateDir)) this.#seen.add(pid);
  }
}

function isSlow(server: Served): boolean {
  return server === "plain" || server === "everything";
}

/** Started long enough ago to have been sent, but too recently to be answered: both take 60 ms. */
function isMidway({ server, from }: Call, expected: Served, now: number): boolean {
  return server === expected && now - from > 10 && now - from < 40;
}

function moment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2));
}

/** Processes whose environment contains this, regardless of their parent. */
function carrying(mark: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, "latin1").split("\0").includes(mark);
    } catch {
      return false;
    }
  });
}

describe("[C04] real servers behind the source", () => {
  test("are listed from memory, called, cancelled half-way, killed and connected to again", async () => {
    const { engine, source, registry, stateDir } = await open({
      everything: entry(publishedServer("server-everything")),
    });
    await source.prepare("everything/echo");
    expect(registry.get("everything/get-sum")).toMatchObject({ category: "mcp" });
    expect(await engine.call("everything/get-sum", { a: 2, b: 3 })).toMatchObject({
      success: true,
      output: expect.stringContaining("5"),
      meta: { source: "mcps" },
    });
    expect(await engine.call("everything/get-tiny-image", {})).toMatchObject({
      attachments: [{ kind: "image", mimeType: "image/png" }],
    });
    expect(await engine.call("everything/get-structured-content", { location: "Chicago" })).toMatchObject({
      output: { temperature: expect.any(Number) },
    });
    expect(await engine.call("everything/get-sum", { a: "x" })).toMatchObject({ error: { code: "validation_error" } });

    const heard: unknown[] = [];
    const abort = new AbortController();
    const long = engine.call(
      "everything/trigger-long-running-operation",
      { duration: 20, steps: 40 },
      {
        signal: abort.signal,
        onProgress: (value) => {
          heard.push(value);
          abort.abort();
        },
      },
    );
    expect(await long).toMatchObject({ error: { code: "cancelled" } });
    expect(heard[0]).toMatchObject({ progress: 1, total: 40 });

    const before = processes(stateDir).get("everything");
    process.kill(before ?? 0, "SIGKILL");
    // A call in flight may notice the death; the next one reconnects to the server.
    await engine.call("everything/echo", { message: "lost?" }, { maxRetries: 0 });
    expect(await engine.call("everything/echo", { message: "back" })).toMatchObject({ output: "Echo: back" });
    expect(processes(stateDir).get("everything")).not.toBe(before);
    expect(await engine.call("mcp_resources", { server: "everything" })).toMatchObject({
      output: { resources: expect.arrayContaining([expect.objectContaining({ server: "everything" })]) },
    });
  });

  test("1,000 calls over four servers, one killed every second: only calls in flight on it fail", async () => {
    const files = mkdtempSync(join(tmpdir(), "windlass-files-"));
    opened.push(async () => rmSync(files, { recursive: true, force: true }));
    writeFileSync(join(files, "a.txt"), "a");
    const memory = { ...publishedServer("server-memory"), env: { MEMORY_FILE_PATH: join(files, "memory.jsonl") } };
    const mark = `WINDLASS_TEST_RUN=${basename(files)}`;
    const marked = (server: ReturnType<typeof testServer>): Record<string, unknown> =>
      entry({ ...server, env: { ...server.env, WINDLASS_TEST_RUN: basename(files) } });
    const long = "trigger-long-running-operation";
    const { engine, source, stateDir } = await open({
      plain: marked(testServer("plain-server.ts")),
      everything: { ...marked(publishedServer("server-everything")), effects: { [long]: "read" } },
      files: marked(publishedServer("server-filesystem", files)),
      memory: marked(memory),
    });
    await source.prepare();
    for (const name of served) source.approve(source.review(name));
    const calls: Readonly<Record<Served, readonly [string, unknown]>> = {
      plain: ["plain/slow", { ms: 60 }],
      everything: [`everything/${long}`, { duration: 0.06, steps: 1 }],
      files: ["files/read_text_file", { path: join(files, "a.txt") }],
      memory: ["memory/read_graph", {}],
    };
    const under = new Map<number, Call>();
    const ended: Ended[] = [];
    const killer = new Killer(stateDir, () => [...under.values()]);
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < 1_000) {
        const number = next++;
        const server = served[number % served.length] ?? "plain";
        const call = { server, from: performance.now() };
        under.set(number, call);
        const result = await engine.call(...calls[server], { maxRetries: 0 });
        under.delete(number);
        ended.push({ ...call, to: performance.now(), ...(!result.success && { error: result.error }) });
        // So that it takes some seconds.
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    const kills = await killer.stop();

    expect(ended).toHaveLength(1_000);
    expect(kills.length).toBeGreaterThanOrEqual(3);
    const failed = ended.filter(({ error }) => error !== undefined);
    const hit = ({ server, from, to }: Ended): Kill | undefined =>
      // In flight when it was killed, or started before its exit was noticed: such a call went to it as well.
      kills.find((kill) => kill.server === server && from <= kill.known && to >= kill.at);
    for (const call of failed) {
      expect(call.error).toMatchObject({
        reason: "connection_lost",
        retry: call.server === "plain" ? "unsafe" : "safe",
      });
      expect({ ...call, hit: hit(call) }).toMatchObject({ hit: { server: call.server } });
    }
    // A slow call cannot have been answered: every one of these that was in flight has failed.
    for (const { server, at, slow } of kills) {
      const lost = failed.filter((call) => call.server === server && call.from <= at && call.to >= at);
      expect(lost.length).toBeGreaterThanOrEqual(slow);
    }
    expect(failed.length).toBeGreaterThan(0);
    await source.close();
    expect(killer.seen.filter(runs)).toEqual([]);
    expect(childrenOf(stateDir)).toEqual([]);
    expect(carrying(mark)).toEqual([]);
  }, 60_000);

  test("after closing, no process of any server is running", async () => {
    const { engine, source, stateDir } = await open({
      plain: entry(testServer("plain-server.ts")),
      stubborn: entry(testServer("plain-server.ts", "stubborn")),
    });
    await source.prepare();
    expect(await engine.call("plain/echo", { message: "x" })).toMatchObject({ output: "x" });
    const pids = [...processes(stateDir).values()];
    expect(pids).toHaveLength(2);
    await source.close();
    expect(pids.filter(runs)).toEqual([]);
    expect(childrenOf(stateDir)).toEqual([]);
  });
});

describe("hostile servers behind the source", () => {
  test("one that exits immediately and one that never answers do not affect a third one", async () => {
    const { engine, source } = await open(
      {
        exits: entry(testServer("plain-server.ts", "exits")),
        silent: entry(testServer("plain-server.ts", "silent")),
        good: entry(testServer("plain-server.ts")),
      },
      { client: { limits: { handshakeMs: 1_500, probeMs: 300 } } },
    );
    await source.prepare();
    expect(await engine.call("good/echo", { message: "x" })).toMatchObject({ output: "x" });
    const states = Object.fromEntries(source.status().map(({ name, lastFailure }) => [name, lastFailure?.message]));
    expect(states).toMatchObject({
      exits: expect.stringContaining("cannot read the settings"),
      silent: expect.stringContaining("did not complete the handshake"),
    });
    await expect(source.prepare("exits")).rejects.toMatchObject({ code: "not_available" });
  });

  test("a result of 50 MB and a flood fail their call, and the connection stays open", async () => {
    const { engine, source } = await open({ plain: entry(testServer("plain-server.ts")) });
    await source.prepare();
    expect(await engine.call("plain/big", { bytes: 50 * 2 ** 20 })).toMatchObject({ error: { reason: "too_large" } });
    expect(await engine.call("plain/flood", {})).toMatchObject({ output: "flooded" });
    expect(await engine.call("plain/echo", { message: "x" })).toMatchObject({ output: "x" });
    expect(source.status()[0]).toMatchObject({ state: "connected" });
  });

  test("one that hangs in a call is cancelled by the deadline of the call", async () => {
    const { engine, source } = await open({ plain: { ...entry(testServer("plain-server.ts")), timeout: 0.2 } });
    await source.prepare();
    expect(await engine.call("plain/hang", {}, { maxRetries: 0 })).toMatchObject({
      error: { code: "timeout", retry: "unsafe" },
    });
    expect(await engine.call("plain/echo", { message: "x" })).toMatchObject({ output: "x" });
  });

  test("one that ends in every call is not restarted after a while", async () => {
    const { engine, source } = await open(
      { plain: entry(testServer("plain-server.ts")) },
      { limits: { firstRetryMs: 5_000 } },
    );
    await source.prepare();
    const reasons: unknown[] = [];
    for (let times = 0; times < 5; times++) {
      const result = await engine.call("plain/exit", {}, { maxRetries: 0 });
      reasons.push(result.success ? "" : result.error.reason);
    }
    expect(reasons).toEqual(["connection_lost", "connection_lost", "connection_lost", "server_down", "server_down"]);
  });
});
