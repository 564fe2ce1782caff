import { type YamlPath, suggestHint } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { parseChainDuration } from "./chain-durations.ts";
import type { TargetFinder } from "./find-target.ts";
import type { PartReader } from "./part-reader.ts";
import type { FailurePlan, FallbackPlan, RetryPlan } from "./plan.ts";
import type { ErrorHandlingSpec, RetrySpec } from "./chain-spec.ts";

/** Handling of a failed step: first retries, then fallbacks, then `abort` or `continue`. */
export interface Handling {
  /** Undefined if `retry` is not one of the strategies. */
  readonly retry: RetryPlan | undefined;
  readonly onFailure: FailurePlan;
}

/** Dependencies for reading an `error_handling`. */
export interface HandlingTools {
  readonly report: ChainReport;
  readonly reader: PartReader;
  readonly finder: TargetFinder;
}

const defaultRetries = 3;

/** No retries; the other settings have their defaults. */
export const noRetry: RetryPlan = Object.freeze({
  max: 0,
  delayMs: 1_000,
  backoff: "exponential",
  maxDelayMs: 30_000,
  jitter: true,
});

/** Default without any `error_handling`: the run aborts. */
export const noHandling: Handling = Object.freeze({
  retry: undefined,
  onFailure: Object.freeze({ fallback: Object.freeze([]), otherwise: "abort" as const }),
});

/** Reads an `error_handling:` of a step or of the chain. */
export function readHandling(spec: ErrorHandlingSpec, path: YamlPath, tools: HandlingTools): Handling {
  const strategy = parseFailureStrategy(spec.strategy ?? (spec.fallback === undefined ? "abort" : "fallback"));
  checkStrategy(strategy, spec, { path, report: tools.report });
  const { names } = strategy;
  return {
    retry: names.includes("retry") ? { ...noRetry, max: spec.max_retries ?? defaultRetries } : undefined,
    onFailure: {
      fallback: readFallbacks(spec, path, tools),
      otherwise: names.includes("continue") ? "continue" : "abort",
    },
  };
}

/** Reads a step's own `retry:`. */
export function readRetry(spec: RetrySpec, path: YamlPath, reader: PartReader): RetryPlan {
  const when = reader.condition(spec.when, [...path, "when"], "retry");
  return {
    max: spec.max ?? defaultRetries,
    delayMs: parseChainDuration(spec.delay) ?? noRetry.delayMs,
    backoff: spec.backoff ?? noRetry.backoff,
    maxDelayMs: parseChainDuration(spec.max_delay) ?? noRetry.maxDelayMs,
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
  { names, unknown, unreachable }: FailureStrategy,
  spec: ErrorHandlingSpec,
  { path, report }: { readonly path: YamlPath; readonly report: ChainReport },
): void {
  const at = [...path, "strategy"];
  for (const word of unknown) {
    const hint = suggestHint(word, failureStrategies) ?? `strategies: ${failureStrategies.join(", ")}`;
    const message = `unknown strategy ${JSON.stringify(word.slice(0, 80))}`;
    report.add("unknown_strategy", at, [message, { hint, within: word }]);
  }
  if (unreachable !== undefined) {
    const last = names.at(-1) ?? "abort";
    const message = `"${unreachable}" is never reached: "${last}" ends the handling`;
    report.add("unreachable_strategy", at, [message, { severity: "warning", hint: `put "${last}" last` }]);
  }
  if (names.includes("fallback") && names.includes("retry") && names.indexOf("fallback") < names.indexOf("retry")) {
    const message = "a step is retried before a fallback is used";
    report.add("strategy_order", at, [message, { severity: "warning", hint: "write retry|fallback" }]);
  }
  if (names.includes("fallback") && (spec.fallback ?? []).length === 0) {
    const hint = 'add the tools to use under "fallback"';
    report.add("no_fallback", at, ['the strategy "fallback" has no fallbacks', { severity: "warning", hint }]);
  }
}

/** Strategies for a step that failed. */
export const failureStrategies = ["fallback", "retry", "abort", "continue"] as const;

/** One of {@link failureStrategies}. */
type FailureStrategyName = (typeof failureStrategies)[number];

/** A parsed `strategy:`. */
interface FailureStrategy {
  /** In the order in which they are tried; strategies after `abort` or `continue` are omitted. */
  readonly names: readonly FailureStrategyName[];
  /** Words that are not a strategy. */
  readonly unknown: readonly string[];
  /** The strategy that can never be reached, because it stands after `abort` or `continue`. */
  readonly unreachable: string | undefined;
}

/** Parses `retry|fallback`: words joined by bars, tried in that order. */
function parseFailureStrategy(text: string): FailureStrategy {
  const words: FailureStrategyName[] = [];
  const unknown: string[] = [];
  let unreachable: string | undefined;
  for (const part of text.split("|").slice(0, 20)) {
    const name = part.trim();
    const word = failureStrategies.find((known) => known === name);
    if (word === undefined) unknown.push(name);
    else if (words.some((before) => before === "abort" || before === "continue")) unreachable ??= word;
    else if (!words.includes(word)) words.push(word);
  }
  return { names: words, unknown, unreachable };
}
