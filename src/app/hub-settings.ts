import type { HubLimits } from "../hub/index.ts";

interface HubSetting {
  readonly limit: keyof HubLimits;
  /** True if the file gives seconds; the limit is in milliseconds. */
  readonly inSeconds: boolean;
  readonly about: string;
}

function number(limit: keyof HubLimits, about: string): HubSetting {
  return { limit, inSeconds: false, about };
}

function seconds(limit: keyof HubLimits, about: string): HubSetting {
  return { limit, inSeconds: true, about };
}

/** A key of `hub` in `windlass.yaml`. */
export type HubKey =
  | "max_parallel"
  | "tool_timeout"
  | "recency"
  | "failure_threshold"
  | "cool_down"
  | "max_cool_down"
  | "synthesis_chars"
  | "synthesis_results"
  | "synthesis_timeout"
  | "calculate_chars"
  | "search_chars"
  | "search_few_chars"
  | "extract_chars"
  | "other_chars"
  | "merge_chars"
  | "answer_chars";

/** The keys of `hub` in `windlass.yaml`, with the limit that each sets. */
export const hubSettings: Readonly<Record<HubKey, HubSetting>> = {
  max_parallel: number("maxParallel", "Maximum candidates tried concurrently. Default: 3."),
  tool_timeout: seconds("toolTimeoutMs", "Timeout in seconds of candidates that do not set their own. Default: 30."),
  recency: seconds(
    "recencyMs",
    "Seconds for which a success or a failure affects the order of candidates. Default: 300.",
  ),
  failure_threshold: number("failureThreshold", "Consecutive failures after which a candidate is skipped. Default: 3."),
  cool_down: seconds("coolDownMs", "Initial cool-down in seconds. Default: 30."),
  max_cool_down: seconds("maxCoolDownMs", "Maximum cool-down in seconds. Default: 600."),
  synthesis_chars: number(
    "synthesisChars",
    "Maximum characters of results for synthesis by a model; longer ones are merged without it. Default: 2,000.",
  ),
  synthesis_results: number(
    "synthesisResults",
    "Maximum number of results for synthesis by a model; more are merged without it. Default: 3.",
  ),
  synthesis_timeout: seconds("synthesisTimeoutMs", "Timeout in seconds of the synthesis. Default: 10."),
  calculate_chars: number("calculateChars", "Maximum characters of a calculation in the synthesis. Default: 100."),
  search_chars: number("searchChars", "Maximum characters of each search result in the synthesis. Default: 200."),
  search_few_chars: number(
    "searchFewChars",
    "Maximum characters of each search result if there are at most two. Default: 300.",
  ),
  extract_chars: number("extractChars", "Maximum characters of an extract in the synthesis. Default: 300."),
  other_chars: number("otherChars", "Maximum characters of any other result in the synthesis. Default: 250."),
  merge_chars: number("mergeChars", "Maximum characters of each result merged without a model. Default: 300."),
  answer_chars: number("answerChars", "Maximum characters of the synthesized answer. Default: 4,000."),
};
