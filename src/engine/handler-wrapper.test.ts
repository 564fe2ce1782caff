import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, test } from "vitest";
import { defineTool } from "../tool/index.ts";
import { createEngine } from "./engine.ts";
import type { Surround } from "./surround.ts";

const store = new AsyncLocalStorage<string>();
const seen = (): string => store.getStore() ?? "nothing";
const inside =
  (name: string): Surround =>
  (call, handle) =>
    store.run(`${seen()} > ${name}:${call.tool.name}`, handle);
const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const atOnce = defineTool({ name: "at_once", description: "x", effect: "pure", run: () => seen() });
const awaited = defineTool({ name: "awaited", description: "x", effect: "pure", run: () => later().then(seen) });
const yielded = defineTool({
  name: "yielded",
  description: "x",
  effect: "pure",
  async *run() {
    const first = seen();
    yield 1;
    await later();
    yield 2;
    return [first, seen()];
  },
});

describe("what surrounds handlers", () => {
  test("is seen by a handler, by what it awaits, and between its yields", async () => {
    const engine = createEngine({ tools: [atOnce, awaited, yielded] });
    engine.surround(inside("a"));
    expect(await engine.call(atOnce, {})).toMatchObject({ output: "nothing > a:at_once" });
    expect(await engine.call(awaited, {})).toMatchObject({ output: "nothing > a:awaited" });
    expect(await engine.call(yielded, {})).toMatchObject({ output: ["nothing > a:yielded", "nothing > a:yielded"] });
  });

  test("is not seen by whoever called, and gone for what it does next", async () => {
    const engine = createEngine({ tools: [atOnce, awaited] });
    engine.surround(inside("a"));
    await engine.call(awaited, {});
    expect(seen()).toBe("nothing");
    // Told when the call is over, and goes on from there.
    const after = await new Promise((resolve) => {
      engine.begin(awaited, {}).runFor({ ended: () => resolve(seen()) });
    });
    expect(after).toBe("nothing");
  });

  test("may be several, the first outermost, and each ends for itself", async () => {
    const engine = createEngine({ tools: [atOnce] });
    const [endFirst, endSecond] = [engine.surround(inside("a")), engine.surround(inside("b"))];
    expect(await engine.call(atOnce, {})).toMatchObject({ output: "nothing > a:at_once > b:at_once" });
    endFirst();
    expect(await engine.call(atOnce, {})).toMatchObject({ output: "nothing > b:at_once" });
    endSecond();
    expect(await engine.call(atOnce, {})).toMatchObject({ output: "nothing" });
  });

  test("is around every attempt, and what it throws fails the call like a handler", async () => {
    let attempts = 0;
    const flaky = defineTool({
      name: "flaky",
      description: "x",
      effect: "read",
      run: () => (++attempts < 3 ? Promise.reject(new TypeError("fetch failed")) : seen()),
    });
    const engine = createEngine({ tools: [flaky], random: () => 0 });
    let around = 0;
    const end = engine.surround((_call, handle) => (around++, handle()));
    await engine.call(flaky, {});
    expect(around).toBe(attempts);
    end();
    engine.surround(() => {
      throw new Error("no room");
    });
    expect(await engine.call(flaky, {}, { maxRetries: 0 })).toMatchObject({ success: false });
  });
});
