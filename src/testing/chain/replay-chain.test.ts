import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { type RecordOptions, planWith, recordRun } from "../../../test/support/record-run.ts";
import { fail } from "../../base/index.ts";
import { createEngine } from "../../engine/index.ts";
import type { ChainSpec } from "../../chain/plan/chain-spec.ts";
import { type RunCassette, toRunCassette } from "./run-cassette.ts";
import { mock, mockTools } from "./mock-tools.ts";
import { replayChain } from "./replay-chain.ts";

const down = (): never => {
  throw fail("the service is down", { code: "not_available" });
};

async function cassetteFor(spec: ChainSpec, options: RecordOptions): Promise<RunCassette> {
  const clock = new FakeClock();
  const running = recordRun(spec, { ...options, clock });
  await clock.pass(600_000);
  const recorded = await running;
  return toRunCassette(recorded, { plan: recorded.plan });
}

/** Plans a chain with tools that fail the test if they are called. */
function planOf(spec: ChainSpec, chains: readonly ChainSpec[] = []) {
  const names = new Set(chains.map(({ name }) => name));
  const tools = [spec, ...chains].flatMap((chain) => [...mockTools(chain)].filter(({ name }) => !names.has(name)));
  return planWith(spec, createEngine({ tools }), chains);
}

const research: ChainSpec = {
  name: "research",
  input: { topic: "string" },
  steps: [
    { id: "search", tool: "web_search", params: { query: "${input.topic}", key: "${secret.KEY}" } },
    {
      id: "fetch",
      tool: "fetch",
      for_each: "${steps.search.output[*].url}",
      params: { url: "${item}" },
      retry: { max: 2, delay: 30 },
    },
    { id: "sum", tool: "summarize", params: { pages: "${steps.fetch.output}" } },
    { id: "store", tool: "remember", params: { text: "${steps.sum.output}" }, approval: "Keep it?" },
  ],
  output: { summary: "${steps.sum.output}", id: "${steps.store.output.id}" },
};

const options: RecordOptions = {
  input: { topic: "tea" },
  secrets: { KEY: "k-12345678" },
  requestApproval: async () => ({ approved: true, by: "ann" }),
  tools: {
    web_search: { results: [{ url: "u1" }, { url: "u2" }, { url: "u3" }] },
    fetch: mock({ effect: "read", answers: ["p1", down, "p3", "p2"] }),
    summarize: "short",
    remember: mock({ effect: "once", answer: { id: "m1" } }),
  },
};

/** The chain with one step changed or removed. */
const changed = (id: string, change: object | undefined, more: object = {}): ChainSpec => ({
  ...research,
  steps: research.steps.flatMap((step) =>
    step.id === id ? (change === undefined ? [] : { ...step, ...change }) : step,
  ),
  ...more,
});

