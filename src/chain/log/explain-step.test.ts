import { beforeAll, describe, expect, test } from "vitest";
import { runWith } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { recordRun, taking } from "../../../test/support/record-run.ts";
import { fail } from "../../base/index.ts";
import type { ChainSpec } from "../plan/chain-spec.ts";
import type { RunFacts } from "../interpreter/run-facts.ts";
import { mock } from "../../testing/chain/mock-tools.ts";
import { explainStep } from "./explain-step.ts";

const down = (): never => {
  throw fail("the service is down", { code: "not_available" });
};

const article: ChainSpec = {
  name: "article",
  max_parallel: 2,
  input: { topic: "string", hint: "string?" },
  steps: [
    { id: "write", tool: "writer", params: { topic: "${input.topic}", hint: "${input.hint}", key: "${secret.KEY}" } },
    { id: "facts", tool: "flaky", retry: { max: 2, delay: 1, jitter: false } },
    {
      id: "review",
      tool: "reviewer",
      params: { text: "${steps.write.output.text}", facts: "${steps.facts.output}" },
      output: { as: "verdict" },
    },
    {
      id: "revise",
      tool: "writer",
      condition: "${steps.review.output.score < 8}",
      params: { text: "${steps.write.output.text}" },
    },
    { id: "publish", tool: "post", params: { text: "${steps.revise.output.text}" } },
    { id: "tell", tool: "mail", params: { url: "${steps.publish.output}" } },
    {
      id: "search",
      tool: "broken",
      depends_on: ["review"],
      error_handling: {
        fallback: [
          { condition: "${error.code == 'timeout'}", tool: "other" },
          { condition: "${steps.search.error}", tool: "recall", params: { q: "${input.topic}" } },
        ],
      },
    },
    {
      id: "optional",
      tool: "broken",
      condition: "${context.verdict.score > 3}",
      error_handling: { strategy: "continue", fallback: [{ condition: "${error.code == 'timeout'}", tool: "other" }] },
    },
    {
      id: "each",
      tool: "work",
      for_each: "${steps.review.output.list}",
      tolerate: 1,
      params: { n: "${item}", topic: "${input.topic}" },
    },
    { id: "poll", tool: "count", repeat: { until: "${steps.poll.output >= 2}", max: 5 } },
    { id: "sub", tool: "inner", params: { a: "${steps.review.output.score}" }, depends_on: ["each"] },
    { id: "pay", tool: "charge", retry: { max: 3 }, error_handling: { strategy: "continue" } },
  ],
};

const inner: ChainSpec = {
  name: "inner",
  input: { a: "number", b: "number=2" },
  steps: [
    { id: "x", tool: "work", params: { n: "${input.a + input.b}" } },
    { id: "y", tool: "work", condition: "${input.b > 5}", params: { n: "${steps.x.output}" } },
  ],
};

let run: RunFacts;

beforeAll(async () => {
  const clock = new FakeClock();
  const running = recordRun(article, {
    clock,
    input: { topic: "tea" },
    secrets: { KEY: "k-12345678" },
    chains: [inner],
    tools: {
      writer: taking(clock, 1000, { text: "word ".repeat(100) }),
      flaky: mock({ effect: "read", answers: [down, down, "fine"] }),
      reviewer: taking(clock, 200, { score: 9, list: [1, 2, 3] }),
      work: ({ n }) => (n === 2 ? down() : n),
      count: mock({ answers: [1, 2] }),
      charge: mock({ effect: "once", answer: fail("the card was declined") }),
      broken: down,
      recall: { found: true },
    },
  });
  await clock.pass(60_000);
  ({ facts: run } = await running);
});

