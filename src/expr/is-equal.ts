import type { SourceSpan } from "./expression-error.ts";
import { type EvaluationFrame, spendTicks, spendText } from "./evaluation-frame.ts";
import { limits } from "./limits.ts";
import { tooDeep } from "./measure.ts";
import { missing } from "./scope.ts";

/** Deep equality without conversions; missing equals null. */
export function isEqual(
  left: unknown,
  right: unknown,
  position: { frame: EvaluationFrame; span: SourceSpan },
): boolean {
  return new Comparison(position).equal(left, right, 0);
}

class Comparison {
  readonly #frame: EvaluationFrame;
  readonly #span: SourceSpan;

  constructor({ frame, span }: { frame: EvaluationFrame; span: SourceSpan }) {
    this.#frame = frame;
    this.#span = span;
  }

  equal(left: unknown, right: unknown, depth: number): boolean {
    spendTicks(this.#frame, 1, this.#span);
    const a = left === missing || left === undefined ? null : left;
    const b = right === missing || right === undefined ? null : right;
    if (typeof a === "string" && typeof b === "string") return this.#equalTexts(a, b);
    if (a === b) return true;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    return this.#equalParts(a, b, depth + 1);
  }

  #equalTexts(a: string, b: string): boolean {
    if (a.length !== b.length) return false;
    spendText(this.#frame, a.length, this.#span);
    return a === b;
  }

  #equalParts(a: object, b: object, depth: number): boolean {
    if (depth > limits.valueDepth) throw tooDeep(this.#span);
    if (Array.isArray(a) || Array.isArray(b)) {
      if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
      return a.every((item, index) => this.equal(item, b[index], depth));
    }
    const keys = Object.keys(a);
    const others = Object.keys(b).length;
    spendTicks(this.#frame, keys.length + others, this.#span);
    // Own keys of both, so nothing is read from a prototype.
    const [one, other] = [a, b] as Record<string, unknown>[];
    return (
      keys.length === others &&
      keys.every((key) => Object.hasOwn(b, key) && this.equal(one?.[key], other?.[key], depth))
    );
  }
}

/** Missing, null, false, 0, "" and the empty list do not hold; everything else does. */
export function isFalsy(value: unknown): boolean {
  return (
    value === missing ||
    value === null ||
    value === undefined ||
    value === false ||
    value === 0 ||
    value === "" ||
    (Array.isArray(value) && value.length === 0)
  );
}
