import { ExpressionError, type SourceSpan } from "./expression-error.ts";
import { charactersPerTick, limits } from "./limits.ts";
import { missing, type Scope } from "./scope.ts";

/** Options of an evaluation. */
export interface Evaluation {
  /** Called once with the text of each path that was missing at a position that accepts missing values. */
  readonly onMissing?: (path: string) => void;
}

/** One evaluation: its values, and its remaining budget. */
export class EvaluationFrame {
  readonly scope: Scope;
  readonly evaluation: Evaluation | undefined;
  /** The item of the innermost filter. */
  current: unknown = missing;
  /** All ticks of the evaluation, and the remaining ones; spent with {@link spendTicks}. */
  readonly ticks: number;
  remainingTicks: number;
  #reported: Set<string> | undefined;

  constructor(scope: Scope, evaluation?: Evaluation, ticks: number = limits.ticks) {
    this.scope = scope;
    this.evaluation = evaluation;
    this.ticks = ticks;
    this.remainingTicks = ticks;
  }

  /** Reports an accepted missing value once; a filter may encounter the same one for every item. */
  reportMissing(path: string): void {
    if (this.evaluation?.onMissing === undefined || this.#reported?.has(path)) return;
    (this.#reported ??= new Set()).add(path);
    this.evaluation.onMissing(path);
  }
}

/** A compiled part of an expression. */
export type Code = (frame: EvaluationFrame) => unknown;

/** Deducts ticks from the budget; work is paid for before it is done if its size is known. */
export function spendTicks(frame: EvaluationFrame, ticks: number, span: SourceSpan): void {
  frame.remainingTicks -= ticks;
  if (frame.remainingTicks < 0) throw overBudget(frame, span);
}

/** Deducts the ticks for processing this many characters. */
export function spendText(frame: EvaluationFrame, characters: number, span: SourceSpan): void {
  spendTicks(frame, 1 + Math.floor(characters / charactersPerTick), span);
}

/** Refuses to create a text that is too long, before it is created. */
export function checkLength(characters: number, { at, end }: SourceSpan): void {
  if (characters <= limits.text) return;
  const message = `the text would have more than ${limits.text} characters`;
  throw new ExpressionError("text_too_long", message, { at, end, hint: "select or slice the value first" });
}

function overBudget({ ticks }: EvaluationFrame, { at, end }: SourceSpan): ExpressionError {
  const message = `the evaluation needs more than ${ticks} ticks`;
  const hint = "work on fewer items: select or slice a part of the value first";
  return new ExpressionError("budget", message, { at, end, hint });
}
