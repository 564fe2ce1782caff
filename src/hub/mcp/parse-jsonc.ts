import type { JSONVisitor, Node, ParseErrorCode } from "jsonc-parser";
import { inputLimits, loadPackage } from "../../base/index.ts";
import { LineIndex, type ParsedYaml, type Problem, type SourceRange, type YamlPath } from "../../text/index.ts";

/** A value of a JSON text, or a member of an object, which has its key and its value as children. */
export type JsoncNode = Node;

/** Value of a JSON text, with positions. */
export interface ParsedJsonc extends ParsedYaml {
  /** Undefined if the text could not be parsed. */
  readonly root: JsoncNode | undefined;
}

const maxBytes = 1_048_576;
const { yamlKeys: maxKeys, yamlDepth: maxDepth } = inputLimits;
const options = { allowTrailingComma: true };

/**
 * Parses JSON with comments and trailing commas, as editors write it, with the position of every value. Never throws:
 * errors are in `problems`.
 *
 * @example
 * ```ts
 * const { value, locate } = parseJsonc('{ "a": 1, } // one', { file: "mcp.json" });
 * // value: { a: 1 }; locate(["a"]): { line: 1, column: 8, length: 1 }
 * ```
 */
export function parseJsonc(text: string, { file }: { readonly file: string }): ParsedJsonc {
  const { findNodeAtLocation, getNodeValue, parseTree } = loadPackage("jsonc-parser");
  // A byte order mark is not part of the text.
  const json = text.replace(/^\ufeff/, " ");
  const lines = new LineIndex(text);
  const fault = findFault(json);
  const root = fault === undefined ? parseTree(json, [], options) : undefined;
  const faults = fault === undefined ? duplicateKeys(root) : [fault];
  const problems = faults.map(({ code, message, hint, start, end }): Problem => ({
    severity: "error",
    code,
    message,
    ...(hint !== undefined && { hint }),
    file,
    ...lines.at(start, end),
  }));
  const rangeOf = (node: JsoncNode | undefined): SourceRange =>
    node === undefined ? lines.at(0) : lines.at(node.offset, node.offset + node.length);
  const nodeAt = (path: YamlPath): JsoncNode | undefined => (root && findNodeAtLocation(root, [...path])) ?? undefined;
  const nearest = (path: YamlPath): JsoncNode | undefined =>
    path.length === 0 ? root : (nodeAt(path) ?? nearest(path.slice(0, -1)));
  return {
    root,
    // The parser's types have no value.
    value: root && (getNodeValue(root) as unknown),
    problems,
    locate: (path, part = "value") =>
      rangeOf((part === "key" ? nodeAt(path)?.parent?.children?.[0] : undefined) ?? nearest(path)),
    locateInside: (path, offset, length = 1) => {
      const node = nearest(path);
      // Without escapes, the string is in the file as it is, between quotes.
      const isPlain = typeof node?.value === "string" && node.length === node.value.length + 2;
      const start = (node?.offset ?? 0) + 1 + offset;
      return isPlain ? lines.at(start, start + length) : rangeOf(node);
    },
  };
}

class Fault extends Error {
  readonly code: "json_syntax" | "too_large" | "too_many_keys" | "duplicate_key";
  readonly start: number;
  readonly end: number | undefined;
  readonly hint: string | undefined;

  constructor(message: string, start: number, { code = "json_syntax", end, hint }: Partial<Omit<Fault, "start">> = {}) {
    super(message);
    this.code = code;
    this.start = start;
    this.end = end;
    this.hint = hint;
  }
}

