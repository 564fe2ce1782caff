import { describe, expect, test } from "vitest";
import { runWith, taking } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { fail } from "../../base/index.ts";
import { mock } from "../../testing/chain/mock-tools.ts";
import type { RunEvent } from "../interpreter/run-events.ts";
import { explainStep } from "./explain-step.ts";

const oneAtATime = { concurrency: { bucketLimits: { general: 1 } } };

describe("[F7] figures of a run count work; waiting is counted separately", () => {
  test("[F7] calls that run one at a time give a speed-up of 1, and steps with their own durations", async () => {
    const clock = new FakeClock();
    const ids = ["a", "b", "c", "d", "e"];
    const { result, tookMs, events } = await runWith(
      { name: "c", steps: ids.map((id) => ({ id, tool: "work" })) },
      { clock, tools: { work: taking(clock, 1000) }, settings: oneAtATime },
    );
    expect(tookMs).toBe(5000);
    const { metrics, steps } = result.log();
    expect(metrics).toMatchObject({ steps_ms: 5000, parallel_speedup: 1 });
    expect(steps.map(({ duration_ms, queued_ms }) => [duration_ms, queued_ms])).toEqual([
      [1000, undefined],
      [1000, 1000],
      [1000, 2000],
      [1000, 3000],
      [1000, 4000],
    ]);
    const finished = events.filter(
      (event): event is Extract<RunEvent, { type: "step-finished" }> => event.type === "step-finished",
    );
    expect(finished.map(({ durationMs, queuedMs }) => [durationMs, queuedMs])).toEqual([
      [1000, undefined],
      [1000, 1000],
      [1000, 2000],
      [1000, 3000],
      [1000, 4000],
    ]);
    expect(explainStep(result, "c").join(" ")).toContain("succeeded after 1 s (and 2 s of waiting)");
  });

  test("[F7] parallel_count is the number of items that really ran at once", async () => {
    for (const [settings, parallel, speedup] of [
      [oneAtATime, 1, 1],
      [{}, 3, 3],
    ] as const) {
      const clock = new FakeClock();
      const { result } = await runWith(
        { name: "c", steps: [{ id: "each", tool: "work", for_each: [1, 2, 3, 4, 5, 6], concurrency: 3, params: {} }] },
        { clock, tools: { work: taking(clock, 1000) }, settings },
      );
      const { metrics, steps } = result.log();
      expect(metrics).toMatchObject({ steps_ms: 6000, parallel_speedup: speedup });
      expect(steps[0]).toMatchObject({ parallel_count: parallel, duration_ms: 6000 / speedup });
      expect(steps[0]).not.toHaveProperty("queued_ms");
      expect(steps[0]?.items?.map(({ duration_ms }) => duration_ms)).toEqual([1000, 1000, 1000, 1000, 1000, 1000]);
    }
  });

  test("[F7] items that wait for another step count as waiting of their step only while none of them works", async () => {
    const clock = new FakeClock();
    const { result } = await runWith(
      {
        name: "c",
        steps: [
          { id: "first", tool: "slow" },
          { id: "each", tool: "work", for_each: [1, 2], params: {} },
        ],
      },
      { clock, tools: { slow: taking(clock, 4000), work: taking(clock, 1000) }, settings: oneAtATime },
    );
    const [, each] = result.log().steps;
    expect(each).toMatchObject({ duration_ms: 2000, queued_ms: 4000, parallel_count: 1 });
    expect(each?.items).toMatchObject([
      { duration_ms: 1000, queued_ms: 4000 },
      { duration_ms: 1000, queued_ms: 5000 },
    ]);
  });

  test("[F7] the time until a decision is waiting, whether it is approved or rejected", async () => {
    for (const approved of [true, false]) {
      const clock = new FakeClock();
      const { result } = await runWith(
        {
          name: "c",
          steps: [
            { id: "a", tool: "work", approval: "Go?" },
            { id: "b", tool: "work", for_each: [1], params: {}, approval: "Go?" },
          ],
        },
        {
          clock,
          tools: { work: taking(clock, 1000) },
          requestApproval: () => new Promise((done) => clock.after(60_000, () => done({ approved }))),
        },
      );
      for (const step of result.log().steps.filter(({ status }) => status !== "cancelled"))
        expect(step).toMatchObject({ duration_ms: approved ? 1000 : 0, queued_ms: 60_000 });
    }
  });

  test("[F7] retries and their pauses are part of the duration", async () => {
    const clock = new FakeClock();
    let calls = 0;
    const { result } = await runWith(
      { name: "c", steps: [{ id: "a", tool: "work", retry: { max: 1, delay: 2, jitter: false } }] },
      {
        clock,
        tools: {
          work: mock({
            effect: "read",
            answer: (args: Readonly<Record<string, unknown>>, context: Parameters<ReturnType<typeof taking>>[1]) => {
              if (++calls === 1) throw fail("busy", { retry: "safe" });
              return taking(clock, 1000)(args, context);
            },
          }),
        },
      },
    );
    expect(result.log().steps[0]).toMatchObject({ duration_ms: 3000, attempts: 2 });
    expect(result.log().steps[0]).not.toHaveProperty("queued_ms");
  });
});
