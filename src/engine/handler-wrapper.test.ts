import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, test } from "vitest";
import { defineTool } from "../tool/index.ts";
import { createEngine } from "./engine.ts";
import type { HandlerWrapper } from "./handler-wrapper.ts";

const store = new AsyncLocalStorage<string>();
const seen = (): string => store.getStore() ?? "nothing";
const inside =
  (name: string): HandlerWrapper =>
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
  test("is visible to a handler, to what it awaits, and between its yields", async () => {
    const engine = createEngine({ tools: [atOnce, awaited, yielded] });
    engine.wrapHandlers(inside("a"));
    expect(await engine.call(atOnce, {})).toMatchObject({ output: "nothing > a:at_once" });
    expect(await engine.call(awaited, {})).toMatchObject({ output: "nothing > a:awaited" });
    expect(await engine.call(yielded, {})).toMatchObject({ output: ["nothing > a:yielded", "nothing > a:yielded"] });
  });

  test("is not visible to the caller, and gone for its next call", async () => {
    const engine = createEngine({ tools: [atOnce, awaited] });
    engine.wrapHandlers(inside("a"));
    await engine.call(awaited, {});
    expect(seen()).toBe("nothing");
    // The listener is called when the call is over, and continues from there.
    const after = await new Promise((resolve) => {
      engine.begin(awaited, {}).runFor({ ended: () => resolve(seen()) });
    });
    expect(after).toBe("nothing");
  });

  test("can be several, the first outermost, and each can be removed", async () => {
    const engine = createEngine({ tools: [atOnce] });
    const [endFirst, endSecond] = [engine.wrapHandlers(inside("a")), engine.wrapHandlers(inside("b"))];
    expect(await engine.call(atOnce, {})).toMatchObject({ output: "nothing > a:at_once > b:at_once" });
    endFirst();
    expect(await engine.call(atOnce, {})).toMatchObject({ output: "nothing > b:at_once" });
    endSecond();
    expect(await engine.call(atOnce, {})).toMatchObject({ output: "nothing" });
  });

  test("is around every attempt, and its errors fail the call like those of a handler", async () => {
    let attempts = 0;
    const flaky = defineTool({
      name: "flaky",
      description: "x",
      effect: "read",
      run: () => (++attempts < 3 ? Promise.reject(new TypeError("fetch failed")) : seen()),
    });
    const engine = createEngine({ tools: [flaky], random: () => 0 });
    let around = 0;
    const end = engine.wrapHandlers((_call, handle) => (around++, handle()));
    await engine.call(flaky, {});
    expect(around).toBe(attempts);
    end();
    engine.wrapHandlers(() => {
      throw new Error("no room");
    });
    expect(await engine.call(flaky, {}, { maxRetries: 0 })).toMatchObject({ success: false });
  });
});
