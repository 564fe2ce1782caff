import { type Failure, failure } from "../../base/index.ts";
import { maxChainDepth } from "../plan/chain-depth.ts";
import type { Plan } from "../plan/plan.ts";
import type { Frame, FrameOwner } from "./frame.ts";
import type { StepRun } from "./step-run.ts";
import type { StepState } from "./step-state.ts";
import type { Item } from "./step-view.ts";

/** One run makes no more calls of chains than this: chains that call themselves twice over have no other end. */
export const maxChainCalls = 100_000;

/** The work of a step, or of one of its items, that calls a chain. */
export interface CallingUnit extends FrameOwner {
  readonly step: StepRun;
  readonly item: Item | undefined;
  readonly args: unknown;
}

/** A chain to be run as a part of a run. */
export interface ChainCall {
  /** What the chain is called in the step that calls it. */
  readonly name: string;
  readonly plan: () => Plan;
  /** Of the call in the journal. */
  readonly key: string;
  /** Of the call in idempotency keys: the same in every attempt. */
  readonly work: string;
}

/** A frame for a sub-chain: its steps are steps of this run, in the same journal. A failure when it cannot be called. */
export function callChain(unit: CallingUnit, call: ChainCall): Frame | Failure {
  const { name, key, work } = call;
  const { frame, state } = unit.step;
  const { item } = unit;
  const refused = refusal(frame, name);
  if (refused !== undefined) return refused;
  const plan = call.plan();
  const checked = plan.input.validate(unit.args);
  if (checked instanceof Promise) return failure("validation_error", `the input of ${name} cannot be checked at once`);
  if (checked.issues !== undefined) {
    const found = checked.issues.map(({ message }) => message).join("; ");
    return failure("validation_error", `input of ${name}: ${found}`, { issues: checked.issues });
  }
  const { context } = frame.run;
  const called = frame.call({
    plan,
    input: checked.value,
    context,
    owner: unit,
    call: {
      frame,
      path: item === undefined ? `${state.path}/` : `${state.path}[${item.index}]/`,
      keys: `${key}/`,
      work: `${frame.work}${work}/`,
      timeoutMs: state.step.timeoutMs,
    },
  });
  adopt(state, called, item !== undefined);
  return called;
}

function refusal(frame: Frame, name: string): Failure | undefined {
  const { denied } = frame.run;
  if (denied !== undefined && Object.hasOwn(denied, name)) {
    return failure("permission_denied", denied[name] ?? "", { reason: "rule", retry: "never" });
  }
  if (frame.depth + 1 >= maxChainDepth) {
    const message = `${name} would be nested deeper than ${maxChainDepth} chains; does it call itself without an end?`;
    return failure("rejected", message, { reason: "too_deep", retry: "never" });
  }
  if (++frame.run.chainCalls > maxChainCalls) {
    const message = `${name} would be call ${maxChainCalls + 1} of a chain in this run; does it call itself without an end?`;
    return failure("rejected", message, { reason: "too_many", retry: "never" });
  }
  return undefined;
}

/** Lists the steps of a sub-chain with the step that called it: of its last call, or of all its items'. */
function adopt(state: StepState, child: Frame, isItem: boolean): void {
  if (!isItem || state.children === undefined) state.children = [...child.states];
  // One by one: a list of any length can be added.
  else for (const step of child.states) state.children.push(step);
}
