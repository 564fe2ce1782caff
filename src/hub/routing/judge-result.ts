import { type Failure, failure, errorMessage } from "../../base/index.ts";
import type { Attachment, ToolResult } from "../../tool/index.ts";
import type { Choice } from "./candidate.ts";
import type { ChoiceInvocation } from "./choice-deps.ts";
import { isEmptyFor, isEmptyValue } from "./contract.ts";
import { type RunnableCandidate, isReadOnly } from "./select-runnable.ts";
import { type JsonSchema, isRecord } from "../../schema/index.ts";

/** Verdict on a candidate's result. */
export type ResultVerdict =
  | { readonly kind: "valid" | "empty"; readonly output: unknown; readonly attachments: readonly Attachment[] }
  | { readonly kind: "failed"; readonly failure: Failure };

type Judged = Pick<ChoiceInvocation, "choice" | "args">;

/** A candidate that was called, and the outcome. */
export interface CandidateAttempt {
  readonly entrant: RunnableCandidate;
  readonly result: ToolResult;
  readonly verdict: ResultVerdict;
}

/**
 * Judges whether a result is valid: it succeeded, matches the contract, and is not empty. Only read-only tools may be
 * judged empty: a tool that changed something and returns nothing has done its work.
 */
export function judgeResult(entrant: RunnableCandidate, result: ToolResult, { choice, args }: Judged): ResultVerdict {
  if (!result.success) return { kind: "failed", failure: result.error };
  const { attachments = [] } = result;
  const mapped =
    choice.contract === undefined ? { output: result.output } : asPromised(entrant, result.output, { choice, args });
  if ("kind" in mapped) return mapped;
  const { output } = mapped;
  const counts = isReadOnly(entrant) && attachments.length === 0;
  return { kind: counts && isEmpty(output, choice) ? "empty" : "valid", output, attachments };
}

function isEmpty(output: unknown, { contract, shape }: Choice): boolean {
  if (contract !== undefined) return contract.nonEmpty !== undefined && isEmptyFor(contract, output);
  if (shape?.nonEmpty !== undefined && hasShape(output, shape)) return isEmptyFor(shape, output);
  return isEmptyValue(output);
}

/** True if the output matches the contract. */
export function hasShape(output: unknown, { output: schema }: NonNullable<Choice["shape"]>): boolean {
  return schema !== undefined && schema.validate(output).issues === undefined;
}

/** Converts a tool's output to the form of the contract. */
function asPromised(
  entrant: RunnableCandidate,
  provided: unknown,
  { choice: { contract }, args }: Judged,
): { readonly output: unknown } | Extract<ResultVerdict, { kind: "failed" }> {
  try {
    const mapping = entrant.candidate.mapping?.result;
    const output = mapping === undefined ? provided : mapping.map({ item: provided, input: args });
    const checked = contract?.output?.validate(output);
    if (checked === undefined) return { output };
    if (checked.issues === undefined)
      return { output: pickContractFields(checked.value, contract?.output?.json ?? {}) };
    return unfit(entrant, checked.issues.map(({ message }) => message).join("; "));
  } catch (error) {
    // A schema that throws does not stop the other candidates.
    return unfit(entrant, errorMessage(error));
  }
}

function unfit({ candidate, effect }: RunnableCandidate, why: string): Extract<ResultVerdict, { kind: "failed" }> {
  const message = `the output of ${candidate.label} does not match the capability: ${why}`;
  // The tool ran, so that another must not repeat a side effect; and an output that does not match now never will.
  const retry = isReadOnly({ effect }) ? "never" : "unsafe";
  return { kind: "failed", failure: failure("output_invalid", message, { reason: "contract", retry }) };
}

/**
 * True if another candidate may be called after this one failed: not after a rejection or a denial, and not if the work
 * may already be done.
 */
export function mayTryNext({ entrant, result, verdict }: CandidateAttempt): boolean {
  if (verdict.kind !== "failed") return verdict.kind === "empty";
  const { code, reason, retry } = verdict.failure;
  if (code === "approval_required" || code === "engine_closed") return false;
  if (code === "permission_denied") return reason === "rule";
  if (isReadOnly(entrant) || result.meta.attempts === 0) return true;
  // Repeating an idempotent call is safe with the same tool, but not with another one. So the failure has to prove that
  // nothing happened, which that of an idempotent tool does not do by itself.
  return retry === "safe" && (entrant.effect === "once" || neverRan.has(code));
}

const neverRan: ReadonlySet<string> = new Set(["not_available", "rejected", "queue_timeout"]);

/**
 * Selects the fields of an output that a contract names: the others are specific to the tool, and another tool would
 * not return them.
 */
export function pickContractFields(output: unknown, { properties, additionalProperties }: JsonSchema): unknown {
  const isOpen = !isRecord(properties) || additionalProperties === true || isRecord(additionalProperties);
  if (isOpen || !isRecord(output)) return output;
  return Object.fromEntries(Object.entries(output).filter(([key]) => Object.hasOwn(properties, key)));
}
