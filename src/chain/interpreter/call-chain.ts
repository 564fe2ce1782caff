import { type Failure, failure } from "../../base/index.ts";
import { validateDeclared } from "../../schema/index.ts";
import { maxChainDepth } from "../plan/chain-depth.ts";
import type { Plan } from "../plan/plan.ts";
import type { ChainFrame, ChainFrameOwner } from "./chain-frame.ts";
import type { StepRun } from "./step-run.ts";
import type { StepState } from "./step-state.ts";
import type { Item } from "./step-view.ts";

/** Maximum number of calls of chains in one run: it ends chains that call themselves more than once. */
export const maxChainCalls = 100_000;

/** The work of a step, or of one of its items, that calls a chain. */
export interface CallingUnit extends ChainFrameOwner {
  readonly step: StepRun;
  readonly item: Item | undefined;
  readonly args: unknown;
}

/** A chain to be run as a part of a run. */
export interface SubChainCall {
  /** Name of the chain in the step that calls it. */
  readonly name: string;
  readonly plan: () => Plan;
  /** Key of the call in the journal. */
  readonly key: string;
  /** Part of idempotency keys: the same in every attempt. */
  readonly work: string;
}

/**
 * Creates a frame for a sub-chain: its steps are steps of this run, in the same journal. A failure if it cannot be
 * called.
 */
export function callChain(unit: CallingUnit, call: SubChainCall): ChainFrame | Failure {
  const { name, key, work } = call;
  const { frame, state } = unit.step;
  const { item } = unit;
  const refused = refusal(frame, name);
  if (refused !== undefined) return refused;
  const plan = call.plan();
  const checked = validateDeclared(plan.input, unit.args);
  if (checked instanceof Promise)
    return failure("validation_error", `the input of ${name} cannot be validated synchronously`);
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

function refusal(frame: ChainFrame, name: string): Failure | undefined {
  const { denied } = frame.run;
  if (denied !== undefined && Object.hasOwn(denied, name)) {
    return failure("permission_denied", denied[name] ?? "", { reason: "rule", retry: "never" });
  }
  if (frame.depth + 1 >= maxChainDepth) {
    const message = `${name} would exceed the maximum nesting of ${maxChainDepth} chains; does it call itself without end?`;
    return failure("rejected", message, { reason: "too_deep", retry: "never" });
  }
  if (++frame.run.chainCalls > maxChainCalls) {
    const message = `${name} would be call ${maxChainCalls + 1} of a chain in this run, above the maximum; does it call itself without end?`;
    return failure("rejected", message, { reason: "too_many", retry: "never" });
  }
  return undefined;
}

/** Lists the steps of a sub-chain under the step that called it: of its last call, or of all its items. */
function adopt(state: StepState, child: ChainFrame, isItem: boolean): void {
  if (!isItem || state.children === undefined) state.children = [...child.states];
  // One by one: spreading a very long list would overflow the stack.
  else for (const step of child.states) state.children.push(step);
}