describe("explainStep", () => {
  test("[N07] a step that ran: when, with which input, and from which sources", () => {
    expect(explainStep(run, "write")).toEqual([
      "write called writer and succeeded after 1 s.",
      "It needs no other step, so it started with the chain.",
      'Parameter topic was "tea", from input.topic.',
      "Parameter hint was omitted, because input.hint was missing.",
      'Parameter key was "[secret KEY]".',
      "input.hint was missing, which the expression allows there.",
      expect.stringMatching(/^Its output was \{"text":"word word.*…\.$/),
    ]);
    expect(explainStep(run, "review").slice(0, 4)).toEqual([
      "review called reviewer and succeeded after 200 ms.",
      "It waited for write (steps.write.output.text) and facts (steps.facts.output), of which facts settled last, 3 s after the chain began; it started immediately.",
      "It was the last step that revise, search, optional and each waited for.",
      expect.stringMatching(/^Parameter text was "word word.*…, from steps\.write\.output\.text\.$/),
    ]);
  });

  test("[N07] a step that was skipped: its condition with the values, or the chain of causes down to the first", () => {
    const cause =
      "revise was skipped because its condition ${steps.review.output.score < 8} was false: steps.review.output.score = 9.";
    expect(explainStep(run, "revise")).toEqual([cause]);
    expect(explainStep(run, "tell")).toEqual([
      "tell was skipped: it needs publish, which was skipped.",
      "publish was skipped: it needs revise, which was skipped.",
      cause,
    ]);
  });

  test("[N07] a step that was retried, and one that must not be", () => {
    expect(explainStep(run, "facts")).toEqual([
      "facts called flaky and succeeded after 3 s and 3 attempts.",
      "It needs no other step, so it started with the chain.",
      "It was the last step that review waited for.",
      "The first attempt failed: not_available: the service is down; it was retried after 1 s.",
      "The 2nd attempt failed: not_available: the service is down; it was retried after 2 s.",
      'Its output was "fine".',
    ]);
    expect(explainStep(run, "pay")).toEqual([
      "pay called charge and failed after 0 ms: execution_error: the card was declined.",
      "It needs no other step, and started 1 s after the chain began, when one of the 2 slots for steps was free (max_parallel).",
      "The first attempt failed: execution_error: the card was declined; it was not retried: the tool must not run twice (effect: once).",
      "The chain continued without it (error_handling: continue); steps that need it are skipped.",
    ]);
  });

  test("[N07] a fallback that was used, and the reason why others were not", () => {
    expect(explainStep(run, "search")).toEqual([
      "search called broken, which failed; recall replaced it. It took 0 ms and 2 attempts.",
      "It waited for review (depends_on), which settled 3.2 s after the chain began; it started immediately.",
      'Parameter q was "tea", from input.topic.',
      "The first attempt failed: not_available: the service is down; it was not retried: no retries are configured.",
      "The fallback other was not used: its condition ${error.code == 'timeout'} did not hold: error.code = \"not_available\".",
      'The fallback recall was used: its condition ${steps.search.error} held: steps.search.error = {"code":"not_available","message":"the service is down"}.',
      'Its output was {"found":true}.',
    ]);
    expect(explainStep(run, "optional")).toContain(
      "Its condition ${context.verdict.score > 3} held: context.verdict.score = 9.",
    );
  });

  test("[N07] items and rounds", () => {
    expect(explainStep(run, "each")).toEqual(
      expect.arrayContaining([
        "Parameter n was 1 for the first item, from item.",
        'Parameter topic was "tea", from input.topic.',
        "It processed 3 items, at most 3 at once; 1 failed (tolerate allows 1): item 1 (not_available: the service is down).",
      ]),
    );
    expect(explainStep(run, "poll")).toContain("It ran 2 rounds, of at most 5, until ${steps.poll.output >= 2} held.");
  });

  test("[N07] one item: its outcome, its arguments and its output", async () => {
    expect(explainStep(run, "each[0]")).toEqual([
      expect.stringMatching(/^Item 0 of each called work and succeeded after [\d.]+ m?s\.$/),
      'Its arguments were {"n":1,"topic":"tea"}.',
      "Its output was 1.",
    ]);
    expect(explainStep(run, "each[1]")).toEqual([
      expect.stringMatching(/^Item 1 of each failed after [\d.]+ m?s: not_available: the service is down\.$/),
      'Its arguments were {"n":2,"topic":"tea"}.',
      expect.stringMatching(/^The first attempt for item 1 failed: not_available: the service is down; it was not/),
      "The failure was tolerated: its entry in the output is null.",
    ]);
    const { facts } = await recordRun(
      {
        name: "c",
        steps: [{ id: "all", tool: "inner", for_each: [1, 2, 3], concurrency: 1, params: { a: "${item}" } }],
      },
      { chains: [inner], tools: { work: ({ n }) => (n === 4 ? down() : n) } },
    );
    expect(explainStep(facts, "all[0]")).toContain("Its steps are all[0]/x (success) and all[0]/y (skipped).");
    expect(explainStep(facts, "all[1]")[0]).toMatch(/^Item 1 of all failed after .*not_available/);
    expect(explainStep(facts, "all[2]")).toEqual(["Item 2 of all was cancelled before it began."]);
    expect(explainStep(facts, "all[0]/x")).toContain("Parameter n was 3, from input.a and input.b.");
  });

  test("an unknown item is a failure that lists the existing ones", () => {
    expect(() => explainStep(run, "each[3]")).toThrow("each has no item 3; its items are 0 to 2");
    expect(() => explainStep(run, "write[0]")).toThrow('the run has no step "write[0]"');
  });

  test("[N07] a step of a sub-chain sees the input of the sub-chain, defaults included", () => {
    expect(explainStep(run, "sub/x")).toContain("Parameter n was 11, from input.a and input.b.");
    expect(explainStep(run, "sub/y")).toEqual([
      "sub/y was skipped because its condition ${input.b > 5} was false: input.b = 2.",
    ]);
  });

  test("[N07] parameters that hold untrusted content of a tool are named", async () => {
    expect(explainStep(run, "review")).toContain("facts is untrusted: it comes from tools that read external content.");
    const spec: ChainSpec = {
      name: "c",
      steps: [
        { id: "a", tool: "web" },
        { id: "b", tool: "t", params: { x: "${steps.a.output}" } },
        { id: "c", tool: "t", params: { x: "${steps.b.output}", y: ["${steps.a.output}"], z: "${input.z}" } },
      ],
    };
    const { facts } = await recordRun(spec, {
      input: { z: 1 },
      tools: { web: mock({ effect: "read", answer: 1 }), t: 2 },
    });
    expect(explainStep(facts, "c")).toContain(
      "x and y[0] are untrusted: they come from tools that read external content.",
    );
  });

  test("[N07] a suspended step names its approval; a step behind it, the steps that it waits for", async () => {
    const spec: ChainSpec = {
      name: "c",
      steps: [
        { id: "a", tool: "t", approval: "Really?" },
        { id: "b", tool: "t", params: { x: "${steps.a.output}" } },
      ],
    };
    const { facts } = await recordRun(spec, { tools: { t: 1 } });
    const id = facts.steps[0]?.approvalId ?? "";
    expect(explainStep(facts, "a")[0]).toBe(
      `a waits for approval ${id}; decide with \`windlass approve ${id}\` or \`windlass reject ${id}\`.`,
    );
    expect(explainStep(facts, "b")).toEqual(["b has not begun.", "It waits for a (waiting)."]);
  });

  test("[N07] an early end: what was compensated, and what never started", async () => {
    const spec: ChainSpec = {
      name: "c",
      steps: [
        { id: "a", tool: "t", compensate: { tool: "undo" } },
        { id: "b", tool: "broken", depends_on: ["a"] },
        { id: "z", tool: "t", depends_on: ["b"] },
      ],
    };
    const { facts } = await recordRun(spec, { tools: { t: 1, undo: down, broken: down } });
    expect(explainStep(facts, "a")).toContain(
      "Later the chain stopped, and undo could not undo the step: not_available: the service is down.",
    );
    expect(explainStep(facts, "b")).toContain("Its failure ended the chain (error_handling: abort).");
    expect(explainStep(facts, "z")).toEqual([
      "z was cancelled before it began.",
      "b failed before, and that ended the chain.",
    ]);
  });

  test("an unknown step is a failure with a suggestion", () => {
    expect(() => explainStep(run, "serch")).toThrow('the run has no step "serch"; did you mean "search"?');
  });

  test("hostile values stay short, on one line and without secrets", async () => {
    const spec: ChainSpec = {
      name: "c",
      steps: [
        { id: "a", tool: "t", params: { text: "${input.text}" }, error_handling: { strategy: "continue" } },
        { id: "b", tool: "u", condition: "${has(input.text)}" },
      ],
    };
    const text = `\u001b[31m\u202e${"x".repeat(1e6)}\npassword=hunter2`;
    const { facts } = await recordRun(spec, {
      input: { text },
      tools: { t: fail(`no ${text} Bearer abcdefghijklmnopqrstuvwxyz`), u: { password: "hunter2", text } },
    });
    for (const step of ["a", "b"]) {
      for (const sentence of explainStep(facts, step)) {
        expect(sentence.length).toBeLessThan(600);
        for (const part of ["\n", "\u001b", "\u202e", "hunter2"]) expect(sentence).not.toContain(part);
      }
    }
  });
});

describe("steps that failed", () => {
  const explain = async (spec: ChainSpec, more: Parameters<typeof runWith>[1]): Promise<string> => {
    const { result } = await runWith(spec, more);
    return explainStep(result, "s").join("\n");
  };

  test("after a failed fallback, no abort is mentioned that the file does not declare", async () => {
    const fallback = [{ tool: "broken", params: { n: 2 } }];
    const reported = await explain(
      { name: "c", steps: [{ id: "s", tool: "broken", error_handling: { strategy: "fallback", fallback } }] },
      { tools: { broken: down } },
    );
    expect(reported).toContain("The first attempt failed");
    expect(reported).toContain("The fallback broken failed");
    expect(reported).toContain("No fallback succeeded. Its failure ended the chain.");
    expect(reported).not.toContain("abort");
  });

  test.each([
    { requiredBy: "approval", step: { approval: "Go?" }, settings: {} },
    { requiredBy: "a rule", step: {}, settings: { permissions: { ask: ["post"] } } },
  ])("a step whose approval was rejected ($requiredBy) was not called", async ({ step, settings }) => {
    const reported = await explain(
      { name: "c", steps: [{ id: "s", tool: "post", ...step }] },
      {
        tools: { post: mock({ effect: "once", answer: 1 }) },
        settings,
        requestApproval: async () => ({ approved: false }),
      },
    );
    expect(reported).toMatch(/^s failed after .*, before it called post: permission_denied/);
    expect(reported).toContain("post was not called: permission_denied");
    expect(reported).not.toContain("s called post");
  });
});
