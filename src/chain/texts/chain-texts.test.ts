import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Examples, textProblems } from "../../../test/support/text-problems.ts";
import type { NotRetriedParams, SkipReason } from "../interpreter/step-state.ts";
import type { ChainNoticeParams } from "./chain-text-table.ts";
import { chainTexts, explainFactText } from "./chain-texts.ts";
import type { ExplainFactParams } from "./explain-fact.ts";

const { en, zh } = chainTexts;
const step = "the_write_step";
const tool = "web_search";
const other = "other_search";
const error = { code: "not_available", message: "the service is down" };
const condition = "${steps.review.output.score < 8}";
const values = [
  { reference: "steps.review.output.score", value: '"a long value"' },
  { reference: "steps.review.output.list", without: "missing" },
  { reference: "env.HOME_FOLDER", without: "unrecorded" },
  { reference: "steps.other.output", without: "unknown" },
] as const;
const ms = 3200;
const approval = "approval-12345";

const notices: Examples<ChainNoticeParams> = {
  chain_gone: [
    { run: "run-12345678", chain: "the_article" },
    { run: "run-12345678", chain: "the_article", file: "chains/article.yaml" },
  ],
  chain_changed: [{ run: "run-12345678", chain: "the_article" }],
  tool_unavailable: [{ step, tool, reason: "no search provider is configured" }],
};

const facts: Examples<ExplainFactParams> = {
  run_status: [
    { chain: "the_article", status: "failed", ms, error },
    { chain: "the_article", status: "running", ms, queuedMs: 100 },
    { chain: "the_article", status: "interrupted", ms },
    { chain: "the_article", status: "waiting", ms },
    { chain: "the_article", status: "success", ms },
    { chain: "the_article", status: "cancelled", ms },
  ],
  succeeded: [
    { step, tool, attempts: 1, ms },
    { step, item: 2, tool, attempts: 3, ms, queuedMs: 100 },
  ],
  recovered: [
    { step, tool, fallback: other, attempts: 2, ms },
    { step, item: 2, tool, attempts: 2, ms },
  ],
  failed: [
    { step, tool, attempts: 2, ms, error },
    { step, tool, attempts: 0, ms },
    { step, item: 2, attempts: 1, ms, error },
  ],
  cancelled: [{ step }, { step, item: 2, ms }],
  awaits_approval: [
    { step, approvals: [] },
    { step, approvals: [approval] },
    { step, approvals: [approval, "approval-67890"] },
  ],
  running: [{ step, ms }],
  interrupted: [{ step }],
  not_begun: [{ step }, { step, item: 2 }],
  not_ended: [{ step, item: 2 }],
  skipped_by_condition: [{ step, condition, values }],
  skipped_by_step: [{ step, needs: "the_review_step", status: "failed" }],
  failed_before: [{ step, error }],
  has_status: [{ step, status: "recovered" }],
  condition_held: [{ condition, values }],
  started_with_chain: [{}],
  started_later: [{ ms }, { ms, slots: 4 }],
  waited_for: [
    { steps: [{ step, by: "steps.the_write_step.output" }], last: step, lastMs: ms },
    { steps: [{ step }, { step: "the_review_step" }], last: "the_review_step", lastMs: ms, laterMs: 20, slots: 4 },
  ],
  last_needed_by: [{ steps: [step, "the_review_step"] }],
  waits_for_steps: [{ steps: [{ step, status: "running" }] }],
  waits_for_slot: [{ slots: 4 }],
  chain_ended_by: [{ step }],
  run_cancelled: [{}],
  chain_ended: [{}],
  parameter_received: [
    { parameter: "the_topic", value: '"a long value"', from: ["input.topic"] },
    { parameter: "the_key_of_it", value: '"[secret KEY]"', from: [] },
    { value: '"a long value"', ofFirstItem: true, from: ["item.something", "input.topic"] },
  ],
  parameter_omitted: [{ parameter: "the_topic", from: ["input.topic"] }, { from: ["input.topic"] }],
  item_input: [{ value: '{"topic":"tea"}' }],
  parameters_untrusted: [{ parameters: ["metadata.sources"] }, { parameters: ["metadata.sources", "metadata.urls"] }],
  targets_allowed: [{ targets: ["path_of_it", "url_of_it"] }],
  values_missing: [{ references: ["input.the_hint"] }, { references: ["input.the_hint", "input.the_topic"] }],
  expression_failed: [{ path: ["params", "the_topic"], expression: condition, values }],
  not_called: [
    { tool, error },
    { tool, fallback: true, item: 2, error },
  ],
  attempt_failed: [
    { attempt: 1, tool, error, retriedAfterMs: ms },
    { attempt: 2, tool, error, item: 2, notRetried: { code: "condition_failed", params: { message: "no such name" } } },
    { attempt: 11, tool, fallback: true, error },
  ],
  more_attempts_failed: [{ count: 7 }],
  fallback_used: [{ tool }, { tool, condition, values }],
  fallback_not_used: [
    { tool, reason: "condition", condition, values },
    { tool, reason: "not_approved" },
    { tool, reason: "step_ended" },
  ],
  items_processed: [
    { count: 3, concurrency: 2, failed: [], tolerate: { count: 0 } },
    { count: 3, concurrency: 2, failed: [{ item: 1, error }, { item: 2 }], tolerate: { count: 2 } },
    { count: 3, concurrency: 2, failed: [{ item: 1 }], tolerate: { share: 0.5 } },
  ],
  rounds_run: [
    { rounds: 2, max: 5, until: condition, end: "held" },
    { rounds: 5, max: 5, until: condition, end: "never_held" },
    { rounds: 1, max: 5, until: "x", end: "stopped" },
  ],
  chain_continued: [{ fallbacks: true }, { fallbacks: false }],
  chain_stopped: [{ fallbacks: true }, { fallbacks: false }],
  item_tolerated: [{}],
  undone: [{ tool }, {}],
  not_undone: [{ tool, error }, {}],
  undo_unknown: [{ message: "it is unknown whether it had completed" }],
  undo_awaits_approval: [{ tool, approval }],
  steps_inside: [{ steps: [{ step, status: "success" }] }],
  served_by: [
    { tools: [tool, other], merged: true },
    { tools: [tool], merged: false },
  ],
  source_failed: [
    { tool, error },
    { tool, error: { message: error.message } },
  ],
  source_skipped: [{ tool, message: "it is for another language" }],
  confirmed_done: [{ approval }, {}],
  approval_needed: [{ approval }],
  approval_pending: [
    { approval, step, undo: false, tool, args: '{"to":"ada"}' },
    { approval, step, undo: true, tool, args: '{"to":"ada"}' },
  ],
  awaits_external: [
    { step, waits: [{ event: "payment" }, { until: "2026-11-20T00:00:00.000Z" }] },
    { step, waits: [{ event: "payment", until: "2026-11-20T00:00:00.000Z" }] },
  ],
  wait_ended: [
    { step, ms: 3000, event: "payment" },
    { step, ms: 3000, queuedMs: 1000 },
  ],
  output_cached: [{}],
  output: [
    { value: '"a long value"', selected: false },
    { value: '"a long value"', selected: true },
  ],
};

