import type { HubLimits } from "../hub/index.ts";

interface HubSetting {
  readonly limit: keyof HubLimits;
  /** In the file; in milliseconds everywhere else. */
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
  | "at_once"
  | "tool_timeout"
  | "recent"
  | "failures"
  | "rest"
  | "longest_rest"
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

/** What `hub` in `windlass.yaml` may say, and which limit each key is. */
export const hubSettings: Readonly<Record<HubKey, HubSetting>> = {
  at_once: number("atOnce", "Candidates that are tried at the same time; 3 where absent."),
  tool_timeout: seconds("toolMs", "Seconds a candidate may take that states no timeout; 30."),
  recent: seconds("recentMs", "Seconds for which a success or a failure decides who goes first; 300."),
  failures: number("failures", "Failures in a row after which a candidate is passed over; 3."),
  rest: seconds("restMs", "Seconds for which it is, at first; 30."),
  longest_rest: seconds("longestRestMs", "Seconds for which it is at most; 600."),
  synthesis_chars: number("synthesisChars", "Longer results are merged without a model; 2,000 characters."),
  synthesis_results: number("synthesisResults", "So are more results than this; 3."),
  synthesis_timeout: seconds("synthesisMs", "Seconds the model has to put results together; 10."),
  calculate_chars: number("calculateChars", "What the model reads of a calculation; 100 characters."),
  search_chars: number("searchChars", "What it reads of one search among several; 200."),
  search_few_chars: number("searchFewChars", "What it reads of one search among at most two; 300."),
  extract_chars: number("extractChars", "What it reads of an extract; 300."),
  other_chars: number("otherChars", "What it reads of anything else; 250."),
  merge_chars: number("mergeChars", "What is kept of each result where no model is asked; 300."),
  answer_chars: number("answerChars", "What is kept of the model's answer; 4,000."),
};
