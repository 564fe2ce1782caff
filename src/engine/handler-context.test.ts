import { describe, expect, test } from "vitest";
import { FakeClock, settle } from "../../test/support/fake-clock.ts";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { unhandledRejections } from "../../test/support/unhandled-rejections.ts";
import { createInMemoryRecords } from "../store/index.ts";
import { createEngine } from "./engine.ts";
import type { LogEntry } from "./engine-core.ts";
import { internals } from "./internals.ts";

const secrets = { API_KEY: "hunter2secret" };

describe("progress", () => {
  test("reaches the caller while the handler is still running", async () => {
    const heard: unknown[] = [];
    const tool = sampleTool(async (_args, { progress }) => {
      progress({ done: 1 });
      await settle();
      progress({ done: 2 });
      return "end";
    });
    await createEngine().call(tool, {}, { onProgress: (value) => heard.push(value) });
    expect(heard).toEqual([{ done: 1 }, { done: 2 }]);
  });

  test("values that an async generator yields are progress, its return value is the output", async () => {
    const heard: unknown[] = [];
    const tool = sampleTool(async function* () {
      yield 1;
      await settle();
      yield 2;
      return { sum: 3 };
    });
    const result = await createEngine().call(tool, {}, { onProgress: (value) => heard.push(value) });
    expect(heard).toEqual([1, 2]);
    expect(result).toMatchObject({ success: true, output: { sum: 3 } });
  });

  test("a generator needs no listener, and may return nothing", async () => {
    const tool = sampleTool(async function* () {
      yield 1;
    });
    expect(await createEngine().call(tool, {})).toMatchObject({ success: true, output: null });
  });

  test("a generator that throws midway fails the call", async () => {
    const heard: unknown[] = [];
    const tool = sampleTool(async function* () {
      yield 1;
      throw new Error("midway");
    });
    const result = await createEngine().call(tool, {}, { maxRetries: 0, onProgress: (value) => heard.push(value) });
    expect(result).toMatchObject({ error: { message: "midway" } });
    expect(heard).toEqual([1]);
  });

  test("a generator that is cancelled midway runs its finally block and yields no more", async () => {
    const stop = new AbortController();
    const heard: unknown[] = [];
    let cleaned = false;
    const tool = sampleTool(async function* () {
      try {
        for (let n = 0; ; n++) {
          yield n;
          await settle();
        }
      } finally {
        cleaned = true;
      }
    });
    const onProgress = (value: unknown): void => {
      heard.push(value);
      if (value === 2) stop.abort();
    };
    expect(await createEngine().call(tool, {}, { signal: stop.signal, onProgress })).toMatchObject({
      error: { code: "cancelled" },
    });
    expect(cleaned).toBe(true);
    expect(heard).toEqual([0, 1, 2]);
  });

  test("a generator past its deadline runs its finally block", async () => {
    const clock = new FakeClock();
    let cleaned = false;
    const tool = sampleTool(async function* () {
      try {
        for (;;) {
          await new Promise<void>((resolve) => void clock.after(30, resolve));
          yield "tick";
        }
      } finally {
        cleaned = true;
      }
    });
    const pending = createEngine({ clock }).call(tool, {}, { timeoutMs: 100 });
    await clock.pass(200);
    expect(await pending).toMatchObject({ error: { code: "timeout" } });
    expect((await pending).meta).not.toHaveProperty("abandoned");
    expect(cleaned).toBe(true);
  });

  test.each([
    [
      "an async generator",
      async function* () {
        for (;;) yield 1;
      },
    ],
    [
      "a generator",
      function* () {
        for (;;) yield 1;
      },
    ],
  ])("%s that never awaits is still stopped by its deadline", async (_what, run) => {
    const result = await createEngine().call(sampleTool(run), {}, { timeoutMs: 30 });
    expect(result).toMatchObject({ error: { code: "timeout" } });
    expect(result.durationMs).toBeLessThan(1000);
  });

  test.each([
    ["throws", () => raise(new Error("listener"))],
    ["rejects", async () => raise(new Error("listener"))],
  ])("a listener that %s does not affect the call", async (_what, onProgress) => {
    const unhandled = unhandledRejections();
    const logged: string[] = [];
    const engine = createEngine({ onLog: ({ message }) => logged.push(message) });
    const tool = sampleTool(async (_args, { progress }) => {
      progress(1);
      await settle();
      return "fine";
    });
    expect(await engine.call(tool, {}, { onProgress })).toMatchObject({ output: "fine" });
    await settle();
    expect(unhandled.stop()).toEqual([]);
    expect(logged).toEqual(["onProgress failed: listener"]);
  });

  test("progress after the end is ignored", async () => {
    const heard: unknown[] = [];
    let late: (() => void) | undefined;
    const tool = sampleTool((_args, ctx) => {
      late = () => ctx.progress("late");
    });
    await createEngine().call(tool, {}, { onProgress: (value) => heard.push(value) });
    late?.();
    expect(heard).toEqual([]);
  });
});

