/**
 * Text for people and models: YAML with positions, code frames, suggestions, display widths, cuts, fences.
 *
 * Belongs here: code that reads, cuts, compares or formats text and knows neither tools nor runs.
 *
 * Must stay true: texts may be hostile, so the work is bounded by the length of a text, a cut never splits a character,
 * and what is shown to people has no control characters. A `Problem` of a file always has a line and a column. Texts
 * for people come from one table per language, by code; nothing recognizes a text by its wording.
 *
 * Test: `npm run vitest -- run src/text`
 */

export * from "./canonical-url.ts";
export * from "./cut-json.ts";
export * from "./cut-text.ts";
export * from "./display-width.ts";
export * from "./fix-problem.ts";
export * from "./format-figures.ts";
export * from "./format-problem.ts";
export * from "./problem.ts";
export * from "./markdown.ts";
export * from "./pretty-print-json.ts";
export * from "./parse-yaml.ts";
export * from "./language-texts.ts";
export * from "./sentence-ends.ts";
export * from "./untrusted-text.ts";
export * from "./suggest.ts";
