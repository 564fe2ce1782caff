import type * as Yaml from "yaml";
import { inputLimits, loadPackage } from "../base/index.ts";
import { explainYamlSlip } from "./explain-yaml-slip.ts";
import { LineIndex, type SourceRange, type Problem } from "./problem.ts";
import { locateInside } from "./locate-inside.ts";
import { type YamlIssue, type ReportYamlIssue, type YamlNode, readYamlValue } from "./read-yaml-value.ts";

/** A path into a parsed file: `["parameters", 0, "name"]`. */
export type YamlPath = readonly (string | number)[];

/** Contents of a YAML file, with positions. */
export interface ParsedYaml {
  /**
   * Plain JSON data; undefined if the text could not be read at all. It is present despite errors such as a duplicate
   * key, so that a checker can report everything at once: check `problems` before using it.
   */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** Position of a key or a value; if the path does not exist, the position of its nearest existing parent. */
  readonly locate: (path: YamlPath, part?: "key" | "value") => SourceRange;
  /**
   * Position of a part of a text: `offset` and `length` count in the value, the position in the file, so quotes,
   * escapes and indentation are accounted for. The position of the whole value if the text cannot be mapped.
   */
  readonly locateInside: (path: YamlPath, offset: number, length?: number) => SourceRange;
}

/** Options of `parseYaml` besides the text. */
export interface ParseYamlOptions {
  /** Named in problems. */
  readonly file: string;
  /** Larger texts are refused without parsing. */
  readonly maxBytes?: number;
}

/** Deeper nesting is refused before any recursive function sees it. */
const { yamlDepth: maxDepth } = inputLimits;
const tooDeepMessage = `the file nests deeper than ${maxDepth} levels`;

/** Maximum number of problems: a broken file repeats itself. */
const maxProblems = 50;

/**
 * Parses YAML 1.2 (core schema) as plain JSON data with positions. Aliases, anchors, tags of other schemas,
 * duplicate keys, keys that reach into prototypes, deep nesting and large files are refused. Never throws.
 *
 * @example
 * ```ts
 * const { value, problems, locate } = parseYaml("country: NO\n", { file: "a.yaml" });
 * // value: { country: "NO" }; locate(["country"], "value"): { line: 1, column: 10, length: 2 }
 * ```
 */
export function parseYaml(text: string, { file, maxBytes = inputLimits.fileBytes }: ParseYamlOptions): ParsedYaml {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) {
    const message = `the file has ${bytes} bytes, ${maxBytes} are allowed`;
    return unread([{ severity: "error", code: "too_large", message, file, line: 1, column: 1 }]);
  }
  const known = parsedFiles.get(file)?.deref();
  if (known?.text === text) return known;
  const parsed = { ...readDocument(text, file), text };
  // Others get the same value.
  freeze(parsed.value);
  if (parsedFiles.size >= maxParsedFiles) parsedFiles.clear();
  parsedFiles.set(file, new WeakRef(parsed));
  return parsed;
}

/** The last text of each file: files are read for several purposes in a row, such as trust, checks and loading. */
const parsedFiles = new Map<string, WeakRef<ParsedYaml & { readonly text: string }>>();
const maxParsedFiles = 1000;

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const item of Object.values(value)) freeze(item);
}