describe("report", () => {
  test("adds facts to the result's meta and to the record", async () => {
    const engine = createEngine();
    const tool = sampleTool((_args, { report }) => {
      report({ tokensUsed: 1, memoryId: "m" });
      report({ tokensUsed: 2 });
      return 1;
    });
    expect((await engine.call(tool, {})).meta).toMatchObject({ tokensUsed: 2, memoryId: "m" });
    const { records } = await engine.queryRecords({});
    expect(records[0]?.reported).toEqual({ tokensUsed: 2, memoryId: "m" });
  });

  test("cannot overwrite the facts of the engine itself", async () => {
    const tool = sampleTool((_args, { report }) => {
      report({ callId: "forged", source: "forged", attempts: 99, cached: true, abandoned: true });
      return 1;
    });
    const { meta } = await createEngine().call(tool, {});
    expect(meta).toMatchObject({ source: "tools", attempts: 1 });
    expect(meta.callId).not.toBe("forged");
    expect(meta).not.toHaveProperty("cached");
    expect(meta).not.toHaveProperty("abandoned");
  });

  test("facts that are not JSON do not keep the result from being serialized", async () => {
    const tool = sampleTool((_args, { report }) => {
      report({ at: new Date(0), big: 1n, gone: undefined, list: [1], map: new Map() });
      return 1;
    });
    const { meta } = await createEngine().call(tool, {});
    expect(meta).toMatchObject({
      at: "1970-01-01T00:00:00.000Z",
      big: "[not JSON: Do not know how to serialize a BigInt]",
      gone: null,
      list: [1],
      map: "[not JSON: it holds an object of class Map]",
    });
    expect(() => JSON.stringify(meta)).not.toThrow();
  });

  test("facts of a failed call are recorded too", async () => {
    const tool = sampleTool((_args, { report }) => {
      report({ tokensUsed: 7 });
      throw new TypeError("x");
    });
    expect((await createEngine().call(tool, {})).meta).toMatchObject({ tokensUsed: 7 });
  });

  test("has no effect after the end of the call", async () => {
    let late: (() => void) | undefined;
    const engine = createEngine();
    const tool = sampleTool((_args, { report }) => {
      report({ a: 1 });
      late = () => report({ a: 2, b: 3 });
      return 1;
    });
    const { meta } = await engine.call(tool, {});
    late?.();
    expect(meta).toMatchObject({ a: 1 });
    expect(meta).not.toHaveProperty("b");
    expect((await engine.queryRecords({})).records[0]?.reported).toEqual({ a: 1 });
  });
});

