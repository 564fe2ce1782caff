import { type Failure, orElse } from "../../base/index.ts";
import { resolveCallEffect } from "../../engine/index.ts";
import type { ApprovalWait } from "../../run/index.ts";
import type { Target } from "../plan/plan.ts";
import {
  StepApproval,
  type StepApprovalListener,
  type GrantedApproval,
  type ApprovalCall,
  defaultApproval,
  requestStepApproval,
  isStepApproval,
} from "./step-approval.ts";
import { unknownOutcomeFailure } from "./approval-messages.ts";
import type { StepRun } from "./step-run.ts";

/** A unit of work that needs approval. */
export interface ApprovableUnit {
  readonly step: StepRun;
  readonly args: unknown;
  /** It does nothing else until there is a decision. */
  waitsFor(pending: { begin(): void; cancel(): void }): void;
  /** It may continue; `waitedMs` is the time until the decision, which does not count as its own. */
  resumed(waitedMs: number): void;
  fail(error: Failure): void;
  cancelled(): void;
}

/** Continuation after an approval; `done` if a person confirmed that the work was done already. */
type Follows = (approvalId: string, done: GrantedApproval["done"]) => void;

/** Requests the approval that `approval:` of the step declares, for the arguments of this unit. */
export function requestUnitApproval(unit: ApprovableUnit, call: Omit<ApprovalCall, "args">, approved: Follows): void {
  const pending = requestStepApproval(unit.step, { ...call, args: unit.args }, endsOf(unit, approved));
  if (isStepApproval(pending)) unit.waitsFor(pending);
  else unit.fail(pending);
}

/**
 * True if this may replace a call that was subject to approval without another approval: only if it changes nothing.
 */
export function mayReplaceUnapproved({ tool, chain }: Target, args: unknown): boolean {
  const effect = tool === undefined ? orElse(() => chain?.().effect, "once") : resolveCallEffect(tool, args);
  return effect === "pure" || effect === "read";
}

/** A call that needs approval; `args` if they are not those of the unit. */
interface Call extends Pick<ApprovalWait, "tool" | "message" | "approvalId" | "interrupted"> {
  readonly key: string;
  readonly args?: unknown;
}

/** Requests approval for a call that a rule or a crash has stopped. */
export function requestCallApproval(unit: ApprovableUnit, call: Call, approved: Follows): void {
  const ends = endsOf(unit, approved);
  const refused = (error: Failure, waitedMs: number): void =>
    ends.refused({ ...error, message: `${error.message}; ${unknownOutcomeFailure(call.tool).message}` }, waitedMs);
  wait(unit, call, call.interrupted === true ? { ...ends, refused } : ends);
}

/** Requests approval for a nested call whose tool handles the decision itself, whether approved or rejected. */
export function requestNestedApproval(
  unit: ApprovableUnit,
  call: Omit<Call, "interrupted">,
  answered: () => void,
): void {
  const refused = (_error: Failure, waitedMs: number): void => {
    unit.resumed(waitedMs);
    answered();
  };
  wait(unit, call, { ...endsOf(unit, answered), refused });
}

function wait(unit: ApprovableUnit, call: Call, ends: StepApprovalListener): void {
  unit.waitsFor(new StepApproval(unit.step, { ...defaultApproval, args: unit.args, ...call }, ends));
}

function endsOf(unit: ApprovableUnit, approved: Follows): StepApprovalListener {
  return {
    approved: ({ approvalId, waitedMs, done }) => {
      unit.resumed(waitedMs);
      approved(approvalId, done);
    },
    refused: (error, waitedMs) => {
      unit.resumed(waitedMs);
      unit.fail(error);
    },
    cancelled: () => unit.cancelled(),
  };
}
