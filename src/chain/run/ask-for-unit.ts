import type { Failure } from "../../base/index.ts";
import type { ApprovalWait } from "../host/host.ts";
import { Approval, type ApprovalEnds, anyone, askFirst } from "./approval.ts";
import type { StepRun } from "./step-run.ts";

/** A unit of work that people are asked about. */
export interface AskedUnit {
  readonly step: StepRun;
  readonly args: unknown;
  /** It does nothing else until there is an answer. */
  waitsFor(asking: { begin(): void; cancel(): void }): void;
  /** It may go on; `waitedMs` is what people took, which is no part of its time. */
  goesOn(waitedMs: number): void;
  fail(error: Failure): void;
  cancelled(): void;
}

/** What follows an approval. */
type Approved = (approvalId: string) => void;

/** Asks what the `approval:` of the step says, about the arguments of this unit. */
export function askBefore(unit: AskedUnit, key: string, approved: Approved): void {
  const asking = askFirst(unit.step, { key, args: unit.args }, endsOf(unit, approved));
  if (asking instanceof Approval) unit.waitsFor(asking);
  else unit.fail(asking);
}

/** Asks about a call that a rule or a crash has stopped. */
export function askAbout(
  unit: AskedUnit,
  call: Pick<ApprovalWait, "tool" | "message" | "approvalId"> & { readonly key: string },
  approved: Approved,
): void {
  unit.waitsFor(new Approval(unit.step, { ...anyone, ...call, args: unit.args }, endsOf(unit, approved)));
}

function endsOf(unit: AskedUnit, approved: Approved): ApprovalEnds {
  return {
    approved: (approvalId, waitedMs) => {
      unit.goesOn(waitedMs);
      approved(approvalId);
    },
    refused: (error) => unit.fail(error),
    cancelled: () => unit.cancelled(),
  };
}
