/** Run by `test/heap.test.ts` in a process of its own, with `--expose-gc`: prints the heap after few and after many calls. */
import { z } from "zod";
import { type Engine, createEngine } from "../../src/engine/index.ts";
import { createInMemoryRecords } from "../../src/store/index.ts";
import { defineTool } from "../../src/tool/index.ts";

const input = z.object({ n: z.number(), text: z.string() });
const about = { description: "Used by the heap test.", input, effect: "read" } as const;

const sync = defineTool({ ...about, name: "sync", run: ({ n, text }) => ({ n, text }) });
const later = defineTool({
  ...about,
  name: "later",
  run: async ({ n }, { signal }) => {
    if (signal.aborted) throw new Error("aborted");
    return { n };
  },
});
const failing = defineTool({
  ...about,
  name: "failing",
  effect: "pure",
  run: ({ n }) => {
    throw new Error(`number ${n} failed`);
  },
});
const hanging = defineTool({ ...about, name: "hanging", run: () => new Promise(() => {}) });
const listening = defineTool({
  ...about,
  name: "listening",
  run: (_args, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("stopped")));
    }),
});
const cached = defineTool({ ...about, name: "cached", cache: { ttlMs: 5 }, run: async ({ n }) => ({ n }) });
const composite = defineTool({
  ...about,
  name: "composite",
  composite: true,
  run: async ({ n, text }, { callTool }) => {
    const [first] = await Promise.all([callTool(sync, { n, text }), callTool(later, { n, text })]);
    return first.success;
  },
});

type Round = (n: number) => Promise<unknown>;
const args = (n: number): { n: number; text: string } => ({ n, text: `call number ${n}` });

/** Work that is called repeatedly; each creates its own engine. */
const variants: Record<string, (engine: Engine) => Round> = {
  successes: (engine) => (n) => engine.call(n % 2 === 0 ? sync : later, args(n)),
  failures: (engine) => (n) =>
    n % 3 === 0
      ? engine.call(failing, args(n))
      : n % 3 === 1
        ? engine.call("nobody", args(n))
        : engine.call("sync", { n: "wrong" }),
  subscriber: (engine) => {
    let heard = 0;
    engine.subscribe(() => heard++);
    const slow = engine.events({ capacity: 100 });
    return async (n) => {
      await engine.call(later, args(n), { onProgress: () => slow.dropped });
    };
  },
  signal: (engine) => {
    const { signal } = new AbortController();
    return (n) => engine.call(n % 2 === 0 ? sync : later, args(n), { signal });
  },
  // The one slot is held permanently; all other calls wait, and give up.
  queued: (engine) => {
    void engine.call(hanging, args(0), { timeoutMs: 3_600_000 });
    return async (n) => {
      const stop = new AbortController();
      const pending = engine.call(sync, args(n), { signal: stop.signal });
      stop.abort();
      await pending;
    };
  },
  timeouts: (engine) => async (n) => {
    const calls = Array.from({ length: 50 }, () =>
      engine.call(n % 2 === 0 ? hanging : listening, args(n), { timeoutMs: 1 }),
    );
    await Promise.all(calls);
  },
  cached: (engine) => (n) => Promise.all([engine.call(cached, args(n % 500)), engine.call(cached, args(n % 500))]),
  nested: (engine) => (n) => engine.call(composite, args(n)),
};

const [variant = "successes", few = "1000", many = "100000"] = process.argv.slice(2);
const make = variants[variant];
if (make === undefined) throw new Error(`no variant named ${variant}`);

const engine = createEngine({
  tools: [sync],
  records: createInMemoryRecords({ capacity: 1000 }),
  concurrency: { maxConcurrent: variant === "queued" ? 1 : 50 },
  limits: { graceMs: 1 },
});
const round = make(engine);

async function heapAfter(from: number, to: number): Promise<number> {
  for (let n = from; n < to; n++) await round(n);
  // Armed timers and Node's own finalizers of abort signals end only after a while, which is longer on a busy machine:
  // the lowest heap size counts.
  let lowest = Infinity;
  for (let turn = 0, still = 0; still < 6 && turn < 100; turn++) {
    globalThis.gc?.();
    const { heapUsed } = process.memoryUsage();
    still = heapUsed < lowest - 20_000 ? 0 : still + 1;
    lowest = Math.min(lowest, heapUsed);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return lowest;
}

const before = await heapAfter(0, Number(few));
const after = await heapAfter(Number(few), Number(many));
const { currentConcurrent, queueLength } = engine.metrics();
process.stdout.write(JSON.stringify({ before, after, currentConcurrent, queueLength }), () => process.exit(0));
