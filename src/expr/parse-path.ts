import { ExpressionError } from "./expression-error.ts";
import { suggestFunction, functionArities, isFunctionName } from "./function-names.ts";
import type { PathBase, PathNode, Segment, SyntaxNode } from "./syntax-node.ts";
import type { TokenReader } from "./token-reader.ts";

/** Parses the steps of paths. */
export class PathParser {
  readonly #reader: TokenReader;
  readonly #expression: () => SyntaxNode;

  constructor(reader: TokenReader, expression: () => SyntaxNode) {
    this.#reader = reader;
    this.#expression = expression;
  }

  /** True if a step of a path comes next. */
  hasNext(): boolean {
    return this.#reader.sees(".") || this.#reader.sees("[");
  }

  /** The path that starts with the last token. */
  path(base: PathBase, at: number): PathNode {
    const segments: Segment[] = [];
    while (this.hasNext()) segments.push(this.#reader.node(this.#segment()));
    if (this.#reader.sees("(")) throw this.#noMethods(segments.at(-1), at);
    return this.#reader.node({ kind: "path", base, segments, at, end: this.#reader.previousEnd });
  }

  #segment(): Segment {
    const { at } = this.#reader.token;
    if (this.#reader.takes(".")) return this.#dotted(at);
    this.#reader.expect("[", "a [");
    const segment = this.#reader.nested(() => this.#bracketed(at));
    this.#reader.expect("]", "a closing ]");
    return { ...segment, end: this.#reader.previousEnd };
  }

  #dotted(at: number): Segment {
    const { token } = this.#reader;
    if (token.kind === "name") {
      this.#reader.advance();
      return checked({ kind: "name", name: token.value, dotted: true, at, end: token.end });
    }
    if (!this.#reader.sees("*")) throw this.#reader.unexpected("a name");
    const span = { at, end: token.end };
    throw new ExpressionError("syntax", ".* is not part of the language", { ...span, hint: "write [*]" });
  }

  /** The contents of brackets; the offset of the closing one is not known yet. */
  #bracketed(at: number): Segment {
    const end = at;
    if (this.#reader.takes("*")) return { kind: "all", at, end };
    if (this.#reader.takes("?"))
      return { kind: "filter", test: this.#reader.filter(() => this.#expression()), at, end };
    const from = this.#reader.sees(":") ? undefined : this.#expression();
    if (!this.#reader.takes(":")) return keyed(from, at);
    const to = this.#reader.sees("]") ? undefined : this.#expression();
    return { kind: "slice", from, to, at, end };
  }

  /** @param from Offset at which the path begins. */
  #noMethods(last: Segment | undefined, from: number): ExpressionError {
    const { at, end } = this.#reader.token;
    const name = last?.kind === "name" ? last.name : "f";
    const whole = last === undefined ? "" : this.#reader.text.slice(from, last.at).trim();
    const subject = whole === "" || whole.length > 80 ? "…" : whole;
    const form = functionForm(name, subject);
    const hint = `values have no methods; ${form === undefined ? `functions come first: ${name}(…)` : `write ${form}`}`;
    return new ExpressionError("syntax", "nothing can be called here", { at, end, hint });
  }
}

/** `upper(input.name)` for `input.name.toUpperCase()`. */
function functionForm(name: string, subject: string): string | undefined {
  if (!isFunctionName(name)) return suggestFunction(name, subject);
  return `${name}(${subject}${functionArities[name].min > 1 ? ", …" : ""})`;
}

/** `[0]`, `[-1]`, `["k"]`, or a computed key. */
function keyed(key: SyntaxNode | undefined, at: number): Segment {
  const end = at;
  if (key === undefined) throw new ExpressionError("syntax", "an index or a key is expected here", { at, end: at + 1 });
  if (key.kind === "literal" && typeof key.value === "string")
    return checked({ kind: "name", name: key.value, dotted: false, at, end: key.end });
  if (key.kind === "literal" && typeof key.value === "number" && Number.isInteger(key.value))
    return { kind: "index", index: key.value, at, end };
  return { kind: "computed", key, at, end };
}

/** No JSON that Windlass reads has such a key; its use suggests an attack. */
function checked(segment: Extract<Segment, { kind: "name" }>): Segment {
  if (segment.name !== "__proto__") return segment;
  throw new ExpressionError("forbidden_key", 'the key "__proto__" is not allowed', segment);
}
