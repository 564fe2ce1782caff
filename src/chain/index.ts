/**
 * Chains: a YAML file becomes a checked plan, the plan a program of a run, the run a log.
 *
 * Belongs here: the language of chains, their interpreter, dry runs, logs, explanations and graphs.
 *
 * Must stay true: everything that can be known before a run is checked in the plan, with a position. A step starts as
 * soon as its references are settled. The interpreter decides only by outcomes of its host, never by the clock or the
 * environment. A run keeps the plan that it started with: editing a file does not change a run. Taint is computed from
 * the references of the plan.
 *
 * Test: `npm run vitest -- run src/chain`
 */

export * from "./plan/chain-table.ts";
export * from "./plan/chain-error.ts";
export { secretNamesOf } from "./plan-targets.ts";
export * from "./chain-runs.ts";
export * from "./chain-tool.ts";
export type * from "./execute-options.ts";
export * from "./graph/chain-graph.ts";
export type * from "./graph/graph.ts";
export * from "./graph/to-graph-json.ts";
export * from "./graph/to-mermaid.ts";
export * from "./graph/to-svg.ts";

export * from "./dry-run/dry-runner.ts";

export * from "./chain-library.ts";
export * from "./load-plan.ts";
export * from "./log/execution-log.ts";
export * from "./log/diff-runs.ts";
export * from "./log/explain-step.ts";
export * from "./log/chain-statistics.ts";
export type * from "./log/run-metrics.ts";
export { toLocalTime } from "./log/step-log.ts";
export type * from "./log/step-log.ts";
export * from "./plan/chain-file-schema.ts";
export * from "./plan/chain-report.ts";
export * from "./plan/check-triggers.ts";
export * from "./plan/schedule.ts";
export * from "./plan/trigger.ts";
export * from "./plan/trigger-settings.ts";
export * from "./plan/trigger-spec.ts";
export * from "./plan/plan-chain.ts";
export type * from "./plan/plan.ts";
export * from "./missing-requirements.ts";
export * from "./plan/parse-chain.ts";
export type * from "./plan/chain-spec.ts";
export * from "./rerun-preview.ts";
export * from "./run-chain.ts";
export * from "./interpreter/interpret.ts";
export type * from "./interpreter/run-events.ts";
export type * from "./interpreter/run-facts.ts";
export type * from "./run-result.ts";
export type * from "./interpreter/step-state.ts";
export * from "./interpreter/parse-step-key.ts";
export * from "./log/log-value.ts";
export * from "./texts/chain-texts.ts";
export type * from "./texts/chain-text-table.ts";
export type * from "./texts/explain-fact.ts";
export * from "./run-environment.ts";
export type * from "./sub-chain/program-step.ts";
export * from "./sub-chain/nested-chain.ts";
