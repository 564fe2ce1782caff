/** Every operation of `text_process` and what it gives. Its schema is made from this table. */
export const textOperations = {
  upper: "all letters in upper case",
  lower: "all letters in lower case",
  capitalize: "the first letter in upper case",
  title_case: "Every Word Capitalised",
  camel_case: "camelCase",
  pascal_case: "PascalCase",
  snake_case: "snake_case",
  kebab_case: "kebab-case",
  trim: "without blanks at its ends (side)",
  reverse: "its characters in reverse order",
  split: "list of its parts (separator or pattern, limit)",
  join: "the texts of `items` as one (items, separator)",
  replace: "with `find` or `pattern` replaced (replacement, all, ignore_case)",
  extract: "list of what it contains (what, or pattern; unique)",
  count: "{ characters, words, lines, sentences, bytes }; words of Chinese are its characters",
  truncate: "cut to max_length characters (at, ending)",
  normalize: "made uniform (steps)",
  dedupe_lines: "every line once (ignore_case)",
  sort_lines: "lines in order (order, numeric, ignore_case, locale)",
  diff: "line by line difference to `other`",
  encode: "written in an encoding (encoding)",
  decode: "read from an encoding (encoding)",
  hash: "hex digest of its UTF-8 bytes (algorithm)",
} as const;

/** The name of one operation of `text_process`. */
export type TextOperationName = keyof typeof textOperations;
