import type * as Yaml from "yaml";
import { loadPackage } from "../base/index.ts";
import { locateInside } from "./locate-inside.ts";
import type { Position, Problem } from "./problem.ts";
import { type Found, type Report, type YamlNode, readYamlValue } from "./read-yaml-value.ts";

/** A path into a parsed file: `["parameters", 0, "name"]`. */
export type YamlPath = readonly (string | number)[];

/** What a YAML file holds, and where. */
export interface ParsedYaml {
  /**
   * Plain JSON data; undefined when the text could not be read at all. It is there beside errors such as a duplicate
   * key, so that a checker can report everything at once: look at `problems` before using it.
   */
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** Where a key or a value stands; the nearest place above it where the path leads nowhere. */
  readonly locate: (path: YamlPath, part?: "key" | "value") => Position;
  /**
   * Where a part of a text stands: `offset` and `length` count in the value, the position in the file, so quotes,
   * escapes and indentation are accounted for. The place of the whole value where the text cannot be followed.
   */
  readonly locateInside: (path: YamlPath, offset: number, length?: number) => Position;
}

/** What `parseYaml` takes besides the text. */
export interface ParseYamlOptions {
  /** Named in problems. */
  readonly file: string;
  /** Larger texts are refused unread. */
  readonly maxBytes?: number;
}

/** Deeper nesting is refused before anything recursive sees it. */
const maxDepth = 64;

/** A broken file repeats itself; this many problems tell enough. */
const maxProblems = 50;

/**
 * Reads YAML 1.2 (core schema) as plain JSON data with the place of everything in it. Aliases, anchors, tags of other
 * schemas, duplicate keys, keys that reach into prototypes, deep nesting and large files are refused. Never throws.
 *
 * @example
 * ```ts
 * const { value, problems, locate } = parseYaml("country: NO\n", { file: "a.yaml" });
 * // value: { country: "NO" }; locate(["country"], "value"): { line: 1, column: 10, length: 2 }
 * ```
 */
export function parseYaml(text: string, options: ParseYamlOptions): ParsedYaml {
  const { file, maxBytes = 65_536 } = options;
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) {
    const message = `the file has ${bytes} bytes, ${maxBytes} are allowed`;
    return unread([{ severity: "error", code: "too_large", message, file, line: 1, column: 1 }]);
  }
  return readDocument(text, file);
}

function readDocument(text: string, file: string): ParsedYaml {
  const { Composer, LineCounter, Parser } = loadPackage("yaml");
  const lines = new LineCounter();
  const tokens = [...new Parser().parse(text)];
  // Counted here: the parser tells of no new line inside of a text that it cannot read, nor of an empty last one.
  for (let start = 0; start !== -1; start = nextLine(text, start)) lines.addNewLine(start);
  const problems: Problem[] = [];
  const at = (start: number, end = start + 1): Position => {
    const { line, col } = lines.linePos(Math.min(Math.max(0, start), text.length));
    return { line, column: col, length: Math.max(1, end - start) };
  };
  const report = (severity: Problem["severity"], code: string, details: Found): void => {
    const { message, hint, range } = details;
    problems.push({ severity, code, message, file, ...(hint !== undefined && { hint }), ...at(range[0], range[1]) });
  };

  const tooDeep = firstBeyondDepth(tokens);
  if (tooDeep !== undefined) {
    const message = `the file nests deeper than ${maxDepth} levels`;
    report("error", "too_deep", { message, range: [tooDeep, tooDeep + 1] });
    return unread(problems);
  }
  const composer = new Composer({ version: "1.2", schema: "core", prettyErrors: false, strict: true, ...ownChecks });
  const [document, ...others] = composer.compose(tokens, true, text.length);
  if (document === undefined) return unread(problems);
  for (const other of others.slice(0, 1)) {
    const message = "a file holds one document; this one starts another";
    report("error", "several_documents", { message, range: [other.range[0], other.range[0] + 3] });
  }
  checkDirectives(document, report);
  const broken = [...document.errors, ...document.warnings];
  for (const error of broken) reportError(error, report);
  if (document.errors.length > 0) return unread(limited(problems));

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

/** Where the line after the one that starts here begins; -1 after the last. */
function nextLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? -1 : end + 1;
}

/** Keys are compared by `readYamlValue`: the library's own check is quadratic. */
const ownChecks = { uniqueKeys: false, stringKeys: true, merge: false } as const;

function reportError(error: Yaml.YAMLError, report: Report): void {
  const message = error.message.length > 200 ? `${error.message.slice(0, 200)}…` : error.message;
  if (error.code === "TAG_RESOLVE_FAILED") {
    const text = `tags of other schemas are not read: ${message}`;
    report("error", "unknown_tag", { message: text, hint: "remove the tag", range: error.pos });
    return;
  }
  const hint = hints[error.code];
  report("error", "yaml_syntax", { message, range: error.pos, ...(hint !== undefined && { hint }) });
}

const hints: Partial<Record<Yaml.ErrorCode, string>> = {
  TAB_AS_INDENT: "indent with spaces",
  NON_STRING_KEY: "a key is plain text",
  MISSING_CHAR: "is a `:` or a closing quote or bracket missing?",
  BLOCK_AS_IMPLICIT_KEY: "put quotes around a value that contains `: `",
};

/** `%YAML 1.1` would bring back `NO` as false, `%TAG` renames tags: neither is needed in a file of ours. */
function checkDirectives(document: Yaml.Document.Parsed, report: Report): void {
  const { yaml: version, tags } = document.directives;
  const renamed = Object.keys(tags).some((handle) => handle !== "!!");
  if (!renamed && (!version.explicit || version.version === "1.2")) return;
  const message = "directives other than %YAML 1.2 are not read";
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
  readonly at: (start: number, end?: number) => Position;
}

function locate({ document, at }: Source, path: YamlPath, part: "key" | "value" = "value"): Position {
  let node: YamlNode = document.contents;
  let range = node?.range;
  for (const [index, step] of path.entries()) {
    const found = stepInto(node, step);
    if (found === undefined) break;
    const wanted = index === path.length - 1 ? part : "value";
    // Items of a list have no key.
    range = (wanted === "key" ? found.key?.range : undefined) ?? rangeOfValue(found) ?? range;
    node = found.value;
  }
  return range ? at(range[0], range[1]) : at(0);
}

function nodeAt(document: Yaml.Document.Parsed, path: YamlPath): YamlNode {
  let node: YamlNode = document.contents;
  for (const step of path) node = stepInto(node, step)?.value;
  return node;
}

/** A key without a value (`entry:`) has an empty range for it: the key is the better place. */
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
  const kept = problems.slice(0, maxProblems);
  const last = kept.at(-1);
  return last ? [...kept, { ...last, code: "more_problems", message: `and ${more} more problems` }] : kept;
}

function unread(problems: readonly Problem[]): ParsedYaml {
  const [first] = problems;
  const locate = (): Position => ({ line: first?.line ?? 1, column: first?.column ?? 1 });
  return { value: undefined, problems, locate, locateInside: locate };
}