const notRetried: Examples<NotRetriedParams> = {
  no_retries: [{}],
  retries_failed: [{ max: 2 }],
  effect_once: [{}],
  would_fail_again: [{ code: "permission_denied" }],
  verdict_unsafe: [{}],
  condition_false: [{}],
  condition_failed: [{ message: "no such name" }],
  is_fallback: [{}],
  fallback_failed: [{}],
};

describe("[F19] each code has a text in each language, with the same parameters", () => {
  test("for notices of chain runs", () => {
    expect(textProblems({ en: en.notices, zh: zh.notices }, notices)).toEqual([]);
  });

  test("for facts of explanations", () => {
    expect(textProblems({ en: en.facts, zh: zh.facts }, facts)).toEqual([]);
  });

  test("for reasons why an attempt was not retried", () => {
    expect(textProblems({ en: en.notRetried, zh: zh.notRetried }, notRetried, ["condition_failed"])).toEqual([]);
  });

  test.each<SkipReason>([
    { kind: "condition", condition },
    { kind: "needs", step, status: "failed" },
    { kind: "needs", step, status: "skipped" },
    { kind: "needs", step, status: "success" },
  ])("for a skipped step: $kind $status", (reason) => {
    const name = reason.kind === "condition" ? condition : step;
    expect(en.skipped(reason)).toContain(name);
    expect(zh.skipped(reason)).toMatch(/\p{Script=Han}/u);
    expect(zh.skipped(reason)).toContain(name);
  });
});

test("[F19] notices of chain runs are emitted from the table only", () => {
  const chain = new URL("../", import.meta.url).pathname;
  const emitting = globSync("**/*.ts", { cwd: chain })
    .filter((file) => !file.includes(".test."))
    .filter((file) => /(?:onNotice|listener)\?\.\(.*otice/.test(readFileSync(`${chain}${file}`, "utf8")));
  expect(emitting).toEqual(["texts/chain-texts.ts"]);
});

test("of many words the first ones are listed", () => {
  const steps = Array.from({ length: 12 }, (_, index) => `s${index + 1}`);
  const fact = { code: "last_needed_by", params: { steps } } as const;
  expect(explainFactText(fact)).toBe("It was the last step that s1, s2, s3, s4, s5, s6, s7 and 5 more waited for.");
  expect(explainFactText(fact, "zh")).toBe("它是 s1、s2、s3、s4、s5、s6、s7 等，另有 5 个 等待的最后一个步骤。");
});
