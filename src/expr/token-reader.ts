import { ExpressionError } from "./expression-error.ts";
import { limits } from "./limits.ts";
import type { Segment, SyntaxNode } from "./syntax-node.ts";
import { type Token, tokenize } from "./tokenize.ts";

/** The words of one expression, read one after the other, and the count of what was built from them. */
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

  /** The word to be read next. */
  get token(): Token {
    // The last token is `end`, and nothing advances past it.
    return this.#tokens[this.#next] as Token;
  }

  /** Where the last word that was read ends. */
  get previousEnd(): number {
    return this.#tokens[this.#next - 1]?.end ?? this.token.at;
  }

  /** Is this inside of a `[?…]`? */
  get inFilter(): boolean {
    return this.#filters > 0;
  }

  /** Has everything been read? */
  get ended(): boolean {
    return this.token.kind === "end";
  }

  advance(): void {
    if (!this.ended) this.#next++;
  }

  /** Is the next word this mark? */
  sees(mark: string): boolean {
    return this.token.kind === "mark" && this.token.value === mark;
  }

  /** Reads this mark if it is the next word. */
  takes(mark: string): boolean {
    if (!this.sees(mark)) return false;
    this.advance();
    return true;
  }

  /** Reads this mark, which has to be there. */
  expect(mark: string, what: string): void {
    if (!this.takes(mark)) throw this.unexpected(what);
  }

  /** Counts a part of the expression. */
  node<Node extends SyntaxNode | Segment>(node: Node): Node {
    if (++this.#nodes > limits.nodes) {
      const message = `an expression may have at most ${limits.nodes} parts`;
      const hint = "split the work over several steps";
      throw new ExpressionError("too_complex", message, { at: node.at, end: node.end, hint });
    }
    return node;
  }

  /** Reads something one level deeper. */
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

  /** Reads the test of a filter, where `@` is the item. */
  filter<Result>(read: () => Result): Result {
    this.#filters++;
    const result = read();
    this.#filters--;
    return result;
  }

  /** What is there instead of what has to be there. */
  unexpected(wanted: string): ExpressionError {
    const { at, end, kind } = this.token;
    const found = kind === "end" ? "the end" : `"${this.text.slice(at, Math.min(end, at + 40))}"`;
    const message = `${wanted} is expected here, not ${found}`;
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
