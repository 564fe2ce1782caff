import { type Clock, systemClock, nodeCrypto } from "../../base/index.ts";
import { cutText, graphemes, quoteText } from "../../text/index.ts";
import { lineDiff } from "../files/line-diff.ts";
import { dataFailure, requireParameter } from "./data-reasons.ts";
import { dataLimits, OutputBudget } from "./data-limits.ts";
import { type Encoding, decodeEncodedText, encodeAs } from "./text/encode-text.ts";
import { type ExtractKind, extractItems } from "./text/extract-items.ts";
import { type NormalizeStep, normalizeText } from "./text/normalize-text.ts";
import type { TextOperationName } from "./text/text-operations.ts";
import { countText } from "./text/count-text.ts";
import { findAll } from "./text/linear-pattern.ts";
import { replaceText } from "./text/replace-text.ts";

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

/** A text and the operation on it. */
interface TextWork {
  readonly text: string;
  readonly input: TextProcessInput;
  readonly clock: Clock;
}

/** Does an operation. */
type TextRun = (work: TextWork) => TextResult | Promise<TextResult>;

/** Implementation of each operation. */
const textRuns: Readonly<Record<TextOperationName, TextRun>> = {
  upper: inCase("upper"),
  lower: inCase("lower"),
  capitalize: inCase("capitalize"),
  title_case: inCase("title_case"),
  camel_case: inCase("camel_case"),
  pascal_case: inCase("pascal_case"),
  snake_case: inCase("snake_case"),
  kebab_case: inCase("kebab_case"),
  trim,
  reverse: ({ text }) => ({ result: [...graphemes(text)].toReversed().join("") }),
  split,
  join,
  replace,
  extract,
  count: ({ text }) => ({ result: countText(text) }),
  truncate,
  normalize: ({ text, input: { steps } }) => ({ result: normalizeText(text, steps) }),
  dedupe_lines: ({ text, input: { ignore_case = false } }) => ({
    result: dedupeLines(linesOf(text), ignore_case).join("\n"),
  }),
  sort_lines: sort,
  diff,
  encode: ({ text, input: { encoding } }) => ({
    result: encodeAs(text, requireParameter(encoding, "encoding", "encode")),
  }),
  decode: async ({ text, input: { encoding } }) => ({
    result: await decodeEncodedText(text, requireParameter(encoding, "encoding", "decode")),
  }),
  hash: ({ text, input: { algorithm = "sha256" } }) => ({
    result: nodeCrypto().createHash(algorithm).update(text).digest("hex"),
  }),
};

function inCase(to: LetterCase): TextRun {
  return ({ text, input }) => ({ result: changeCase(text, to, localeOf(input)) });
}

function localeOf({ locale = "en" }: TextProcessInput): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? "en";
  } catch (error) {
    const message = `${quoteText(locale)} is not a language tag; send one such as "en", "zh" or "tr"`;
    throw dataFailure("bad_parameter", message, { parameter: "locale", cause: error });
  }
}

function trim({ text, input: { side = "both" } }: TextWork): TextResult {
  if (side === "start") return { result: text.trimStart() };
  return { result: side === "end" ? text.trimEnd() : text.trim() };
}

function split({ text, input, clock }: TextWork): TextResult {
  const { separator, pattern, limit = dataLimits.items, ignore_case: ignoreCase = false } = input;
  const max = Math.min(limit, dataLimits.items);
  notBoth({ separator, pattern });
  if (pattern === undefined) return listOf(partsAt(text, separator ?? "\n"), max);
  return listOf(partsBetween(text, findAll({ pattern, ignoreCase }, text, clock)), max);
}

/** Refuses two parameters with the same purpose: one of them would be ignored. */
function notBoth(ways: Readonly<Record<string, string | undefined>>): void {
  const [first, second] = Object.keys(ways).filter((way) => ways[way] !== undefined);
  if (first === undefined || second === undefined) return;
  throw dataFailure("bad_parameter", `send \`${first}\` or \`${second}\`, not both`, { parameter: second });
}

function* partsAt(text: string, separator: string): Generator<string, void, undefined> {
  if (separator === "") return yield* graphemes(text);
  let done = 0;
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, done)) {
    yield text.slice(done, at);
    done = at + separator.length;
  }
  yield text.slice(done);
}

function* partsBetween(
  text: string,
  positions: Iterable<{ readonly at: number; readonly end: number }>,
): Generator<string, void, undefined> {
  let done = 0;
  for (const { at, end } of positions) {
    // An empty match separates characters, but not before the first and after the last.
    if (end === at && (at === 0 || at === text.length)) continue;
    yield text.slice(done, at);
    done = end;
  }
  yield text.slice(done);
}

/** Returns a list of at most `max` items, marked if there were more. */
function listOf(items: Iterable<unknown>, max: number): TextResult {
  const result: unknown[] = [];
  for (const item of items) {
    if (result.length >= max) return { result, truncated: true };
    result.push(item);
  }
  return { result };
}

function join({ input: { items, separator = "\n" } }: TextWork): TextResult {
  const parts = requireParameter(items, "items", "join");
  const budget = new OutputBudget();
  for (const part of parts) budget.spend(part.length + separator.length);
  return { result: parts.join(separator) };
}