describe("the log and the secrets", () => {
  test("log lines are redacted and name their call", async () => {
    const clock = new FakeClock();
    const entries: LogEntry[] = [];
    const engine = createEngine({ clock, secrets, onLog: (entry) => entries.push(entry) });
    const tool = sampleTool((_args, { log, secrets: named }) => {
      log(`using ${named.get("API_KEY")}`, { url: "http://a/?key=hunter2secret", password: "p", n: 1 });
      log("plain");
      return 1;
    });
    const { meta } = await engine.call(tool, {});
    const about = { at: clock.now(), callId: meta.callId, tool: "work" };
    expect(entries).toEqual([
      {
        ...about,
        message: "using [redacted]",
        data: { url: "http://a/?key=[redacted]", password: "[redacted]", n: 1 },
      },
      { ...about, message: "plain" },
    ]);
  });

  test.each([
    ["throws", () => raise(new Error("logger"))],
    ["rejects", async () => raise(new Error("logger"))],
  ])("a logger that %s does not affect the call", async (_what, onLog) => {
    const unhandled = unhandledRejections();
    const engine = createEngine({ onLog });
    engine.subscribe(() => raise(new Error("subscriber")));
    const tool = sampleTool((_args, { log }) => {
      log("line");
      return "fine";
    });
    expect(await engine.call(tool, {})).toMatchObject({ output: "fine" });
    await settle();
    expect(unhandled.stop()).toEqual([]);
  });

  test("a handler may log anything", async () => {
    const entries: LogEntry[] = [];
    const engine = createEngine({ onLog: (entry) => entries.push(entry) });
    const tool = sampleTool((_args, { log }) => {
      for (const odd of [undefined, 5, Symbol("s"), Object.create(null)]) log(odd as string);
      return "fine";
    });
    expect(await engine.call(tool, {})).toMatchObject({ output: "fine" });
    expect(entries.map(({ message }) => message)).toEqual(["undefined", "5", "Symbol(s)"]);
  });

  test("a handler reads the secrets of the engine, and no others", async () => {
    const tool = sampleTool((_args, ctx) => [
      ctx.secrets.get("API_KEY") === "hunter2secret",
      ctx.secrets.get("OTHER"),
      ctx.secrets.get("constructor"),
      ctx.secrets.get("__proto__"),
    ]);
    expect(await createEngine({ secrets }).call(tool, {})).toMatchObject({ output: [true, null, null, null] });
  });

  test("a secret in an error message is redacted in every output of the engine", async () => {
    const entries: LogEntry[] = [];
    const engine = createEngine({ secrets, onLog: (entry) => entries.push(entry) });
    const events: unknown[] = [];
    engine.subscribe((event) => {
      events.push(event);
      throw new Error("subscriber saw hunter2secret");
    });
    const tool = sampleTool(() => raise(new Error("401 for Bearer hunter2secret")));
    const result = await engine.call(tool, { key: "hunter2secret", n: 1 }, { maxRetries: 0 });
    expect(result).toMatchObject({ error: { message: expect.stringContaining("[redacted]") } });
    const { records } = await engine.queryRecords({});
    for (const out of [result, events, records, entries]) expect(JSON.stringify(out)).not.toContain("hunter2");
    expect(records[0]?.args).toMatchObject({ n: 1 });
    expect(entries.length).toBeGreaterThan(0);
  });

  test("a secret in a refused argument is redacted, in the issues too", async () => {
    const engine = createEngine({ secrets, strictValidation: true });
    const events: unknown[] = [];
    engine.subscribe((event) => events.push(event));
    const tool = sampleTool(() => 1, {
      input: {
        json: { type: "object" },
        validate: () => ({ issues: [{ path: ["key"], code: "x", message: "hunter2secret is wrong" }] }),
      },
    });
    const result = await engine.call(tool, {});
    expect(JSON.stringify([result, events])).not.toContain("hunter2");
  });

  test("a record store that throws loses only the record, and the log line about it is redacted", async () => {
    const entries: LogEntry[] = [];
    const records = { ...createInMemoryRecords({}), add: () => raise(new Error("store saw hunter2secret")) };
    const engine = createEngine({ records, secrets, onLog: (entry) => entries.push(entry) });
    const events: string[] = [];
    engine.subscribe(({ type }) => events.push(type));
    const result = await engine.call(
      sampleTool(() => 1),
      {},
    );
    expect(result.success).toBe(true);
    expect(events).toEqual(["execution_started", "execution_completed"]);
    expect(entries).toMatchObject([
      { callId: result.meta.callId, message: "the record of this call was lost: store saw [redacted]" },
    ]);
    const silent = createEngine({
      records: { ...records, add: () => raise(Object.create(null)) },
      onLog: () => raise(1),
    });
    expect(
      (
        await silent.call(
          sampleTool(async () => 1),
          {},
        )
      ).success,
    ).toBe(true);
  });
});

