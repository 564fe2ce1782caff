import { ExpressionError } from "./expression-error.ts";
import { limits } from "./limits.ts";
import type { Segment, SyntaxNode } from "./syntax-node.ts";
import { type Token, tokenize } from "./tokenize.ts";

/** The tokens of one expression, read in order, and the number of nodes built from them. */
export class TokenReader {
  readonly text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #nodes = 0;
  #depth = 0;
  #filters = 0;

  constructor(text: string, start: number, inTemplate: boolean) {
    this.text = text;
    this.#tokens = tokenize(text, start, inTemplate);
  }

  /** The next token. */
  get token(): Token {
    // The last token is `end`, and nothing advances past it.
    return this.#tokens[this.#next] as Token;
  }

  /** End offset of the last token. */
  get previousEnd(): number {
    return this.#tokens[this.#next - 1]?.end ?? this.token.at;
  }

  /** True inside a `[?…]`. */
  get inFilter(): boolean {
    return this.#filters > 0;
  }

  /** True if everything has been read. */
  get ended(): boolean {
    return this.token.kind === "end";
  }

  advance(): void {
    if (!this.ended) this.#next++;
  }

  /** True if the next token is this mark. */
  sees(mark: string): boolean {
    return this.token.kind === "mark" && this.token.value === mark;
  }

  /** Reads this mark if it is the next token. */
  takes(mark: string): boolean {
    if (!this.sees(mark)) return false;
    this.advance();
    return true;
  }

  /** Reads this mark, which is required. */
  expect(mark: string, expected: string): void {
    if (!this.takes(mark)) throw this.unexpected(expected);
  }

  /** Counts a node of the expression. */
  node<Node extends SyntaxNode | Segment>(node: Node): Node {
    if (++this.#nodes > limits.nodes) {
      const message = `an expression may have at most ${limits.nodes} parts`;
      const hint = "split the work over several steps";
      throw new ExpressionError("too_complex", message, { at: node.at, end: node.end, hint });
    }
    return node;
  }

  /** Parses one level deeper. */
  nested<Result>(read: () => Result): Result {
    if (++this.#depth > limits.depth) {
      const { at, end } = this.token;
      const message = `an expression may nest at most ${limits.depth} levels deep`;
      throw new ExpressionError("too_deep", message, { at, end, hint: "split the work over several steps" });
    }
    const result = read();
    this.#depth--;
    return result;
  }

  /** Parses the test of a filter, in which `@` is the item. */
  filter<Result>(read: () => Result): Result {
    this.#filters++;
    const result = read();
    this.#filters--;
    return result;
  }

  /** The error for an unexpected token. */
  unexpected(expected: string): ExpressionError {
    const { at, end, kind } = this.token;
    const found = kind === "end" ? "the end" : `"${this.text.slice(at, Math.min(end, at + 40))}"`;
    const message = `${expected} is expected here, not ${found}`;
    return new ExpressionError("syntax", message, { at, end: Math.max(end, at), hint: this.#hint() });
  }

  #hint(): string | undefined {
    const { token } = this;
    const before = this.#tokens[this.#next - 1];
    if (token.kind === "mark" && token.value === "." && before?.kind === "mark" && before.value === "?")
      return "write a plain dot: a path through something missing is missing anyway";
    if (token.kind === "name" && (token.value === "and" || token.value === "or"))
      return token.value === "and" ? "write && for “and”" : "write || for “or”";
    return undefined;
  }
}
