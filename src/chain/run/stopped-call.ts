import type { Failure } from "../../base/index.ts";
import type { InnerQuestion } from "../host/host.ts";
import type { Target } from "../plan/plan.ts";
import { type AskedUnit, askAbout, askWithin } from "./ask-for-unit.ts";
import { interruption, ruled } from "./question-texts.ts";

/** What a person let a unit do whose call was stopped. */
export type Granted =
  /** The call itself, by this approval. */
  | { readonly kind: "call"; readonly approvalId: string }
  /** A call that its tool makes on its own, by the key of its approval; without one, to take the answer. */
  | { readonly kind: "inner"; readonly key: string | undefined }
  /** Nothing more: it was done, and gave this. */
  | { readonly kind: "done"; readonly output: unknown };

/** A unit whose call was stopped by a rule or a crash, until a person decides. */
export interface StoppedUnit extends AskedUnit {
  /** What it calls. */
  readonly target: Target;
  /** The question that its tool was to take the answer to. */
  answered: string | undefined;
  granted(what: Granted): void;
}

/** Asks about a call that a rule has stopped. */
export function askRuled(unit: StoppedUnit, key: string, approvalId: string): void {
  const { name: tool } = unit.target;
  askAbout(unit, { key, tool, message: ruled(tool), approvalId }, (id) =>
    unit.granted({ kind: "call", approvalId: id }),
  );
}

/** Asks about a call inside of one, which failed for it: it is made once more, and then lets that call through. */
export function askInner(
  unit: StoppedUnit,
  { key, error }: { readonly key: string; readonly error: Failure },
  { key: inner, ...question }: InnerQuestion,
): void {
  // One that is asked again although it was answered would be asked for ever.
  if (question.approvalId === unit.answered) return unit.fail(error);
  if (inner === undefined) unit.answered = question.approvalId;
  const again = (): void => unit.granted({ kind: "inner", key: inner });
  const ask = inner === undefined ? askWithin : askAbout;
  ask(unit, { ...question, key }, again);
}

/** Nobody knows whether the work was done, and it must not be done twice: a person decides. */
export function askInterrupted(unit: StoppedUnit, key: string, startedAt: number): void {
  const { name: tool } = unit.target;
  const message = interruption(tool, startedAt);
  askAbout(unit, { key, tool, message, approvalId: undefined, interrupted: true }, (approvalId, done) => {
    unit.granted(done === undefined ? { kind: "call", approvalId } : { kind: "done", output: done.output });
  });
}