describe("a cassette of a finished run", () => {
  test("[N04] it holds every call with its arguments, by key, with secrets replaced by their names", async () => {
    const cassette = await cassetteFor(research, options);
    expect(cassette.calls.map(({ key, step, args }) => [key, step, args])).toEqual([
      ["search#1", "search", { query: "tea", key: "[secret KEY]" }],
      ["fetch[0]#1", "fetch", { url: "u1" }],
      ["fetch[1]#1", "fetch", { url: "u2" }],
      ["fetch[2]#1", "fetch", { url: "u3" }],
      ["fetch[1]#2", "fetch", { url: "u2" }],
      ["sum#1", "sum", { pages: ["p1", "p2", "p3"] }],
      ["store#1", "store", { text: "short" }],
    ]);
    expect(cassette).toMatchObject({ status: "success", output: { summary: "short", id: "m1" } });
    expect(JSON.stringify(cassette)).not.toContain("k-12345678");
  });

  test("[N04] the same chain replays identically, without a call, a pause or an approval request", async () => {
    const cassette = await cassetteFor(research, options);
    const started = performance.now();
    const { same, difference, run } = await replayChain(planOf(research), cassette);
    expect({ same, difference }).toEqual({ same: true, difference: undefined });
    expect(run.output).toEqual({ summary: "short", id: "m1" });
    expect(run.steps.map(({ attempts }) => attempts)).toEqual([1, 4, 1, 1]);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test("[N04] a cassette survives being written to a file", async () => {
    const cassette = JSON.parse(JSON.stringify(await cassetteFor(research, options))) as RunCassette;
    expect(await replayChain(planOf(research), cassette)).toMatchObject({ same: true });
  });

  test("[N04] a different input of a call is shown with its path", async () => {
    const cassette = await cassetteFor(research, options);
    const spec = changed("search", { params: { query: "about ${input.topic}", key: "${secret.KEY}" } });
    const { difference } = await replayChain(planOf(spec), cassette);
    expect(difference).toEqual({
      kind: "input",
      step: "search",
      path: "query",
      expected: "tea",
      actual: "about tea",
      message: 'search (web_search) got different input at query:\n  - recorded: "tea"\n  + now:      "about tea"',
    });
  });

  test("[N04] a missing call, an extra call, and a different tool are reported", async () => {
    const cassette = await cassetteFor(research, options);
    const gone = changed("sum", { condition: "${false}" }, { output: "${steps.store.output ?? 1}" });
    expect((await replayChain(planOf(gone), cassette)).difference).toMatchObject({
      kind: "missing_call",
      step: "sum",
      expected: { pages: ["p1", "p2", "p3"] },
      message: expect.stringContaining("sum did not make the recorded call of summarize"),
    });
    const extra = changed("sum", { depends_on: ["check"] });
    const check = { id: "check", tool: "check", params: { n: "${steps.fetch.output.size}" } };
    const more = { ...extra, steps: [...extra.steps, check] };
    expect((await replayChain(planOf(more), cassette)).difference).toMatchObject({
      kind: "extra_call",
      step: "check",
      actual: { n: 3 },
      message: 'check made a call of check that was not recorded:\n  - recorded: no call\n  + now:      {"n":3}',
    });
    expect((await replayChain(planOf(changed("sum", { tool: "other" })), cassette)).difference).toMatchObject({
      kind: "input",
      step: "sum",
      expected: "summarize",
      actual: "other",
    });
  });

  test("[N04] a missing call is explained: the step was skipped, or its parameters could not be evaluated", async () => {
    const cassette = await cassetteFor(research, options);
    const now = async (change: object): Promise<string | undefined> => {
      const spec = changed("sum", change, { output: "${steps.store.output ?? 1}" });
      return (await replayChain(planOf(spec), cassette)).difference?.message.split("now:").at(1)?.trim();
    };
    expect(await now({ condition: "${steps.search.output.size > 9}" })).toBe(
      "no call: its condition ${steps.search.output.size > 9} did not hold",
    );
    expect(await now({ params: { pages: "${steps.fetch.output - 1}" } })).toMatch(/^no call: .*params of sum/);
  });

  test("[N04] a new input of the chain gets its default; an invalid input is reported", async () => {
    const cassette = await cassetteFor(research, options);
    const spec = changed("search", {}, { input: { topic: "string", kind: "string=tea" } });
    const query = { params: { query: "${input.kind}", key: "${secret.KEY}" } };
    const steps = spec.steps.map((step) => (step.id === "search" ? { ...step, ...query } : step));
    expect((await replayChain(planOf({ ...spec, steps }), cassette)).same).toBe(true);
    const other = changed("search", {}, { input: { topic: "number" } });
    await expect(replayChain(planOf(other), cassette)).rejects.toMatchObject({ code: "validation_error" });
  });

  test("[N04] the same calls with a different output, or a different status, are reported", async () => {
    const cassette = await cassetteFor(research, options);
    const output = changed("", {}, { output: { summary: ["${steps.sum.output}", "!"] } });
    expect((await replayChain(planOf(output), cassette)).difference).toMatchObject({ kind: "output", path: "summary" });
    const status = changed("", {}, { output: "${steps.sum.output - 1}" });
    expect((await replayChain(planOf(status), cassette)).difference).toMatchObject({
      kind: "status",
      expected: "success",
      actual: "failed",
      message: expect.stringMatching(/^The run ended differently:\n.*\n  \+ now: {6}failed \(expression_error: .*\)$/),
    });
  });

  test("[N04] an approval without a decision in the recording is reported", async () => {
    const cassette = await cassetteFor(research, options);
    const spec = changed("sum", { approval: "Really?" });
    const { difference, run } = await replayChain(planOf(spec), cassette);
    expect(difference).toMatchObject({ kind: "extra_call", step: "sum", message: expect.stringContaining("approval") });
    expect(run.status).toBe("waiting");
  });

  test("[N04] failures, fallbacks, sub-chains, rounds, compensations and rejections replay identically", async () => {
    const inner: ChainSpec = {
      name: "inner",
      steps: [
        { id: "x", tool: "bad", error_handling: { fallback: [{ tool: "good" }] } },
        { id: "y", tool: "count", repeat: { until: "${steps.y.output >= 2}", delay: 60 } },
      ],
    };
    const spec: ChainSpec = {
      name: "outer",
      timeout: 3600,
      steps: [
        { id: "sub", tool: "inner", compensate: { tool: "undo", params: { what: "${steps.sub.output.y}" } } },
        { id: "end", tool: "good", approval: "Go on?", depends_on: ["sub"] },
      ],
    };
    const cassette = await cassetteFor(spec, {
      chains: [inner],
      tools: { bad: down, good: "g", count: mock({ answers: [1, 2] }), undo: "undone" },
      requestApproval: async () => ({ approved: false, by: "ann", note: "not now" }),
    });
    expect(cassette.calls.map(({ key, step }) => [key, step])).toEqual([
      ["sub#1/x#1", "sub/x"],
      ["sub#1/y#1", "sub/y"],
      ["sub#1/x!1#1", "sub/x"],
      ["sub#1/y~1#1", "sub/y"],
      ["sub^#1", "sub"],
    ]);
    const { same, run } = await replayChain(planOf(spec, [inner]), cassette);
    expect(same).toBe(true);
    expect(run.error?.message).toContain("rejected by ann: not now");
  });

  test("an unfinished run cannot become a cassette", async () => {
    const recorded = await recordRun(
      { name: "c", steps: [{ id: "a", tool: "t", approval: "?" }] },
      { tools: { t: 1 } },
    );
    await expect(toRunCassette(recorded, { plan: recorded.plan })).rejects.toThrow(
      "only a finished run can become a cassette",
    );
  });

  test("long values are shown around their first difference", async () => {
    const long = "same ".repeat(100);
    const spec = (word: string): ChainSpec => ({
      name: "c",
      steps: [{ id: "a", tool: "t", params: { x: `${long}${word}` } }],
    });
    const cassette = await cassetteFor(spec("one"), { tools: { t: 1 } });
    const { difference } = await replayChain(planOf(spec("two")), cassette);
    expect(difference?.message).toMatch(/recorded: ….{0,30}one"\n.*now: {6}….{0,30}two"$/s);
  });
});
