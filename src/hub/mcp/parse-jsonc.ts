import { setOwn } from "../../schema/index.ts";
import type { ParsedYaml, SourceRange, Problem, YamlPath } from "../../text/index.ts";

/** A value of a JSON text and its range: the offsets of its first character and of the one after its last. */
export interface JsoncNode {
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
  readonly members?: readonly JsoncMember[];
  readonly items?: readonly JsoncNode[];
}

/** A key of an object, and its value. */
export interface JsoncMember {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly node: JsoncNode;
}

/** Value of a JSON text, with positions. */
export interface ParsedJsonc extends ParsedYaml {
  /** Undefined if the text could not be parsed. */
  readonly root: JsoncNode | undefined;
}

const maxBytes = 1_048_576;
const maxDepth = 64;

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
  const lines = new LineIndex(text);
  const problems: Problem[] = [];
  const report = (code: string, message: string, { start, end, hint }: Fault): void => {
    problems.push({
      severity: "error",
      code,
      message,
      ...(hint !== undefined && { hint }),
      file,
      ...lines.at(start, end),
    });
  };
  const root = read(text, report);
  const nodeAt = (path: YamlPath): JsoncFault => find(root, path);
  return {
    root,
    value: root?.value,
    problems,
    locate: (path, part = "value") => {
      const { member, node, whole } = nodeAt(path);
      const position = part === "key" && whole && member !== undefined ? member : node;
      return position === undefined ? lines.at(0) : lines.at(position.start, position.end);
    },
    locateInside: (path, offset, length = 1) => {
      const { node } = nodeAt(path);
      if (node === undefined) return lines.at(0);
      // Without escapes, the string is in the file as it is, between quotes.
      const plain = typeof node.value === "string" && node.end - node.start === node.value.length + 2;
      const start = node.start + 1 + offset;
      return plain ? lines.at(start, start + length) : lines.at(node.start, node.end);
    },
  };
}

interface Fault {
  readonly start: number;
  readonly end?: number;
  readonly hint?: string;
}

type Report = (code: string, message: string, fault: Fault) => void;

function read(text: string, report: Report): JsoncNode | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) {
    report("too_large", `the file has ${bytes} bytes, ${maxBytes} are allowed`, { start: 0 });
    return undefined;
  }
  try {
    return new Reader(text, report).document();
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    report("json_syntax", error.message, error.fault);
    return undefined;
  }
}

class SyntaxFault extends Error {
  readonly fault: Fault;

  constructor(message: string, fault: Fault) {
    super(message);
    this.fault = fault;
  }
}

const word = /[^\s,:{}[\]"'/]+/y;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
// oxlint-disable-next-line no-control-regex
const quoted = /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const jsonLiterals: ReadonlyMap<string, unknown> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
] as const);

class Reader {
  readonly #text: string;
  readonly #report: Report;
  #at = 0;

  constructor(text: string, report: Report) {
    this.#text = text;
    this.#report = report;
    if (text.startsWith("\ufeff")) this.#at = 1;
  }

