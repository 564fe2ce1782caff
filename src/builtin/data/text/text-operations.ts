import { type Operation, operation } from "../operation.ts";

/** The name of one operation of `text_process`. */
export type TextOperationName =
  | "upper"
  | "lower"
  | "capitalize"
  | "title_case"
  | "camel_case"
  | "pascal_case"
  | "snake_case"
  | "kebab_case"
  | "trim"
  | "reverse"
  | "split"
  | "join"
  | "replace"
  | "extract"
  | "count"
  | "truncate"
  | "normalize"
  | "dedupe_lines"
  | "sort_lines"
  | "diff"
  | "encode"
  | "decode"
  | "hash";

/** Every operation of `text_process`. Its schema is generated from this table. */
export const textOperations: Readonly<Record<TextOperationName, Operation>> = {
  upper: operation("all letters in upper case", "locale"),
  lower: operation("all letters in lower case", "locale"),
  capitalize: operation("the first letter in upper case", "locale"),
  title_case: operation("Every Word Capitalized", "locale"),
  camel_case: operation("camelCase", "locale"),
  pascal_case: operation("PascalCase", "locale"),
  snake_case: operation("snake_case", "locale"),
  kebab_case: operation("kebab-case", "locale"),
  trim: operation("without blanks at its ends", "side"),
  reverse: operation("its characters in reverse order"),
  split: operation("list of its parts, at a separator or a pattern", "separator", "pattern", "ignore_case", "limit"),
  join: operation("the texts of `items` as one", "items", "separator"),
  replace: operation("with `find` or `pattern` replaced", "find", "pattern", "replacement", "all", "ignore_case"),
  extract: operation("list of what it contains, by kind or pattern", "what", "pattern", "ignore_case", "unique"),
  count: operation("{ characters, words, lines, sentences, bytes }; words of Chinese are its characters"),
  truncate: operation("cut to max_length characters", "max_length", "at", "ending"),
  normalize: operation("made uniform", "steps"),
  dedupe_lines: operation("every line once", "ignore_case"),
  sort_lines: operation("lines in order", "order", "numeric", "ignore_case", "locale"),
  diff: operation("line by line difference to `other`", "other"),
  encode: operation("written in an encoding", "encoding"),
  decode: operation("read from an encoding", "encoding"),
  hash: operation("hex digest of its UTF-8 bytes", "algorithm"),
};
