import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FakeClock, settle } from "../../test/support/fake-clock.ts";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { isFailureError } from "../base/index.ts";
import { createInMemoryRecords } from "../store/index.ts";
import { ToolRegistry, defineTool, toDict, toWireResult } from "../tool/index.ts";
import type { ToolError } from "../tool/index.ts";
import { createEngine } from "./engine.ts";

const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  effect: "pure",
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  run: ({ a, b }) => a + b,
});

describe("[D03] one registry, one call", () => {
  test("a tool is called by name, by alias, or by reference", async () => {
    const tool = sampleTool(() => "found", { name: "web_search", aliases: ["webSearch"] });
    const engine = createEngine({ tools: [tool] });
    for (const target of ["web_search", "webSearch", tool]) {
      expect(await engine.call(target as string, {})).toMatchObject({ output: "found", tool: "web_search" });
    }
    expect(engine.tools.get("webSearch")).toBe(tool);
    expect(engine.tools.list().map((entry) => entry.tool.name)).toEqual(["web_search"]);
  });

  test("[B08] a success has the tool, its output, its duration and its source", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock });
    engine.tools.register(add, { source: "skills", priority: 1 });
    expect(await engine.call("add", { a: 1 })).toEqual({
      success: true,
      tool: "add",
      output: 2,
      durationMs: 0,
      executedAt: clock.now(),
      meta: { callId: expect.any(String), source: "skills", attempts: 1 },
    });
  });

  test("a tool that is not registered can be called by reference", async () => {
    expect(await createEngine().call(add, { a: 1, b: 5 })).toMatchObject({ output: 6, meta: { source: "tools" } });
  });

  test("a registry may be shared by engines, and filled later", async () => {
    const registry = new ToolRegistry();
    const engines = [createEngine({ registry }), createEngine({ registry })];
    registry.register(add);
    for (const engine of engines) expect((await engine.call("add", { a: 1 })).success).toBe(true);
  });

  test("running calls keep the tool they started with", async () => {
    const gate = Promise.withResolvers<void>();
    const engine = createEngine({ tools: [sampleTool(() => gate.promise.then(() => "old"))] });
    const first = engine.call("work", {});
    engine.tools.register(sampleTool(() => "new"));
    const second = await engine.call("work", {});
    gate.resolve();
    expect([await first, second]).toMatchObject([{ output: "old" }, { output: "new" }]);
  });

  test("[D02] results have a short form and a text form", async () => {
    const engine = createEngine();
    const good = await engine.call(add, { a: 1 });
    const bad = await engine.call("nobody", {});
    expect(toDict(good)).toEqual({ success: true, data: 2, error: null });
    expect(toDict(bad)).toEqual({ success: false, data: null, error: 'there is no tool named "nobody"' });
    expect(toWireResult(good)).toMatchObject({ success: true, output: 2, duration_ms: expect.any(Number) });
  });

  test("missing arguments are an empty object", async () => {
    const tool = sampleTool((args) => args);
    const engine = createEngine();
    for (const args of [undefined, null, {}]) {
      expect(await engine.call(tool, args as never)).toMatchObject({ success: true, output: {} });
    }
    expect(await engine.call(tool, "text" as never)).toMatchObject({ error: { code: "validation_error" } });
  });
});

describe("[B06] validation", () => {
  test("defaults are applied, and the caller's arguments are not modified", async () => {
    const input = { a: 1 };
    expect(await createEngine().call(add, input)).toMatchObject({ output: 2 });
    expect(input).toEqual({ a: 1 });
  });

  test("unknown parameters are ignored, or refused in strict mode, with a suggestion", async () => {
    const list = sampleTool(({ limit }) => limit, { input: z.object({ limit: z.number().default(10) }) });
    expect(await createEngine().call(list, { limt: 2 })).toMatchObject({ output: 10 });
    const strict = createEngine({ strictValidation: true });
    expect(await strict.call(list, { limt: 2 })).toMatchObject({
      error: { code: "validation_error", issues: [{ path: ["limt"], code: "unknown", suggestion: "limit" }] },
    });
    expect(await strict.call(list, { limit: 2 })).toMatchObject({ output: 2 });
  });

  test("strict mode reports all issues at once, and none twice", async () => {
    const strict = createEngine({ strictValidation: true });
    const fields = { query: z.string(), limit: z.number() };
    for (const input of [z.object(fields), z.strictObject(fields)]) {
      const tool = sampleTool(() => 1, { input });
      const { error } = (await strict.call(tool, { qurey: "x", limit: "many", deep: 1 })) as ToolError;
      const reported = error.issues?.map(({ path, code }) => `${path.join(".")} ${code}`).toSorted();
      expect(reported).toEqual(["deep unknown", "limit type", "query required", "qurey unknown"]);
    }
  });

  test("refused arguments are in the record", async () => {
    const engine = createEngine({ tools: [add] });
    await engine.call("add", { a: "x" });
    const { records } = await engine.queryRecords({ code: "validation_error" });
    expect(records).toMatchObject([{ args: { a: "x" }, attempts: 0, success: false }]);
  });
});

