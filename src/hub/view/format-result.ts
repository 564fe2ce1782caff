import { isRecord } from "../../schema/index.ts";
import { type CutText, cutJson, cutText, stripUnsafe } from "../../text/index.ts";
import type { ToolInfo, ToolResult } from "../../tool/index.ts";
import { formatHistory } from "./format-history.ts";
import { formatSearch } from "./format-search.ts";
import { type ResultKind, resultKind } from "./result-kind.ts";

/** How much of a result is shown, in characters, by its kind. */
export interface FormatLimits extends Readonly<Record<ResultKind, number>> {
  /** How many results of a search. */
  readonly searchResults: number;
}

/** What is shown where nothing else is set. */
export const formatDefaults: FormatLimits = {
  calculate: 100,
  time: 200,
  search: 500,
  searchResults: 3,
  history: 1000,
  other: 500,
};

/**
 * A result as a short text: what its kind is asked for, cut at the end of a sentence, and never inside of a character, a
 * word or a JSON value. A failure is told in the words meant for a model.
 *
 * @example
 * ```ts
 * formatResult(await engine.call("calculator", { expression: "6*7" }), "calculate"); // { text: "42", cut: false }
 * ```
 */
export function formatResult(
  result: ToolResult,
  of: ResultKind | Pick<ToolInfo, "name" | "aliases" | "capabilities">,
  limits: Partial<FormatLimits> = {},
): CutText {
  const kind = typeof of === "string" ? of : resultKind(of);
  const { searchResults, ...lengths } = { ...formatDefaults, ...limits };
  const most = lengths[kind];
  if (!result.success) return cutText(stripUnsafe(result.error.forModel), most);
  const { output } = result;
  const own =
    kind === "search"
      ? formatSearch(output, searchResults, most)
      : kind === "history"
        ? formatHistory(output, most)
        : undefined;
  return own ?? formatValue(kind === "calculate" || kind === "time" ? answerIn(output) : output, most);
}

/** Any value: text as it is, anything else as JSON. */
export function formatValue(value: unknown, most: number): CutText {
  if (typeof value === "string") return cutText(stripUnsafe(value), most);
  const { text, cut } = cutJson(value, Math.max(3, most));
  return { text: stripUnsafe(text), cut };
}

/** Where tools of calculation and time put the answer itself. */
const answerKeys = ["result", "formatted", "human", "iso", "time", "value"];

/** The answer of an output, without what is said beside it. */
function answerIn(output: unknown): unknown {
  if (!isRecord(output)) return output;
  const key = answerKeys.find((name) => Object.hasOwn(output, name) && typeof output[name] !== "object");
  return key === undefined ? output : output[key];
}
