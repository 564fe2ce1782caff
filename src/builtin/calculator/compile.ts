import type { Operator, Value } from "./arithmetic.ts";
import { CalculatorError, type ExpressionSpan } from "./fault.ts";
import type { Sign, Token } from "./tokenize.ts";

/** One step of a compiled expression, in postfix order: operands come before their operator. */
export type Step = ExpressionSpan &
  (
    | { readonly do: "push"; readonly value: Value }
    | { readonly do: "load"; readonly name: string }
    | { readonly do: "call"; readonly name: string; readonly count: number }
    | { readonly do: "operate"; readonly operator: Operator }
    | { readonly do: "negate" }
    | { readonly do: "factorial" }
  );

/** Deeper nesting is a mistake or an attack. */
const maxDepth = 100;

/** Binding power of an operator to its left and its right operand; `^` is right-associative. */
const powers: Readonly<Record<Operator, readonly [left: number, right: number]>> = {
  "+": [1, 2],
  "-": [1, 2],
  "*": [3, 4],
  "/": [3, 4],
  "//": [3, 4],
  "%": [3, 4],
  "^": [8, 7],
};

/** Between `*` and `^`: `-2^2` is -4, `-2*3` is (-2)*3. */
const unaryPower = 5;

/** Compiles the tokens of an expression to steps; nothing is computed before all of it has been parsed. */
export function compile(tokens: readonly Token[], end: number): readonly Step[] {
  return new Compiler(tokens, end).program();
}

class Compiler {
  readonly #tokens: readonly Token[];
  /** End of the expression, for errors after its last token. */
  readonly #end: number;
  readonly #steps: Step[] = [];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], end: number) {
    this.#tokens = tokens;
    this.#end = end;
  }

  program(): readonly Step[] {
    if (this.#tokens.length === 0) throw new CalculatorError("syntax", "the expression is empty");
    this.#expression(0);
    if (this.#peek() !== undefined) throw this.#unexpected();
    return this.#steps;
  }

  #expression(min: number): void {
    if (++this.#depth > maxDepth)
      throw new CalculatorError("too_deep", `the expression nests deeper than ${maxDepth} levels`);
    this.#operand();
    for (;;) {
      const token = this.#peek();
      if (token?.kind !== "sign") break;
      if (token.sign === "!") {
        this.#next++;
        this.#steps.push({ do: "factorial", ...span(token) });
        continue;
      }
      if (!isOperator(token.sign) || powers[token.sign][0] < min) break;
      this.#next++;
      this.#expression(powers[token.sign][1]);
      this.#steps.push({ do: "operate", operator: token.sign, ...span(token) });
    }
    this.#depth--;
  }

  #operand(): void {
    const token = this.#peek();
    if (token === undefined) throw this.#unexpected();
    this.#next++;
    if (token.kind === "number") this.#steps.push({ do: "push", value: token.value, ...span(token) });
    else if (token.kind === "name") this.#name(token.name, token);
    else if (token.sign === "(") {
      this.#expression(0);
      this.#expect(")");
    } else if (token.sign === "-" || token.sign === "+") {
      this.#expression(unaryPower);
      if (token.sign === "-") this.#steps.push({ do: "negate", ...span(token) });
    } else {
      this.#next--;
      throw this.#unexpected();
    }
  }

  #name(name: string, token: Token): void {
    if (this.#takes("(")) this.#steps.push({ do: "call", name, count: this.#arguments(), ...span(token) });
    else this.#steps.push({ do: "load", name, ...span(token) });
  }

  #arguments(): number {
    if (this.#takes(")")) return 0;
    let count = 0;
    do {
      this.#expression(0);
      count++;
    } while (this.#takes(","));
    this.#expect(")");
    return count;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#next];
  }

  #takes(sign: Sign): boolean {
    const token = this.#peek();
    const fits = token?.kind === "sign" && token.sign === sign;
    if (fits) this.#next++;
    return fits;
  }

  #expect(sign: Sign): void {
    if (!this.#takes(sign)) throw this.#unexpected(sign);
  }

  #unexpected(requested?: Sign): CalculatorError {
    const token = this.#peek();
    const before = this.#tokens[this.#next - 1];
    const expected = requested === undefined ? "" : `; expected "${requested}"`;
    if (token === undefined) {
      const percent = before?.kind === "sign" && before.sign === "%";
      const advice = percent ? '; "%" is the remainder of a division, for a percentage write 50/100' : "";
      return new CalculatorError("syntax", `the expression ends too early${expected}${advice}`, {
        at: this.#end,
        length: 1,
      });
    }
    return new CalculatorError(
      "syntax",
      `unexpected ${show(token)}${expected}${adviceFor(token, before)}`,
      span(token),
    );
  }
}

function adviceFor(token: Token, before: Token | undefined): string {
  if (token.kind === "sign" && token.sign === ",") return "; write numbers without thousands separators";
  const afterValue = before !== undefined && (before.kind !== "sign" || before.sign === ")" || before.sign === "!");
  const startsValue = token.kind !== "sign" || token.sign === "(";
  return afterValue && startsValue ? "; to multiply, write *" : "";
}

function show(token: Token): string {
  if (token.kind === "number") return "number";
  return JSON.stringify(token.kind === "name" ? token.name.slice(0, 60) : token.sign);
}

function isOperator(sign: Sign): sign is Operator {
  return Object.hasOwn(powers, sign);
}

function span({ at, length }: Token): ExpressionSpan {
  return { at, length };
}
