import { suggest, suggestHint } from "../text/index.ts";
import { ExpressionError, type SourceSpan } from "./expression-error.ts";
import { suggestFunction, type FunctionName, functionArities, isFunctionName } from "./function-names.ts";
import { PathParser } from "./parse-path.ts";
import { rootNames } from "./scope.ts";
import { type BinaryOperator, type CallNode, type PathBase, type SyntaxNode, operatorRows } from "./syntax-node.ts";
import { TokenReader } from "./token-reader.ts";

const powers: ReadonlyMap<string, number> = new Map(
  operatorRows.flatMap((row, index) => row.map((operator) => [operator, index + 1])),
);

const constants: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Keywords of other languages, and their equivalents. */
const habits: ReadonlyMap<string, string> = new Map([
  ["and", "write && for “and”"],
  ["or", "write || for “or”"],
  ["not", "write ! for “not”"],
  ["is", "write =="],
  ["None", "write null"],
  ["nil", "write null"],
  ["undefined", "write null; a missing value equals null"],
  ["True", "write true"],
  ["False", "write false"],
  ["secrets", 'did you mean "secret"?'],
  ["JSON", "write json(…), or parse_json(…)"],
  ["Math", "write round(…), floor(…), abs(…), min(…) or max(…)"],
  ["Object", "write keys(…) or values(…)"],
  ["inputs", 'did you mean "input"?'],
  ["step", 'did you mean "steps"?'],
]);

/** Parses the expression that starts at `start`; `end` is its end offset, before the `}` of a template. */
export function parseExpression(
  text: string,
  { start = 0, inTemplate = false }: { readonly start?: number; readonly inTemplate?: boolean } = {},
): { readonly node: SyntaxNode; readonly end: number } {
  const reader = new TokenReader(text, start, inTemplate);
  const node = new ExpressionParser(reader).parse();
  return { node, end: reader.token.at };
}

class ExpressionParser {
  readonly #reader: TokenReader;
  readonly #paths: PathParser;

  constructor(reader: TokenReader) {
    this.#reader = reader;
    this.#paths = new PathParser(reader, () => this.#expression());
  }

  parse(): SyntaxNode {
    if (this.#reader.ended) throw this.#reader.unexpected("an expression");
    const node = this.#expression();
    if (!this.#reader.ended) throw this.#reader.unexpected("an operator or the end");
    return node;
  }

  #expression(): SyntaxNode {
    const test = this.#binary(0);
    if (!this.#reader.takes("?")) return test;
    return this.#reader.nested(() => {
      const yes = this.#expression();
      this.#reader.expect(":", "the other value, after a :");
      const no = this.#expression();
      return this.#reader.node({ kind: "choice", test, yes, no, at: test.at, end: no.end });
    });
  }

