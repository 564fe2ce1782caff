import { type Clock, systemClock } from "../../base/index.ts";
import { dataFailure, requireParameter } from "./data-reasons.ts";
import { dataLimits } from "./data-limits.ts";
import type { Encoding } from "./text/encode-text.ts";
import type { ExtractKind } from "./text/extract-items.ts";
import type { NormalizeStep } from "./text/normalize-text.ts";
import type { TextOperationName } from "./text/text-operations.ts";
import { textRuns } from "./text/text-runs.ts";

/** Input of `text_process`: an operation, the text, and the parameters of the operation. */
export interface TextProcessInput {
  readonly operation: TextOperationName;
  readonly text?: string;
  readonly items?: readonly string[];
  readonly other?: string;
  readonly separator?: string;
  readonly find?: string;
  readonly pattern?: string;
  readonly replacement?: string;
  readonly all?: boolean;
  readonly ignore_case?: boolean;
  readonly limit?: number;
  readonly what?: ExtractKind;
  readonly unique?: boolean;
  readonly max_length?: number;
  readonly at?: "sentence" | "word" | "character";
  readonly ending?: string;
  readonly side?: "both" | "start" | "end";
  readonly steps?: readonly NormalizeStep[];
  readonly order?: "asc" | "desc";
  readonly numeric?: boolean;
  readonly encoding?: Encoding;
  readonly algorithm?: "sha256" | "sha512" | "sha1" | "md5";
  readonly locale?: string;
}

/** Result of an operation on a text: a text, a list, or counts. */
export interface TextResult {
  readonly result: unknown;
  /** Something was cut. */
  readonly truncated?: boolean;
  /** Number of replacements. */
  readonly replacements?: number;
}

/**
 * Runs one operation on a text; everything is bounded in size and time.
 *
 * @example
 * ```ts
 * await processText({ operation: "extract", text: "Write to a@example.com", what: "emails" });
 * // { result: ["a@example.com"] }
 * ```
 */
export async function processText(
  input: TextProcessInput,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<TextResult> {
  const { operation } = input;
  checkSizes(input);
  const text = operation === "join" ? "" : requireParameter(input.text, "text", operation).toWellFormed();
  const done = await textRuns[operation]({ text, input, clock });
  if (typeof done.result === "string" && done.result.length > dataLimits.out) {
    throw dataFailure("too_large", `the result would be larger than ${dataLimits.out} characters; work on less text`);
  }
  return done;
}

function checkSizes({ text, other, items }: TextProcessInput): void {
  const provided = {
    text: text?.length,
    other: other?.length,
    items: items?.reduce((sum, { length }) => sum + length, 0),
  };
  for (const [parameter, size] of Object.entries(provided)) {
    if (size === undefined || size <= dataLimits.textIn) continue;
    const message = `\`${parameter}\` has ${size} characters, at most ${dataLimits.textIn} are allowed; send a part`;
    throw dataFailure("too_large", message, { parameter });
  }
}