/** The first error of a text: the others are its consequences more often than not. */
function findFault(text: string): Fault | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) {
    return new Fault(`the file has ${bytes} bytes, ${maxBytes} are allowed`, 0, { code: "too_large" });
  }
  try {
    loadPackage("jsonc-parser").visit(text, new Checker(text).visitor(), options);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function duplicateKeys(root: JsoncNode | undefined): Fault[] {
  const keys = new Set<unknown>();
  return (root?.children ?? []).flatMap((child) => {
    const [key, value = child] = child.type === "property" ? (child.children ?? []) : [];
    const isDuplicate = key !== undefined && keys.has(key.value);
    keys.add(key?.value);
    const inside = duplicateKeys(value);
    if (!isDuplicate) return inside;
    const message = `the key ${JSON.stringify(key.value)} stands here twice`;
    return [new Fault(message, key.offset, { code: "duplicate_key", end: key.offset + key.length }), ...inside];
  });
}

const word = /[^\s,:{}[\]"'/]+/y;
/** Codes of the parser for a comment and a string without an end, and for characters that must be escaped. */
const commentEnd: ParseErrorCode = 11;
const stringErrors: ReadonlySet<ParseErrorCode> = new Set([12, 14, 15, 16]);

/** Throws the first error while the parser visits a text. */
class Checker {
  readonly #text: string;
  /** The brackets that close the open objects and lists. */
  readonly #open: ("}" | "]")[] = [];
  #expected: "value" | "item" | "key" | "colon" | "separator" = "value";
  #key = "";
  #keys = 0;

  constructor(text: string) {
    this.#text = text;
  }

  visitor(): JSONVisitor {
    return {
      onObjectBegin: (offset) => this.#begin("}", offset),
      onArrayBegin: (offset) => this.#begin("]", offset),
      onObjectProperty: (key) => {
        this.#key = key;
        this.#expected = "colon";
      },
      onSeparator: (mark, offset) => {
        this.#count(offset);
        this.#expected = mark === ":" ? "value" : this.#open.at(-1) === "}" ? "key" : "item";
      },
      onLiteralValue: (value, offset, length) => {
        const isExact = Number.isFinite(value) && this.#wordAt(offset).length === length;
        if (typeof value === "number" && !isExact) throw this.#explain(offset);
        this.#expected = "separator";
      },
      onObjectEnd: (offset, length) => this.#end(offset, length),
      onArrayEnd: (offset, length) => this.#end(offset, length),
      onError: (code, offset) => {
        if (code === commentEnd) throw new Fault("this comment has no end", offset);
        throw stringErrors.has(code) ? this.#explainString(offset) : this.#explain(offset);
      },
    };
  }

  #begin(bracket: "}" | "]", start: number): void {
    if (this.#open.length > maxDepth) throw new Fault(`the file nests deeper than ${maxDepth} levels`, start);
    this.#open.push(bracket);
    this.#expected = bracket === "}" ? "key" : "item";
  }

  #end(offset: number, length: number): void {
    // The parser closes everything at the end of the text.
    if (length === 0) throw this.#missingAtEnd(offset);
    this.#open.pop();
    this.#expected = "separator";
  }

  #count(offset: number): void {
    if (++this.#keys <= maxKeys) return;
    const message = `the file has more than ${maxKeys} keys and items`;
    throw new Fault(message, offset, { code: "too_many_keys", hint: "split it" });
  }

  /** Explains an error by what should stand there. */
  #explain(start: number): Fault {
    const bracket = this.#open.at(-1);
    const isEnd = start >= this.#text.length;
    if (isEnd && (this.#expected === "key" || this.#expected === "item")) return this.#missingAtEnd(start);
    switch (this.#expected) {
      case "colon":
        return new Fault(`a ":" is missing after ${JSON.stringify(this.#key)}`, start);
      case "key":
        return new Fault('a key is a text in double quotes, such as "command"', start);
      case "separator":
        return bracket === undefined
          ? new Fault("the file continues after the end of its value; is a bracket closed too early?", start)
          : new Fault(`a "," or a "${bracket}" is missing here`, start);
      case "item":
      case "value":
        return this.#explainValue(start);
    }
  }

  #explainValue(start: number): Fault {
    const found = this.#wordAt(start);
    if (this.#text[start] === "'") return new Fault("strings need double quotes", start);
    if (found === "") return new Fault("a value is missing here", start);
    const message = `${JSON.stringify(found.slice(0, 40))} is not a value`;
    return new Fault(message, start, { end: start + found.length, hint: "a string needs double quotes" });
  }

  #explainString(start: number): Fault {
    return new Fault("this string has no end, or contains a character that must be escaped", start, {
      end: this.#text.slice(start).search(/\n|$/) + start,
      hint: String.raw`write \\ for a backslash, \n for a line end, \" for a quote`,
    });
  }

  #missingAtEnd(start: number): Fault {
    return new Fault(`a "${this.#open.at(-1)}" is missing at the end of the file`, start);
  }

  #wordAt(start: number): string {
    word.lastIndex = start;
    return word.exec(this.#text)?.[0] ?? "";
  }
}