  document(): JsoncNode {
    const node = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length)
      this.#fail("the file continues after the end of its value; is a bracket closed too early?");
    return node;
  }

  #value(depth: number): JsoncNode {
    this.#skip();
    if (depth > maxDepth) this.#fail(`the file nests deeper than ${maxDepth} levels`);
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(depth);
      case "[":
        return this.#list(depth);
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #object(depth: number): JsoncNode {
    const start = this.#at++;
    const value: Record<string, unknown> = {};
    const members: JsoncMember[] = [];
    while (!this.#closes("}")) {
      const key = this.#key();
      this.#skip();
      if (this.#text[this.#at] !== ":") this.#fail(`a ":" is missing after ${JSON.stringify(key.value)}`);
      this.#at++;
      const node = this.#value(depth + 1);
      if (Object.hasOwn(value, String(key.value))) {
        this.#report("duplicate_key", `the key ${JSON.stringify(key.value)} stands here twice`, key);
      }
      setOwn(value, String(key.value), node.value);
      members.push({ key: String(key.value), start: key.start, end: key.end, node });
      this.#separator("}");
    }
    return { value, start, end: this.#at, members };
  }

  #list(depth: number): JsoncNode {
    const start = this.#at++;
    const items: JsoncNode[] = [];
    while (!this.#closes("]")) {
      items.push(this.#value(depth + 1));
      this.#separator("]");
    }
    return { value: items.map((item) => item.value), start, end: this.#at, items };
  }

  #key(): JsoncNode {
    this.#skip();
    if (this.#text[this.#at] === '"') return this.#string();
    return this.#fail('a key is a text in double quotes, such as "command"');
  }

  #string(): JsoncNode {
    const start = this.#at;
    quoted.lastIndex = start;
    const found = quoted.exec(this.#text)?.[0];
    if (found === undefined) {
      const end = this.#text.slice(start).search(/\n|$/) + start;
      throw new SyntaxFault("this string has no end, or contains a character that must be escaped", {
        start,
        end,
        hint: String.raw`write \\ for a backslash, \n for a line end, \" for a quote`,
      });
    }
    this.#at += found.length;
    return { value: JSON.parse(found), start, end: this.#at };
  }

  #word(): JsoncNode {
    const start = this.#at;
    word.lastIndex = start;
    const found = word.exec(this.#text)?.[0] ?? "";
    if (jsonLiterals.has(found)) {
      this.#at += found.length;
      return { value: jsonLiterals.get(found), start, end: this.#at };
    }
    if (number.test(found) && Number.isFinite(Number(found))) {
      this.#at += found.length;
      return { value: Number(found), start, end: this.#at };
    }
    if (this.#text[start] === "'") return this.#fail("strings need double quotes");
    if (found === "") return this.#fail("a value is missing here");
    throw new SyntaxFault(`${JSON.stringify(found.slice(0, 40))} is not a value`, {
      start,
      end: start + found.length,
      hint: "a string needs double quotes",
    });
  }

  /** Consumes the closing bracket of this object or list if it is next, and returns true. */
  #closes(bracket: string): boolean {
    this.#skip();
    if (this.#at >= this.#text.length) this.#fail(`a "${bracket}" is missing at the end of the file`);
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  /** After an entry: consumes a comma, which may be trailing; a closing bracket is not consumed. */
  #separator(bracket: string): void {
    this.#skip();
    const next = this.#text[this.#at];
    if (next === ",") this.#at++;
    else if (next === undefined) this.#fail(`a "${bracket}" is missing at the end of the file`);
    else if (next !== bracket) this.#fail(`a "," or a "${bracket}" is missing here`);
  }

  #skip(): void {
    const blank = /(?:[\s\ufeff]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
    blank.lastIndex = this.#at;
    this.#at += blank.exec(this.#text)?.[0].length ?? 0;
  }

  #fail(message: string): never {
    throw new SyntaxFault(message, { start: Math.min(this.#at, this.#text.length) });
  }
}

interface JsoncFault {
  readonly member: JsoncMember | undefined;
  readonly node: JsoncNode | undefined;
  /** The path led all the way. */
  readonly whole: boolean;
}

/** The node at a path, or its nearest ancestor. */
function find(root: JsoncNode | undefined, path: YamlPath): JsoncFault {
  let node = root;
  let member: JsoncMember | undefined;
  for (const step of path) {
    const own = node?.members?.findLast(({ key }) => key === step);
    const next = own?.node ?? (typeof step === "number" ? node?.items?.[step] : undefined);
    if (next === undefined) return { member, node, whole: false };
    [member, node] = [own, next];
  }
  return { member, node, whole: true };
}

/** Lines and columns of offsets. */
class LineIndex {
  readonly #starts: readonly number[];
  readonly #length: number;

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    this.#starts = starts;
    this.#length = text.length;
  }

  at(start: number, end: number = start + 1): SourceRange {
    const offset = Math.min(Math.max(0, start), this.#length);
    const line = this.#starts.findLastIndex((first) => first <= offset);
    return { line: line + 1, column: offset - (this.#starts[line] ?? 0) + 1, length: Math.max(1, end - start) };
  }
}