describe("hostile input of the engine category", () => {
  interface Row {
    readonly area: string;
    readonly input: Record<string, unknown>;
    readonly expected: string;
  }
  const file = new URL("../../test/data/bad-inputs.json", import.meta.url);
  const rows = (JSON.parse(readFileSync(file, "utf8")) as Row[]).filter(({ area }) => area === "engine");

  /** Checks of current behavior, by the key of the row; `later` marks behavior that does not exist yet. */
  const checks: Record<string, ((row: Row) => Promise<void>) | "later"> = {
    memory: "later",
    urls: "later",
    chain: "later",
    name: async ({ input, expected }) => {
      const name = String(input["name"]);
      expect(expected).toBe("refuse:bad_tool_name");
      expect(await createEngine({ tools: [add] }).call(name, {})).toMatchObject({ error: { code: "tool_not_found" } });
      let thrown: unknown;
      try {
        sampleTool(() => 1, { name });
      } catch (error) {
        thrown = error;
      }
      expect(isFailureError(thrown) && [thrown.code, thrown.reason]).toEqual(["tool_invalid", "bad_tool_name"]);
    },
    args: async ({ input, expected }) => {
      const tool = sampleTool(() => 1, { input: z.object({ url: z.string() }) });
      const result = await createEngine({ strictValidation: true }).call(tool, input["args"]);
      expect(result).toMatchObject({ error: { code: expected.split(" ")[0], issues: [{ path: ["unknown"] }] } });
    },
  };

  test("every row is known here", () => {
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ input }) => checks[Object.keys(input)[0]!] === undefined)).toEqual([]);
  });

  const present = rows.filter(({ input }) => checks[Object.keys(input)[0]!] !== "later");

  test.each(present.map((row) => [JSON.stringify(row.input), row.expected, row] as const))(
    "%s: %s",
    async (_input, _expected, row) => {
      const check = checks[Object.keys(row.input)[0]!];
      expect(check).toBeTypeOf("function");
      if (typeof check === "function") await check(row);
    },
  );
});