  #binary(above: number): SyntaxNode {
    let left = this.#unary();
    for (;;) {
      const { token } = this.#reader;
      const power = token.kind === "mark" || token.kind === "name" ? (powers.get(token.value) ?? 0) : 0;
      if (power <= above) return left;
      this.#reader.advance();
      const right = this.#binary(power);
      // The keys of `powers` are the operators.
      const operator = token.value as BinaryOperator;
      left = this.#reader.node({ kind: "binary", operator, left, right, at: left.at, end: right.end });
    }
  }

  #unary(): SyntaxNode {
    const { at } = this.#reader.token;
    if (this.#reader.takes("!")) {
      const operand = this.#reader.nested(() => this.#unary());
      return this.#reader.node({ kind: "not", operand, at, end: operand.end });
    }
    if (this.#reader.takes("-")) {
      const operand = this.#reader.nested(() => this.#unary());
      if (operand.kind === "literal" && typeof operand.value === "number")
        return { ...operand, value: -operand.value, at };
      return this.#reader.node({ kind: "negative", operand, at, end: operand.end });
    }
    return this.#primary();
  }

  #primary(): SyntaxNode {
    const { token } = this.#reader;
    const { at, end } = token;
    switch (token.kind) {
      case "number":
      case "quoted":
        this.#reader.advance();
        return this.#reader.node({ kind: "literal", value: token.value, at, end });
      case "name":
        this.#reader.advance();
        return this.#named(token.value, { at, end });
      case "mark":
        return this.#marked();
      default:
        throw this.#reader.unexpected("a value");
    }
  }

  #marked(): SyntaxNode {
    const { at } = this.#reader.token;
    if (this.#reader.takes("@")) {
      if (!this.#reader.inFilter) {
        const hint = "write it inside of [?…], such as items[?@.score > 3]";
        throw new ExpressionError("syntax", "@ is the item of a filter, and there is none", { at, end: at + 1, hint });
      }
      return this.#paths.path({ kind: "current" }, at);
    }
    if (this.#reader.takes("(")) {
      const node = this.#reader.nested(() => this.#expression());
      this.#reader.expect(")", "a closing )");
      return this.#pathOver(node, at);
    }
    if (!this.#reader.takes("[")) throw this.#reader.unexpected("a value");
    const items = this.#listUntil("]");
    return this.#pathOver(this.#reader.node({ kind: "list", items, at, end: this.#reader.previousEnd }), at);
  }

  /** A value that a path may continue from. Brackets end the mapping of `[*]`: `(a[*].b).size` counts the list. */
  #pathOver(node: SyntaxNode, at: number): SyntaxNode {
    const base: PathBase = { kind: "value", node };
    if (this.#paths.hasNext()) return this.#paths.path(base, at);
    return node.kind === "path" ? node : { ...node, at, end: this.#reader.previousEnd };
  }

  #named(name: string, span: SourceSpan): SyntaxNode {
    const constant = constants.get(name);
    if (constant !== undefined) return this.#reader.node({ kind: "literal", value: constant, ...span });
    if (this.#reader.takes("(")) return this.#call(name, span);
    const root = rootNames.find((root) => root === name);
    if (root === undefined) throw unknownRoot(name, span);
    return this.#paths.path({ kind: "root", name: root }, span.at);
  }

  #call(name: string, span: SourceSpan): SyntaxNode {
    if (!isFunctionName(name)) throw unknownFunction(name, span);
    const args = this.#listUntil(")");
    checkArity(name, args, { at: span.at, end: this.#reader.previousEnd });
    const call: CallNode = { kind: "call", name, args, at: span.at, end: this.#reader.previousEnd };
    return this.#pathOver(this.#reader.node(call), span.at);
  }

  #listUntil(close: ")" | "]"): SyntaxNode[] {
    const items: SyntaxNode[] = [];
    return this.#reader.nested(() => {
      while (!this.#reader.takes(close)) {
        if (items.length > 0) this.#reader.expect(",", `a , or a closing ${close}`);
        items.push(this.#expression());
      }
      return items;
    });
  }
}

function unknownRoot(name: string, span: SourceSpan): ExpressionError {
  const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name;
  const roots = `start with one of ${rootNames.join(", ")}; put texts in quotes`;
  const hint = habits.get(name) ?? suggestHint(name, rootNames) ?? roots;
  return new ExpressionError("unknown_root", `there is no "${shown}" here`, { ...span, hint });
}

function unknownFunction(name: string, span: SourceSpan): ExpressionError {
  const names = Object.keys(functionArities);
  const form = suggestFunction(name, "…");
  const near = form === undefined ? suggest(name, names) : names.find((known) => form.startsWith(`${known}(`));
  const hint =
    near === undefined
      ? ((form && `write ${form}`) ?? `the functions are ${names.join(", ")}`)
      : `did you mean "${near}"?`;
  const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name;
  return new ExpressionError("unknown_function", `there is no function "${shown}"`, { ...span, hint });
}

function checkArity(name: FunctionName, args: readonly SyntaxNode[], span: SourceSpan): void {
  const { min, max } = functionArities[name];
  if (args.length >= min && args.length <= max) return;
  const expected = min === max ? `${min}` : `${min} to ${max}`;
  const noun = max === 1 ? "argument" : "arguments";
  throw new ExpressionError("arity", `${name}() takes ${expected} ${noun}, not ${args.length}`, span);
}