function readDocument(text: string, file: string): ParsedYaml {
  const { Composer } = loadPackage("yaml");
  // Not the parser's own: it has no line breaks inside a text that cannot be read, nor an empty last line.
  const lines = new LineIndex(text);
  const tokens: Yaml.CST.Token[] = [];
  const excess = readTokens(text, tokens);
  const problems: Problem[] = [];
  const at = (start: number, end?: number): SourceRange => lines.at(start, end);
  const report = (severity: Problem["severity"], code: string, { message, hint, range }: YamlIssue): void => {
    problems.push({ severity, code, message, file, ...(hint !== undefined && { hint }), ...at(range[0], range[1]) });
  };

  if (excess !== undefined) {
    report("error", excess.code, excess);
    return unread(problems);
  }
  const tooDeep = firstBeyondDepth(tokens);
  if (tooDeep !== undefined) {
    report("error", "too_deep", { message: tooDeepMessage, range: [tooDeep, tooDeep + 1] });
    return unread(problems);
  }
  const composer = new Composer({ version: "1.2", schema: "core", prettyErrors: false, strict: true, ...ownChecks });
  const [document, ...others] = composer.compose(tokens, true, text.length);
  if (document === undefined) return unread(problems);
  for (const other of others.slice(0, 1)) {
    const message = "a file contains one document; this one starts another";
    report("error", "several_documents", { message, range: [other.range[0], other.range[0] + 3] });
  }
  checkDirectives(document, report);
  for (const warning of document.warnings) reportError(warning, report);
  const [error] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (error !== undefined) {
    // Only the first: the others are its consequences more often than not.
    const { line, column } = at(error.pos[0]);
    const slip = explainYamlSlip(text, { code: error.code, message: error.message, line, column });
    if (slip === undefined) reportError(error, report);
    else problems.push({ severity: "error", code: "yaml_syntax", file, ...slip });
    return unread(limited(problems));
  }

  const value = readYamlValue(document.contents, loadPackage("yaml"), report);
  const source: Source = { document, at };
  return {
    value,
    problems: limited(problems),
    locate: (path, part) => locate(source, path, part),
    locateInside: (path, offset, length = 1) => {
      const node = nodeAt(document, path);
      const found = loadPackage("yaml").isScalar(node) && locateInside(node, text, { offset, length });
      return found ? at(found.start, found.end) : locate(source, path);
    },
  };
}

/** Lexemes that begin a key or an item, with their part in the nesting of brackets. */
const marks: ReadonlyMap<string, number> = new Map([
  [":", 0],
  ["-", 0],
  [",", 0],
  ["?", 0],
  ["[", 1],
  ["{", 1],
  ["]", -1],
  ["}", -1],
]);

/** Why a file was not read to its end. */
interface Excess extends YamlIssue {
  readonly code: "too_many_keys" | "too_deep";
}

/** Reads the tokens of a file, and stops at the first key, item, bracket, anchor or alias beyond the limits. */
function readTokens(text: string, tokens: Yaml.CST.Token[]): Excess | undefined {
  const { Lexer, Parser } = loadPackage("yaml");
  const parser = new Parser();
  const counts = new KeyCounter();
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const excess = counts.add(lexeme);
    if (excess !== undefined) return { ...excess, range: [offset, offset + lexeme.length] };
    offset += lexeme.length;
    for (const token of parser.next(lexeme)) tokens.push(token);
  }
  for (const token of parser.end()) tokens.push(token);
  return undefined;
}

class KeyCounter {
  #keys = 0;
  #anchors = 0;
  /** Open brackets. */
  #depth = 0;