describe("closing", () => {
  test("refuses new calls, which have records like any other", async () => {
    const engine = createEngine({ tools: [add] });
    await engine.close();
    const result = (await engine.call("add", { a: 1 })) as ToolError;
    expect(result).toMatchObject({ success: false, tool: "add", error: { code: "engine_closed", retry: "safe" } });
    expect((await engine.queryRecords({ code: "engine_closed" })).records.length).toBe(1);
  });

  test("refuses calls from the moment it closes, and waits for running and queued calls", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock, concurrency: { maxConcurrent: 1 } });
    const work = sampleTool(() => new Promise<string>((resolve) => void clock.after(100, () => resolve("done"))));
    const calls = [engine.call(work, {}), engine.call(work, {})];
    let closed = false;
    const closing = engine.close({ drainMs: 1000 }).then(() => (closed = true));
    expect(await engine.call(work, {})).toMatchObject({ error: { code: "engine_closed" } });
    await clock.pass(150);
    expect(closed).toBe(false);
    await clock.pass(100);
    await closing;
    for (const result of await Promise.all(calls)) expect(result).toMatchObject({ output: "done" });
  });

  test("a running composite may still make the calls that it needs to finish", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock });
    const gate = Promise.withResolvers<void>();
    const parent = sampleTool(
      async (_args, { callTool }) => {
        await gate.promise;
        return (await callTool(add, { a: 1 })).success;
      },
      { composite: true },
    );
    const pending = engine.call(parent, {});
    const closing = engine.close();
    gate.resolve();
    expect(await pending).toMatchObject({ success: true, output: true });
    await clock.pass(100);
    await closing;
  });

  test("aborts running and queued calls that do not finish in time, and abandons handlers that ignore the signal", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock, concurrency: { maxConcurrent: 2 } });
    const closed = engine.call(
      sampleTool(() => new Promise(() => {})),
      {},
    );
    const listening = engine.call(
      sampleTool((_args, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject))),
      {},
    );
    const queued = engine.call(add, { a: 1 });
    const closing = engine.close({ drainMs: 200 });
    await clock.pass(190);
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 2, queueLength: 1 });
    await clock.pass(30);
    expect(await listening).toMatchObject({ error: { code: "cancelled" } });
    expect(await queued).toMatchObject({ error: { code: "cancelled" }, meta: { attempts: 0 } });
    await clock.pass(600);
    expect(await closed).toMatchObject({ error: { code: "cancelled" }, meta: { abandoned: true } });
    await closing;
    expect(engine.metrics()).toMatchObject({ currentConcurrent: 0, queueLength: 0 });
    expect(clock.holding).toBe(0);
  });

  test("without drain time it aborts immediately", async () => {
    const engine = createEngine({ limits: { graceMs: 10 } });
    const pending = engine.call(
      sampleTool(() => new Promise(() => {})),
      {},
    );
    await engine.close({ drainMs: 0 });
    expect(await pending).toMatchObject({ error: { code: "cancelled" }, meta: { abandoned: true } });
  });

  test("stops a call that waits for an approval", async () => {
    const engine = createEngine({
      permissions: { ask: ["*"] },
      approver: { requestApproval: () => new Promise(() => {}) },
    });
    const pending = engine.call(add, { a: 1 });
    await engine.close({ drainMs: 0 });
    expect(await pending).toMatchObject({ error: { code: "cancelled" } });
  });

  test("stops a call during its retry delay", async () => {
    const engine = createEngine();
    const pending = engine.call(
      sampleTool(() => {
        throw new Error("flaky");
      }),
      {},
    );
    await engine.close({ drainMs: 0 });
    expect(await pending).toMatchObject({ error: { code: "cancelled" }, meta: { attempts: 1 } });
  });

  test("[F16] leaves no timer, not even of a call that ignored its abort and ends later", async () => {
    const clock = new FakeClock();
    const engine = createEngine({ clock, limits: { graceMs: 10 } });
    const late = Promise.withResolvers<void>();
    await engine.call(
      sampleTool(() => Promise.resolve(1)),
      {},
    );
    const ignoring = engine.call(
      sampleTool(() => late.promise),
      {},
    );
    const closing = engine.close({ drainMs: 10 });
    await clock.pass(2_000);
    expect(await ignoring).toMatchObject({ meta: { abandoned: true } });
    await closing;
    late.resolve();
    await clock.pass(0);
    expect(clock.timers).toBe(0);
  });

  test("flushes the records at the end, once, even if close is called repeatedly", async () => {
    const records = createInMemoryRecords({});
    let flushed = 0;
    records.flush = async () => void flushed++;
    const engine = createEngine({ records });
    const first = engine.close();
    expect(engine.close({ drainMs: 9 })).toBe(first);
    await Promise.all([first, engine.close()]);
    await engine.close();
    expect(flushed).toBe(1);
  });

  test("rejects if the records could not be flushed", async () => {
    const records = createInMemoryRecords({});
    records.flush = () => Promise.reject(new Error("disk full"));
    await expect(createEngine({ records }).close()).rejects.toThrow("disk full");
  });

  test("an engine without calls closes immediately", async () => {
    const clock = new FakeClock();
    let closed = false;
    void createEngine({ clock })
      .close()
      .then(() => (closed = true));
    await settle();
    expect(closed).toBe(true);
  });
});

describe("the process", () => {
  test("may exit as soon as it has its results, regardless of deadlines that were set", async () => {
    const program = `
      import { createEngine } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
      import { defineTool } from ${JSON.stringify(new URL("../tool/index.ts", import.meta.url).href)};
      const about = { description: "d", effect: "read", category: "http" };
      const later = defineTool({ ...about, name: "later", run: async () => 1 });
      const hang = defineTool({ ...about, name: "hang", run: () => new Promise(() => {}) });
      const concurrency = { maxConcurrent: 1, rateLimits: { http: "2/h" } };
      const engine = createEngine({ concurrency, limits: { graceMs: 1 } });
      const stop = new AbortController();
      await engine.call(later, {});
      const hanging = engine.call(hang, {}, { signal: stop.signal });
      const queued = engine.call(later, {}, { signal: stop.signal });
      stop.abort();
      const codes = (await Promise.all([hanging, queued])).map(({ error }) => error.code);
      console.log(codes.join());
    `;
    const begin = performance.now();
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module-typescript", "-e", program]);
    expect(stdout).toBe("cancelled,cancelled\n");
    expect(performance.now() - begin).toBeLessThan(10_000);
  });
});

describe("the history of an engine", () => {
  test("records, summaries and statistics come from the store", async () => {
    const engine = createEngine({ tools: [add] });
    const context = { conversationId: "c1" };
    await engine.call("add", { a: 1 }, context);
    await engine.call("add", { a: "x" }, context);
    await engine.call("add", { a: 1 });
    expect(await engine.callSummary("c1")).toMatchObject({ totalCalls: 2, failedCalls: 1, toolUsage: { add: 2 } });
    expect(await engine.briefSummary("c1")).toEqual({
      totalCalls: 2,
      successRate: 50,
      toolUsage: { add: 2 },
      hasErrors: true,
    });
    expect(await engine.callStatistics()).toMatchObject({ totalCalls: 3, failures: { validation_error: 1 } });
    expect((await engine.queryRecords({ conversationId: "c1", status: "success" })).records.length).toBe(1);
  });
});
