import { type Failure, failure } from "../../base/index.ts";
import type { Attachment, ToolResult } from "../../tool/index.ts";
import type { Choice } from "./candidate.ts";
import type { MadeChoice } from "./choice-world.ts";
import { isEmptyFor, isNothing } from "./contract.ts";
import { type Entrant, isHarmless } from "./entrants.ts";
import { namedOnly } from "./named-only.ts";

/** What a candidate's result is worth. */
export type Verdict =
  | { readonly kind: "valid" | "empty"; readonly output: unknown; readonly attachments: readonly Attachment[] }
  | { readonly kind: "failed"; readonly failure: Failure };

type Judged = Pick<MadeChoice, "choice" | "args">;

/** A candidate that was called, and what came of it. */
export interface Tried {
  readonly entrant: Entrant;
  readonly result: ToolResult;
  readonly verdict: Verdict;
}

/**
 * Whether a result counts: it succeeded, fits the contract, and is not empty. Emptiness is only held against tools that
 * change nothing: one that did its work and has nothing to say is not called in vain.
 */
export function judge(entrant: Entrant, result: ToolResult, { choice, args }: Judged): Verdict {
  if (!result.success) return { kind: "failed", failure: result.error };
  const { attachments = [] } = result;
  const mapped =
    choice.contract === undefined ? { output: result.output } : asPromised(entrant, result.output, { choice, args });
  if ("kind" in mapped) return mapped;
  const { output } = mapped;
  const counts = isHarmless(entrant) && attachments.length === 0;
  return { kind: counts && isEmpty(output, choice) ? "empty" : "valid", output, attachments };
}

function isEmpty(output: unknown, { contract, shape }: Choice): boolean {
  if (contract !== undefined) return contract.nonEmpty !== undefined && isEmptyFor(contract, output);
  if (shape?.nonEmpty !== undefined && hasShape(output, shape)) return isEmptyFor(shape, output);
  return isNothing(output);
}

/** Is this what the contract gives? */
export function hasShape(output: unknown, { output: schema }: NonNullable<Choice["shape"]>): boolean {
  return schema !== undefined && schema.validate(output).issues === undefined;
}

/** What a tool gave, in the form of the contract. */
function asPromised(
  entrant: Entrant,
  given: unknown,
  { choice: { contract }, args }: Judged,
): { readonly output: unknown } | Extract<Verdict, { kind: "failed" }> {
  try {
    const mapping = entrant.candidate.mapping?.result;
    const output = mapping === undefined ? given : mapping.map({ item: given, input: args });
    const checked = contract?.output?.validate(output);
    if (checked === undefined) return { output };
    if (checked.issues === undefined) return { output: namedOnly(checked.value, contract?.output?.json ?? {}) };
    return unfit(entrant, checked.issues.map(({ message }) => message).join("; "));
  } catch (error) {
    // A schema that breaks is no reason to give up the others.
    return unfit(entrant, error instanceof Error ? error.message : String(error));
  }
}

function unfit({ candidate, effect }: Entrant, why: string): Extract<Verdict, { kind: "failed" }> {
  const message = `what ${candidate.label} gave does not fit the capability: ${why}`;
  // It ran, so that nobody may do the work again where that does harm; and what does not fit by now never will.
  const retry = isHarmless({ effect }) ? "never" : "unsafe";
  return { kind: "failed", failure: failure("output_invalid", message, { reason: "contract", retry }) };
}

/**
 * May another candidate be called after this one failed? Not after a person or a guard said no, and not where the work
 * may have been done already.
 */
export function mayGoOn({ entrant, result, verdict }: Tried): boolean {
  if (verdict.kind !== "failed") return verdict.kind === "empty";
  const { code, reason, retry } = verdict.failure;
  if (code === "approval_required" || code === "engine_closed") return false;
  if (code === "permission_denied") return reason === "rule";
  if (isHarmless(entrant) || result.meta.attempts === 0) return true;
  // Doing the same twice may be harmless; doing it here and there is not. So the failure has to say that nothing
  // happened, which by itself an idempotent tool's does not.
  return retry === "safe" && (entrant.effect === "once" || neverRan.has(code));
}

const neverRan: ReadonlySet<string> = new Set(["not_available", "rejected", "queue_timeout"]);
