import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SchedulerModel, type Effect } from "../../test/support/scheduler-model.ts";
import type { ConcurrencyOptions } from "./concurrency.ts";

const categories = ["a", "b", "c"] as const;

const limits = fc.dictionary(fc.constantFrom(...categories), fc.integer({ min: 1, max: 3 }));
const rates = fc.dictionary(
  fc.constantFrom(...categories),
  fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 2, max: 25 })).map(([count, ms]) => `${count}/${ms}ms`),
);

const options: fc.Arbitrary<ConcurrencyOptions> = fc.record({
  maxConcurrent: fc.integer({ min: 1, max: 4 }),
  queueSize: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constant(100)),
  queueTimeoutMs: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constant(200)),
  strategy: fc.constantFrom("fifo", "priority", "reject"),
  bucketLimits: limits,
  rateLimits: rates,
});

/** A root, a chain step or a nested call; a tool or a composite. */
const effect: fc.Arbitrary<Effect> = fc.record({
  category: fc.constantFrom(...categories),
  priority: fc.integer({ min: -1, max: 2 }),
  global: fc.boolean(),
  slot: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  holdMs: fc.integer({ min: 0, max: 20 }),
});

type Step = { enter: Effect } | { pass: number } | { cancel: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: effect.map((enter) => ({ enter })) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 12 }).map((pass) => ({ pass })) },
  { weight: 1, arbitrary: fc.nat(40).map((cancel) => ({ cancel })) },
);

function play(model: SchedulerModel, steps: readonly Step[]): void {
  for (const what of steps) {
    if ("enter" in what) model.enter(what.enter);
    else if ("pass" in what) model.pass(what.pass);
    else if (model.calls[what.cancel]) model.cancel(model.calls[what.cancel]!);
  }
  model.finish();
}

test("[B11] for any sequence of entries, waits, cancellations and runs: limits and rates hold, no call is lost, no slot leaks", () => {
  let played = 0;
  fc.assert(
    fc.property(options, fc.array(step, { minLength: 1, maxLength: 40 }), (concurrency, steps) => {
      play(new SchedulerModel(concurrency), steps);
      played++;
    }),
    { seed: 20_260_101, numRuns: 8000 },
  );
  expect(played).toBe(8000);
});

test("[B12] a burst of chain steps and nested calls beside waiting roots keeps the buckets within their limits", () => {
  const crowded: fc.Arbitrary<ConcurrencyOptions> = fc.record({
    maxConcurrent: fc.integer({ min: 1, max: 2 }),
    queueTimeoutMs: fc.constant(300),
    strategy: fc.constantFrom("fifo", "priority"),
    bucketLimits: fc.constant({ a: 1, b: 2 }),
    rateLimits: fc.constant({ b: "2/10ms", c: "1/7ms" }),
  });
  const stored = fc.check(
    fc.property(crowded, fc.array(effect, { minLength: 10, maxLength: 30 }), (concurrency, effects) => {
      const model = new SchedulerModel(concurrency);
      for (const each of effects) model.enter(each);
      model.finish();
    }),
    { seed: 7, numRuns: 2000 },
  );
  expect(fc.defaultReportMessage(stored)).toBeUndefined();
});
