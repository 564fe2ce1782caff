import { setImmediate, setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import { DataThread } from "./data-thread.ts";
import { type JsonProcessInput, type TextProcessInput, jsonProcessTool, textProcessTool } from "./index.ts";

const engine = createEngine({ tools: [textProcessTool, jsonProcessTool] });

/** Returns the CPU time of this thread so far, in milliseconds. */
function computed(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns the maximum CPU time of one turn of the event loop during the work. */
async function maxLengthTurn(work: () => Promise<unknown>): Promise<number> {
  let maxLength = 0;
  let last = computed();
  const turns = setInterval(() => {
    maxLength = Math.max(maxLength, computed() - last);
    last = computed();
  });
  await work();
  await setTimeout(5);
  clearInterval(turns);
  return maxLength;
}

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join("\n");
const million = "a".repeat(1_000_000);
const items = Array.from({ length: 60_000 }, (_, a) => ({ a, b: a % 7 }));
const distinct = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key${at}`, at]));
const distinctText = JSON.stringify(distinct);

describe("the loop stays free while", () => {
  test.each<[string, TextProcessInput]>([
    [
      "lines are sorted by their numbers",
      { operation: "sort_lines", text: lines(140_000, (at) => `ä${(at * 7919) % 100_000}`), numeric: true },
    ],
    ["Chinese is counted", { operation: "count", text: "中文。".repeat(300_000) }],
    ["a text is cut", { operation: "truncate", text: million, max_length: 999_999 }],
    ["a text is turned round", { operation: "reverse", text: million }],
    [
      "texts are compared",
      { operation: "diff", text: lines(100_000, (at) => `a${at}`), other: lines(100_000, (at) => `b${at}`) },
    ],
    ["numbers are looked for", { operation: "extract", text: "1,".repeat(500_000), what: "numbers" }],
    ["words are put together", { operation: "camel_case", text: "aB ".repeat(300_000) }],
    ["a short pattern works for long", { operation: "extract", text: "ab".repeat(1_000), pattern: "(?:a|b|ab)*c|a" }],
  ])("%s", async (_what, input) => {
    await engine.call("text_process", { operation: "upper", text: "a" });
    const maxLength = await maxLengthTurn(async () => {
      expect(await engine.call("text_process", input)).toMatchObject({ success: true });
    });
    expect(maxLength).toBeLessThan(50);
  });

  test.each<[string, JsonProcessInput, boolean]>([
    ["a value is validated", { operation: "validate", data: items, schema: { uniqueItems: true } }, true],
    [
      "a small value is validated against many choices",
      {
        operation: "validate",
        data: Array.from({ length: 3_000 }, () => ({})),
        schema: { items: { anyOf: Array.from({ length: 300 }, () => ({ type: "string" })) } },
      },
      true,
    ],
    ["items are grouped", { operation: "group_by", data: items, key: "b" }, true],
    ["a table is read", { operation: "csv_to_json", data: `a,b\n${"x,1\n".repeat(60_000)}` }, true],
    ["everything is asked for", { operation: "query", data: items.slice(0, 40_000), path: "$..*" }, true],
    ["paths are made of a large value", { operation: "flatten", data: items }, false],
    ["a text of many keys is read", { operation: "parse", data: distinctText }, false],
  ])("%s", async (_what, input, success) => {
    await engine.call("json_process", { operation: "parse", data: "1" });
    const maxLength = await maxLengthTurn(async () => {
      const result = await engine.call("json_process", input);
      expect(result).toMatchObject(success ? { success } : { success, error: { reason: "too_large" } });
    });
    expect(maxLength).toBeLessThan(50);
  });
});

describe("a thread for data", () => {
  const count = { text: { operation: "count", text: million } } as const;

  test("is not used for small jobs", async () => {
    const one = new DataThread();
    expect(await one.do({ text: { operation: "upper", text: "a" } })).toEqual({ result: "A" });
    expect(one.running).toBe(false);
  });

  test("returns the result of the operation, and fails as it fails", async () => {
    const one = new DataThread();
    expect(await one.do({ json: { operation: "query", data: { a: [1, 2] }, path: "$.a[*]" } })).toEqual({
      result: [1, 2],
      found: true,
    });
    expect(one.running).toBe(true);
    await expect(one.do({ text: { operation: "extract", text: "a", pattern: "(" } })).rejects.toMatchObject({
      code: "validation_error",
      reason: "bad_pattern",
      issues: [{ path: ["pattern"] }],
    });
    await expect(one.do({ json: { operation: "query", data: {} } })).rejects.toMatchObject({
      reason: "missing_parameter",
      issues: [{ path: ["path"] }],
    });
  });

  test("runs one job after another, and a cancelled one ends immediately without affecting the others", async () => {
    const one = new DataThread();
    const controller = new AbortController();
    const first = one.do(
      { text: { operation: "sort_lines", text: lines(140_000, String), numeric: true } },
      controller.signal,
    );
    const second = one.do(count);
    const third = one.do(count, controller.signal);
    const ends = Promise.allSettled([first, third]);
    await setImmediate();
    controller.abort();
    for (const end of await ends) expect(end).toMatchObject({ status: "rejected", reason: { code: "cancelled" } });
    expect(await second).toMatchObject({ result: { characters: 1_000_000 } });
  });

  test("ends after some idle time", async () => {
    const waits: (() => void)[] = [];
    const clock = {
      now: () => 0,
      elapsed: () => 0,
      after: (_ms: number, task: () => void) => {
        waits.push(task);
        return { cancel: () => {}, hold: () => {} };
      },
    };
    const one = new DataThread({ clock });
    await one.do(count);
    await setImmediate();
    expect(one.running).toBe(true);
    waits.at(-1)?.();
    expect(one.running).toBe(false);
    expect(await one.do(count)).toMatchObject({ result: { characters: 1_000_000 } });
  });

  test("a thread whose code is missing runs its jobs in the calling thread", async () => {
    const one = new DataThread({ url: new URL("no-such-worker.ts", import.meta.url) });
    expect(await one.do(count)).toMatchObject({ result: { characters: 1_000_000 } });
  });
});