describe("the rest of the context", () => {
  test("says which call this is", async () => {
    const tool = sampleTool(({ n }, { callId, attempt, conversationId, variables }) => ({
      n,
      callId,
      attempt,
      conversationId,
      variables,
    }));
    const result = await createEngine().call(tool, { n: 1 }, { conversationId: "c1", variables: { v: 1 } });
    expect(result).toMatchObject({
      output: { n: 1, callId: result.meta.callId, attempt: 1, conversationId: "c1", variables: { v: 1 } },
    });
  });

  test("its functions can be destructured", async () => {
    const logged: string[] = [];
    const heard: unknown[] = [];
    const engine = createEngine({ onLog: ({ message }) => logged.push(message) });
    const tool = sampleTool((_args, { log, progress, report }) => {
      log("l");
      progress("p");
      report({ r: 1 });
    });
    const result = await engine.call(tool, {}, { onProgress: (value) => heard.push(value) });
    expect([logged, heard, result.meta["r"]]).toEqual([["l"], ["p"], 1]);
  });
});

function raise(value: unknown): never {
  throw value;
}

describe("elicitations", () => {
  const prompt = { message: "Which city?", schema: { type: "object", properties: { city: { type: "string" } } } };

  test("are sent to the caller, also by nested calls", async () => {
    const requested: unknown[] = [];
    const inner = sampleTool(async (_args, { elicit }) => elicit(prompt), { name: "inner" });
    const outer = sampleTool((_args, { callTool }) => callTool(inner, {}), { name: "outer", composite: true });
    const elicit = async (put: unknown) => {
      requested.push(put);
      return { action: "accept", content: { city: "Oslo" } } as const;
    };
    const result = await createEngine().call(outer, {}, { elicit });
    expect(result).toMatchObject({ output: { output: { action: "accept", content: { city: "Oslo" } } } });
    expect(requested).toEqual([prompt]);
  });

  test("are declined if no one can answer them, which is logged", async () => {
    const entries: LogEntry[] = [];
    const tool = sampleTool(async (_args, { elicit }) => elicit(prompt));
    const engine = createEngine({ onLog: (entry) => entries.push(entry) });
    expect(await engine.call(tool, {})).toMatchObject({ output: { action: "decline" } });
    expect(entries).toMatchObject([
      { message: expect.stringContaining("no one can answer it"), data: { elicitation: "Which city?" } },
    ]);
  });

  test("pause the tool's deadline: its remaining time continues after the response", async () => {
    const late = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
    const elicit = async () => {
      await late(200);
      return { action: "decline" } as const;
    };
    const request = (after: number) =>
      sampleTool(async (_args, context) => {
        await Promise.all([context.elicit(prompt), late(20).then(() => context.elicit(prompt))]);
        await late(after);
        return "done";
      });
    const context = { elicit, timeoutMs: 100, maxRetries: 0 };
    expect(await createEngine().call(request(0), {}, context)).toMatchObject({ output: "done" });
    expect(await createEngine().call(request(500), {}, context)).toMatchObject({ error: { code: "timeout" } });
  });

  test("end with the call", async () => {
    const stop = new AbortController();
    const aborted = Promise.withResolvers<void>();
    const tool = sampleTool(async (_args, { elicit }) => elicit(prompt));
    const elicit = (_: unknown, signal: AbortSignal) =>
      new Promise<never>(() => signal.addEventListener("abort", () => aborted.resolve()));
    const call = createEngine().call(tool, {}, { elicit, signal: stop.signal });
    await settle();
    stop.abort();
    await aborted.promise;
    expect(await call).toMatchObject({ error: { code: "cancelled" } });
  });
});

test("a context that is not of an engine has no internals", () => {
  expect(internals({})).toBeUndefined();
});