function replace({ text, input, clock }: TextWork): TextResult {
  const { find, pattern, replacement, all = true, ignore_case: ignoreCase = false } = input;
  if (find === "")
    throw dataFailure("bad_parameter", "`find` is empty; specify what to replace", { parameter: "find" });
  notBoth({ find, pattern });
  if (pattern === undefined) requireParameter(find, "find", "replace");
  const by = requireParameter(replacement, "replacement", "replace");
  const done = replaceText(text, { find, pattern, replacement: by, all, ignoreCase }, clock);
  return { result: done.text, replacements: done.replacements };
}

function extract({ text, input, clock }: TextWork): TextResult {
  const { what, pattern, unique = false, ignore_case: ignoreCase = false } = input;
  notBoth({ what, pattern });
  const found =
    pattern === undefined
      ? extractItems(text, requireParameter(what, "what", "extract"))
      : matches(text, findAll({ pattern, ignoreCase }, text, clock));
  return listOf(unique ? once(found) : found, dataLimits.items);
}

/** Returns the first group of a match if the pattern has one, else all of it. */
function* matches(text: string, positions: ReturnType<typeof findAll>): Generator<string, void, undefined> {
  for (const { at, end, group, groups } of positions) yield groups > 0 ? (group(1) ?? "") : text.slice(at, end);
}

function* once(items: Iterable<unknown>): Generator<unknown, void, undefined> {
  const seen = new Set<string>();
  for (const item of items) {
    const key = JSON.stringify(item);
    if (seen.has(key)) continue;
    seen.add(key);
    yield item;
  }
}

function truncate({ text, input: { max_length, at, ending } }: TextWork): TextResult {
  const done = cutText(text, requireParameter(max_length, "max_length", "truncate"), {
    at,
    ending,
    count: "characters",
  });
  return { result: done.text, ...(done.cut && { truncated: true }) };
}

function sort({ text, input }: TextWork): TextResult {
  const { order = "asc", numeric = false, ignore_case: ignoreCase = false } = input;
  return { result: sortLines(linesOf(text), { order, numeric, ignoreCase, locale: localeOf(input) }).join("\n") };
}

function diff({ text, input: { other } }: TextWork): TextResult {
  const { diff, truncated } = lineDiff(text, requireParameter(other, "other", "diff"));
  return { result: diff, ...(truncated && { truncated }) };
}

/** Returns a text's lines without their ends. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|[\r\n]/);
  // The text after the last line end is not a line.
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Returns every line once, at its first occurrence; blank lines are not duplicates of each other. */
function dedupeLines(lines: readonly string[], ignoreCase: boolean): string[] {
  const seen = new Set<string>();
  return lines.filter((line) => {
    const key = ignoreCase ? line.trim().toLowerCase() : line.trim();
    if (key === "") return true;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Options of {@link sortLines}. */
interface SortLinesOptions {
  readonly order: "asc" | "desc";
  /** `a2` comes before `a10`. */
  readonly numeric: boolean;
  readonly ignoreCase: boolean;
  readonly locale: string;
}

/** Sorts lines in the order of a language; equal lines keep their order. */
function sortLines(lines: readonly string[], { order, numeric, ignoreCase, locale }: SortLinesOptions): string[] {
  const collator = new Intl.Collator(locale, { numeric, sensitivity: ignoreCase ? "accent" : "variant" });
  const sign = order === "desc" ? -1 : 1;
  return lines.toSorted((a, b) => sign * collator.compare(a, b));
}

/** Letter cases. */
type LetterCase =
  | "upper"
  | "lower"
  | "capitalize"
  | "title_case"
  | "camel_case"
  | "pascal_case"
  | "snake_case"
  | "kebab_case";

/** Converts a text to another case; scripts without case are unchanged. */
function changeCase(text: string, to: LetterCase, locale: string = "en"): string {
  const upper = (part: string): string => part.toLocaleUpperCase(locale);
  const lower = (part: string): string => part.toLocaleLowerCase(locale);
  const capital = (word: string): string => {
    const [first = ""] = word;
    return upper(first) + lower(word.slice(first.length));
  };
  switch (to) {
    case "upper":
      return upper(text);
    case "lower":
      return lower(text);
    case "capitalize":
      return text.replace(/\p{L}/u, upper);
    case "title_case":
      return text.replaceAll(/\p{L}[\p{L}\p{M}\p{N}'’]*/gu, capital);
    case "camel_case":
      return splitCaseWords(text)
        .map((word, at) => (at === 0 ? lower(word) : capital(word)))
        .join("");
    case "pascal_case":
      return splitCaseWords(text).map(capital).join("");
    case "snake_case":
      return splitCaseWords(text).map(lower).join("_");
    case "kebab_case":
      return splitCaseWords(text).map(lower).join("-");
  }
}

/** Splits `parseHTTPRequest2` into parse, HTTP, Request2. */
function splitCaseWords(text: string): string[] {
  const apart = text.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " ").replaceAll(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ");
  return apart.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}