  add(lexeme: string): Omit<Excess, "range"> | undefined {
    const nesting = marks.get(lexeme);
    if (nesting === undefined) return this.#addAnchor(lexeme);
    this.#depth += nesting;
    if (this.#depth > maxDepth) return { code: "too_deep", message: tooDeepMessage };
    // A pair of brackets is part of its key; one that closes nothing counts like a key.
    if (nesting === 0 || this.#depth < 0) this.#keys++;
    const { yamlKeys } = inputLimits;
    if (this.#keys <= yamlKeys) return undefined;
    return { code: "too_many_keys", message: `the file has more than ${yamlKeys} keys and items`, hint: "split it" };
  }

  #addAnchor(lexeme: string): Omit<Excess, "range"> | undefined {
    const { yamlAnchors } = inputLimits;
    if ((!lexeme.startsWith("&") && !lexeme.startsWith("*")) || ++this.#anchors <= yamlAnchors) return undefined;
    const message = `the file has more than ${yamlAnchors} anchors and aliases`;
    return { code: "too_many_keys", message, hint: "write the values themselves" };
  }
}

/** Keys are compared by `readYamlValue`: the library's own check is quadratic. */
const ownChecks = { uniqueKeys: false, stringKeys: true, merge: false } as const;

function reportError(error: Yaml.YAMLError, report: ReportYamlIssue): void {
  const message = error.message.length > 200 ? `${error.message.slice(0, 200)}…` : error.message;
  if (error.code === "TAG_RESOLVE_FAILED") {
    const text = `tags of other schemas are not supported: ${message}`;
    report("error", "unknown_tag", { message: text, hint: "remove the tag", range: error.pos });
    return;
  }
  const hint = hints[error.code];
  report("error", "yaml_syntax", { message, range: error.pos, ...(hint !== undefined && { hint }) });
}

const hints: Partial<Record<Yaml.ErrorCode, string>> = {
  TAB_AS_INDENT: "indent with spaces",
  NON_STRING_KEY: "a key is plain text; put quotes around a value that starts with a brace",
  MISSING_CHAR: "is a `:` or a closing quote or bracket missing?",
  BLOCK_AS_IMPLICIT_KEY: "put quotes around a value that contains `: `",
};

/** `%YAML 1.1` would parse `NO` as false, `%TAG` renames tags: no workspace file needs either. */
function checkDirectives(document: Yaml.Document.Parsed, report: ReportYamlIssue): void {
  const { yaml: version, tags } = document.directives;
  const renamed = Object.keys(tags).some((handle) => handle !== "!!");
  if (!renamed && (!version.explicit || version.version === "1.2")) return;
  const message = "directives other than %YAML 1.2 are not supported";
  report("error", "yaml_directive", { message, hint: "remove the line that starts with %", range: [0, 1] });
}

/** Walks without recursion: the tree may be as deep as the text is long. */
function firstBeyondDepth(tokens: readonly Yaml.CST.Token[]): number | undefined {
  const open: { token: Yaml.CST.Token; depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (depth > maxDepth) return token.offset;
    if (token.type === "document" && token.value) open.push({ token: token.value, depth });
    if (!("items" in token)) continue;
    for (const { key, value } of token.items) {
      if (key) open.push({ token: key, depth: depth + 1 });
      if (value) open.push({ token: value, depth: depth + 1 });
    }
  }
  return undefined;
}

interface Source {
  readonly document: Yaml.Document.Parsed;
  readonly at: (start: number, end?: number) => SourceRange;
}

function locate({ document, at }: Source, path: YamlPath, part: "key" | "value" = "value"): SourceRange {
  let node: YamlNode = document.contents;
  let range = node?.range;
  for (const [index, step] of path.entries()) {
    const found = stepInto(node, step);
    if (found === undefined) break;
    const target = index === path.length - 1 ? part : "value";
    // Items of a list have no key.
    range = (target === "key" ? found.key?.range : undefined) ?? rangeOfValue(found) ?? range;
    node = found.value;
  }
  return range ? at(range[0], range[1]) : at(0);
}

function nodeAt(document: Yaml.Document.Parsed, path: YamlPath): YamlNode {
  let node: YamlNode = document.contents;
  for (const step of path) node = stepInto(node, step)?.value;
  return node;
}

/** A key without a value (`entry:`) has an empty range for it: the key is the better position. */
function rangeOfValue({ key, value }: Step): Yaml.Range | null | undefined {
  const range = value?.range;
  return range && range[0] !== range[1] ? range : (key?.range ?? range);
}

interface Step {
  readonly key?: YamlNode;
  readonly value: YamlNode;
}

function stepInto(node: YamlNode, step: string | number): Step | undefined {
  const { isMap, isScalar, isSeq } = loadPackage("yaml");
  if (isSeq(node) && typeof step === "number") {
    if (step >= node.items.length) return undefined;
    return { value: node.items[step] as YamlNode };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  return pair && { key: pair.key as YamlNode, value: pair.value as YamlNode };
}

function limited(found: readonly Problem[]): Problem[] {
  const problems = found.toSorted((a, b) => a.line - b.line || a.column - b.column);
  if (problems.length <= maxProblems) return problems;
  const more = problems.length - maxProblems;
  const retained = problems.slice(0, maxProblems);
  const last = retained.at(-1);
  return last ? [...retained, { ...last, code: "more_problems", message: `and ${more} more problems` }] : retained;
}

function unread(problems: readonly Problem[]): ParsedYaml {
  const [first] = problems;
  const locate = (): SourceRange => ({ line: first?.line ?? 1, column: first?.column ?? 1 });
  return { value: undefined, problems, locate, locateInside: locate };
}
