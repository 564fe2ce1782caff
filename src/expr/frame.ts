import { ExpressionError, type Span } from "./expression-error.ts";
import { charactersPerTick, limits } from "./limits.ts";
import { missing } from "./missing.ts";
import type { Scope } from "./scope.ts";

/** What an evaluation may tell besides its value. */
export interface Evaluation {
  /** Told the text of each path that was missing where the language accepts it, once. */
  readonly onMissing?: (path: string) => void;
}

/** One evaluation: its values, and what is left of its budget. */
export class Frame {
  readonly scope: Scope;
  readonly evaluation: Evaluation | undefined;
  /** The item of the innermost filter. */
  current: unknown = missing;
  /** All ticks of the evaluation, and those left; spent with {@link spend}. */
  readonly ticks: number;
  left: number;
  #told: Set<string> | undefined;

  constructor(scope: Scope, evaluation?: Evaluation, ticks: number = limits.ticks) {
    this.scope = scope;
    this.evaluation = evaluation;
    this.ticks = ticks;
    this.left = ticks;
  }

  /** Tells of a missing value that is accepted; a filter may come upon the same one for every item. */
  tellMissing(path: string): void {
    if (this.evaluation?.onMissing === undefined || this.#told?.has(path)) return;
    (this.#told ??= new Set()).add(path);
    this.evaluation.onMissing(path);
  }
}

/** A compiled part of an expression. */
export type Code = (frame: Frame) => unknown;

/** Takes ticks from the budget; work is paid for before it is done wherever its size is known. */
export function spend(frame: Frame, ticks: number, span: Span): void {
  frame.left -= ticks;
  if (frame.left < 0) throw overBudget(frame, span);
}

/** Takes the ticks of working through this many characters. */
export function spendText(frame: Frame, characters: number, span: Span): void {
  spend(frame, 1 + Math.floor(characters / charactersPerTick), span);
}

/** Refuses to make a text that is too long, before it is made. */
export function checkLength(characters: number, { at, end }: Span): void {
  if (characters <= limits.text) return;
  const message = `the text would have more than ${limits.text} characters`;
  throw new ExpressionError("text_too_long", message, { at, end, hint: "select or slice a part of the value first" });
}

function overBudget({ ticks }: Frame, { at, end }: Span): ExpressionError {
  const message = `the evaluation takes more than ${ticks} ticks`;
  const hint = "work on fewer items: select or slice a part of the value first";
  return new ExpressionError("budget", message, { at, end, hint });
}
