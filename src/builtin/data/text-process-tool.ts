import { type Tool, defineTool } from "../../tool/index.ts";
import { dataLimits } from "./data-limits.ts";
import { describeOperations, refuseUnused, operationSchema } from "./operation.ts";
import type { TextProcessInput, TextResult } from "./process-text.ts";
import { encodings } from "./text/encode-text.ts";
import { extractKinds } from "./text/extract-items.ts";
import { normalizeSteps } from "./text/normalize-text.ts";
import { type TextOperationName, textOperations } from "./text/text-operations.ts";

/** Output of `text_process`. */
type TextProcessOutput = TextResult & { readonly operation: TextOperationName };

const flag = (description: string): Record<string, unknown> => ({ type: "boolean", description });
const text = (description: string): Record<string, unknown> => ({ type: "string", description });

const properties = {
  operation: {
    type: "string",
    enum: Object.keys(textOperations),
    description: describeOperations(textOperations),
  },
  text: text(`The text to work on, at most ${dataLimits.textIn} characters; every operation but join needs it.`),
  items: { type: "array", items: { type: "string" }, maxItems: 100_000, description: "join: the texts to join." },
  other: text("diff: the newer text."),
  separator: text("split, join: the separator between the parts; empty for single characters. Default: a line end."),
  find: text("replace: the text to replace, taken literally."),
  pattern: text(
    "split, replace, extract: a regular expression (RE2: no backreferences, no lookaround; (?m) lets ^ and $ match at " +
      "lines). extract returns its first group if it has one.",
  ),
  replacement: text("replace: the replacement; after a pattern $1, $<name> and $& stand for groups and the match."),
  all: { ...flag("replace: every occurrence, not only the first."), default: true },
  ignore_case: { ...flag("replace, split, extract, dedupe_lines, sort_lines: ignore case."), default: false },
  limit: {
    type: "integer",
    minimum: 1,
    description: "split: maximum number of parts; the rest is omitted and marked.",
  },
  what: {
    type: "string",
    enum: extractKinds,
    description:
      "extract: what to find. dates returns { text, date } with the date as YYYY-MM-DD if it is unambiguous.",
  },
  unique: { ...flag("extract: return equal findings once."), default: false },
  max_length: { type: "integer", minimum: 1, description: "truncate: characters as people see them." },
  at: {
    type: "string",
    enum: ["sentence", "word", "character"],
    default: "sentence",
    description: "truncate: where to cut, if possible.",
  },
  ending: { ...text("truncate: appended to a text that was not cut at the end of a sentence."), default: "…" },
  side: { type: "string", enum: ["both", "start", "end"], default: "both", description: "trim: at which end." },
  steps: {
    type: "array",
    items: { type: "string", enum: normalizeSteps },
    description:
      "normalize: the steps, in this order. Default: nfc, line_ends, invisible (removes invisible characters), whitespace. " +
      "half_width converts full-width letters and digits and keeps Chinese punctuation.",
  },
  order: { type: "string", enum: ["asc", "desc"], default: "asc", description: "sort_lines: ascending or descending." },
  numeric: { ...flag("sort_lines: a2 before a10."), default: false },
  encoding: { type: "string", enum: encodings, description: "encode, decode: html are entities, url is %XX." },
  algorithm: {
    type: "string",
    enum: ["sha256", "sha512", "sha1", "md5"],
    default: "sha256",
    description: "hash: which one.",
  },
  locale: text('Case changes, sort_lines: the language whose rules apply, such as "zh" (pinyin) or "tr". Default: en.'),
};

/** The tool `text_process`: one operation on a text. */
export const textProcessTool: Tool<TextProcessInput, TextProcessInput, TextProcessOutput> = defineTool({
  name: "text_process",
  description:
    "Performs one exact operation on a text and returns { operation, result }: change case, trim, split, join, replace, " +
    "extract emails, urls, numbers or dates, count characters, words and sentences (Chinese too), truncate, normalize, " +
    "sort or dedupe lines, diff, encode, decode, hash. Use it instead of counting or transforming text yourself. For " +
    "JSON and CSV use json_process.",
  displayName: "Text processing",
  category: "data",
  tags: ["text", "string"],
  capabilities: ["text", "extract", "count", "文本", "提取", "统计"],
  effect: "pure",
  timeoutMs: 10_000,
  input: operationSchema<TextProcessInput>(
    {
      type: "object",
      properties,
      required: ["operation"],
      additionalProperties: false,
      examples: [
        { operation: "count", text: "Hello 世界。" },
        { operation: "extract", text: "Write to ann@example.com or bob@example.com.", what: "emails" },
        { operation: "replace", text: "2024-05-01", pattern: "(\\d+)-(\\d+)-(\\d+)", replacement: "$3.$2.$1" },
        { operation: "truncate", text: "It rained all day. So we stayed at home and read.", max_length: 30 },
      ],
    },
    Object.keys(textOperations),
  ),
  output: {
    type: "object",
    properties: {
      operation: { type: "string" },
      result: { description: "A text, a list or counts, depending on the operation." },
      truncated: { type: "boolean", description: "Something was cut." },
      replacements: { type: "integer", description: "Number of replacements." },
    },
    required: ["operation", "result"],
  },
  run: async (args, { signal }) => {
    const { takes } = textOperations[args.operation];
    refuseUnused(args, {
      operation: args.operation,
      takes,
      always: args.operation === "join" ? [] : ["text"],
      properties,
    });
    const { dataThread } = await import("./data-thread.ts");
    return { operation: args.operation, ...(await dataThread.do({ text: args }, signal)) };
  },
});
