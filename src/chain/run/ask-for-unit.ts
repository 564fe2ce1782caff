import type { Failure } from "../../base/index.ts";
import { effectOf } from "../../engine/index.ts";
import type { ApprovalWait } from "../host/host.ts";
import type { Target } from "../plan/plan.ts";
import { Approval, type ApprovalEnds, type Approved, type AskedCall, anyone, askFirst } from "./approval.ts";
import { unknownEnd } from "./question-texts.ts";
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

/** What follows an approval; `done` where a person said that the work was done already. */
type Follows = (approvalId: string, done: Approved["done"]) => void;

/** Asks what the `approval:` of the step says, about the arguments of this unit. */
export function askBefore(unit: AskedUnit, call: Omit<AskedCall, "args">, approved: Follows): void {
  const asking = askFirst(unit.step, { ...call, args: unit.args }, endsOf(unit, approved));
  if (asking instanceof Approval) unit.waitsFor(asking);
  else unit.fail(asking);
}

/** May this stand in for a call that people were asked about without another question? What changes nothing may. */
export function mayStandIn({ tool, chain }: Target, args: unknown): boolean {
  try {
    const effect = tool === undefined ? chain?.().effect : effectOf(tool, args);
    return effect === "pure" || effect === "read";
  } catch {
    // An effect function that broke on these arguments.
    return false;
  }
}

/** A call that is asked about; `args` where they are not those of the unit. */
interface Call extends Pick<ApprovalWait, "tool" | "message" | "approvalId" | "interrupted"> {
  readonly key: string;
  readonly args?: unknown;
}

/** Asks about a call that a rule or a crash has stopped. */
export function askAbout(unit: AskedUnit, call: Call, approved: Follows): void {
  const ends = endsOf(unit, approved);
  const refused = (error: Failure): void =>
    unit.fail({ ...error, message: `${error.message}; ${unknownEnd(call.tool).message}` });
  wait(unit, call, call.interrupted === true ? { ...ends, refused } : ends);
}

/** Asks about a call inside of one that takes the answer itself, whatever it is. */
export function askWithin(unit: AskedUnit, call: Omit<Call, "interrupted">, answered: () => void): void {
  const refused = (_error: Failure, waitedMs: number): void => {
    unit.goesOn(waitedMs);
    answered();
  };
  wait(unit, call, { ...endsOf(unit, answered), refused });
}

function wait(unit: AskedUnit, call: Call, ends: ApprovalEnds): void {
  unit.waitsFor(new Approval(unit.step, { ...anyone, args: unit.args, ...call }, ends));
}

function endsOf(unit: AskedUnit, approved: Follows): ApprovalEnds {
  return {
    approved: ({ approvalId, waitedMs, done }) => {
      unit.goesOn(waitedMs);
      approved(approvalId, done);
    },
    refused: (error) => unit.fail(error),
    cancelled: () => unit.cancelled(),
  };
}
