import type { Failure } from "../../base/index.ts";
import type { NestedApproval } from "../../run/index.ts";
import type { Target } from "../plan/plan.ts";
import { type ApprovableUnit, requestCallApproval, requestNestedApproval } from "./request-unit-approval.ts";
import { interruptionMessage, ruleApprovalMessage } from "./approval-messages.ts";

/** Decision of a person about a unit whose call was stopped. */
export type ApprovalGrant =
  /** The call itself, with this approval. */
  | { readonly kind: "call"; readonly approvalId: string }
  /** A nested call of its tool, with the key of its approval; without a key, the tool gets the decision itself. */
  | { readonly kind: "inner"; readonly key: string | undefined }
  /** No call: the work was done, with this output. */
  | { readonly kind: "done"; readonly output: unknown };

/** A unit whose call was stopped by a rule or a crash, until a person decides. */
export interface BlockedUnit extends ApprovableUnit {
  /** Tool or chain that it calls. */
  readonly target: Target;
  /** Approval whose decision is handed to its tool. */
  answered: string | undefined;
  approvalGranted(grant: ApprovalGrant): void;
}

/** Requests approval for a call that a rule has stopped. */
export function requestRuleApproval(unit: BlockedUnit, key: string, approvalId: string): void {
  const { name: tool } = unit.target;
  requestCallApproval(unit, { key, tool, message: ruleApprovalMessage(tool), approvalId }, (id) =>
    unit.approvalGranted({ kind: "call", approvalId: id }),
  );
}

/**
 * Requests approval for a nested call, whose outer call failed because of it. The outer call is then repeated and lets
 * the nested call run.
 */
export function requestInnerApproval(
  unit: BlockedUnit,
  { key, error }: { readonly key: string; readonly error: Failure },
  { key: inner, ...approval }: NestedApproval,
): void {
  // An approval that is requested although it has been decided would be requested forever.
  if (approval.approvalId === unit.answered) return unit.fail(error);
  if (inner === undefined) unit.answered = approval.approvalId;
  const again = (): void => unit.approvalGranted({ kind: "inner", key: inner });
  const request = inner === undefined ? requestNestedApproval : requestCallApproval;
  request(unit, { ...approval, key }, again);
}

/** It is unknown whether the work was done, and it must not be done twice: a person decides. */
export function requestInterruptionDecision(unit: BlockedUnit, key: string, startedAt: number): void {
  const { name: tool } = unit.target;
  const message = interruptionMessage(tool, startedAt);
  requestCallApproval(unit, { key, tool, message, approvalId: undefined, interrupted: true }, (approvalId, done) => {
    unit.approvalGranted(done === undefined ? { kind: "call", approvalId } : { kind: "done", output: done.output });
  });
}
