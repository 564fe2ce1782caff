import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { durationMs } from "./duration.ts";
import type { TargetFinder } from "./find-target.ts";
import type { PartReader } from "./part-reader.ts";
import type { FailurePlan, FallbackPlan, RetryPlan } from "./plan.ts";
import type { ErrorHandlingSpec, RetrySpec } from "./spec.ts";
import { type Strategy, readStrategy, strategyWords } from "./strategy.ts";

/** What is done about a failed step: tried again first, then stood in for, then given up in one of two ways. */
export interface Handling {
  /** Absent where `retry` is none of the strategies. */
  readonly retry: RetryPlan | undefined;
  readonly onFailure: FailurePlan;
}

/** What reading an `error_handling` takes. */
export interface HandlingTools {
  readonly report: ChainReport;
  readonly reader: PartReader;
  readonly finder: TargetFinder;
}

const usualRetries = 3;

/** No further attempts; how they would be made is the usual way. */
export const noRetry: RetryPlan = Object.freeze({
  max: 0,
  delayMs: 1_000,
  backoff: "exponential",
  maxDelayMs: 30_000,
  jitter: true,
});

/** Where nobody said anything: the run aborts. */
export const noHandling: Handling = Object.freeze({
  retry: undefined,
  onFailure: Object.freeze({ fallback: Object.freeze([]), otherwise: "abort" as const }),
});

/** Reads an `error_handling:` of a step or of the chain. */
export function readHandling(spec: ErrorHandlingSpec, path: YamlPath, tools: HandlingTools): Handling {
  const strategy = readStrategy(spec.strategy ?? (spec.fallback === undefined ? "abort" : "fallback"));
  checkStrategy(strategy, spec, { path, report: tools.report });
  const { words } = strategy;
  return {
    retry: words.includes("retry") ? { ...noRetry, max: spec.max_retries ?? usualRetries } : undefined,
    onFailure: {
      fallback: readFallbacks(spec, path, tools),
      otherwise: words.includes("continue") ? "continue" : "abort",
    },
  };
}

/** Reads a step's own `retry:`. */
export function readRetry(spec: RetrySpec, path: YamlPath, reader: PartReader): RetryPlan {
  const when = reader.condition(spec.when, [...path, "when"], "retry");
  return {
    max: spec.max ?? usualRetries,
    delayMs: durationMs(spec.delay) ?? noRetry.delayMs,
    backoff: spec.backoff ?? noRetry.backoff,
    maxDelayMs: durationMs(spec.max_delay) ?? noRetry.maxDelayMs,
    jitter: spec.jitter ?? true,
    ...(when !== undefined && { when }),
  };
}

function readFallbacks({ fallback = [] }: ErrorHandlingSpec, path: YamlPath, tools: HandlingTools): FallbackPlan[] {
  const { reader, finder } = tools;
  return fallback.map((entry, index) => {
    const at = [...path, "fallback", index];
    const condition = reader.condition(entry.condition, [...at, "condition"], "fallback");
    const select = reader.select(entry.output?.select, [...at, "output", "select"]);
    return {
      ...(condition !== undefined && { condition }),
      target: finder.find(entry.tool, [...at, "tool"]),
      params: reader.value(entry.params ?? {}, [...at, "params"], "fallback"),
      ...(select !== undefined && { select }),
    };
  });
}

function checkStrategy(
  { words, unknown, unreachable }: Strategy,
  spec: ErrorHandlingSpec,
  { path, report }: { readonly path: YamlPath; readonly report: ChainReport },
): void {
  const at = [...path, "strategy"];
  for (const { word, near } of unknown) {
    const hint = near === undefined ? `strategies: ${strategyWords.join(", ")}` : `did you mean "${near}"?`;
    report.add("unknown_strategy", at, [
      `unknown strategy ${JSON.stringify(word.slice(0, 80))}`,
      { hint, within: word },
    ]);
  }
  if (unreachable !== undefined) {
    const last = words.at(-1) ?? "abort";
    const message = `"${unreachable}" never has its turn: "${last}" ends the matter`;
    report.add("unreachable_strategy", at, [message, { severity: "warning", hint: `put "${last}" last` }]);
  }
  if (words.includes("fallback") && words.includes("retry") && words.indexOf("fallback") < words.indexOf("retry")) {
    const message = "a step is tried again before something stands in for it";
    report.add("strategy_order", at, [message, { severity: "warning", hint: "write retry|fallback" }]);
  }
  if (words.includes("fallback") && (spec.fallback ?? []).length === 0) {
    const hint = 'list what stands in under "fallback"';
    report.add("no_fallback", at, [
      'the strategy "fallback" has nothing to fall back to',
      { severity: "warning", hint },
    ]);
  }
}
