import { type Operation, toOperations } from "../operation.ts";

/** The result of each operation, and the parameters that it takes. */
const operations = {
  upper: ["all letters in upper case", "locale"],
  lower: ["all letters in lower case", "locale"],
  capitalize: ["the first letter in upper case", "locale"],
  title_case: ["Every Word Capitalized", "locale"],
  camel_case: ["camelCase", "locale"],
  pascal_case: ["PascalCase", "locale"],
  snake_case: ["snake_case", "locale"],
  kebab_case: ["kebab-case", "locale"],
  trim: ["without blanks at its ends", "side"],
  reverse: ["its characters in reverse order"],
  split: ["list of its parts, at a separator or a pattern", "separator", "pattern", "ignore_case", "limit"],
  join: ["the texts of `items` as one", "items", "separator"],
  replace: ["with `find` or `pattern` replaced", "find", "pattern", "replacement", "all", "ignore_case"],
  extract: ["list of what it contains, by kind or pattern", "what", "pattern", "ignore_case", "unique"],
  count: ["{ characters, words, lines, sentences, bytes }; words of Chinese are its characters"],
  truncate: ["cut to max_length characters", "max_length", "at", "ending"],
  normalize: ["made uniform", "steps"],
  dedupe_lines: ["every line once", "ignore_case"],
  sort_lines: ["lines in order", "order", "numeric", "ignore_case", "locale"],
  diff: ["line by line difference to `other`", "other"],
  encode: ["written in an encoding", "encoding"],
  decode: ["read from an encoding", "encoding"],
  hash: ["hex digest of its UTF-8 bytes", "algorithm"],
} as const;

/** The name of one operation of `text_process`. */
export type TextOperationName = keyof typeof operations;

/** Every operation of `text_process`. Its schema is generated from this table. */
export const textOperations: Readonly<Record<TextOperationName, Operation>> = toOperations(operations);
