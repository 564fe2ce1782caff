import { type Failure, failure } from "../../base/index.ts";
import type { Plan } from "../plan/plan.ts";
import type { Frame } from "./frame.ts";
import type { Unit } from "./unit.ts";

/** Chains that call chains go no deeper than this. */
export const maxChainDepth = 128;

/** A chain to run as a step, with what, and under which names. */
export interface ChainCall {
  readonly plan: () => Plan;
  readonly args: unknown;
  readonly key: string;
  /** The step's id, with item, round and fallback. */
  readonly place: string;
}

/** A frame for a sub-chain: its steps are steps of this run, in the same journal. A failure when it cannot be called. */
export function callChain(unit: Unit, call: ChainCall): Frame | Failure {
  const { frame, state } = unit.step;
  const { name } = state.step.target;
  if (frame.depth + 1 >= maxChainDepth) {
    const message = `${name} would be nested deeper than ${maxChainDepth} chains; does it call itself without an end?`;
    return failure("rejected", message, { reason: "too_deep", retry: "never" });
  }
  const plan = call.plan();
  const checked = plan.input.validate(call.args);
  if (checked instanceof Promise) return failure("validation_error", `the input of ${name} cannot be checked at once`);
  if (checked.issues !== undefined) {
    const found = checked.issues.map(({ message }) => message).join("; ");
    return failure("validation_error", `input of ${name}: ${found}`, { issues: checked.issues });
  }
  const item = unit.item === undefined ? "" : `[${unit.item.index}]`;
  const child = frame.call({
    plan,
    input: checked.value,
    context: frame.run.context,
    owner: unit,
    call: {
      frame,
      path: `${state.path}${item}/`,
      keys: `${call.key}/`,
      work: `${frame.work}${call.place}/`,
      timeoutMs: state.step.timeoutMs,
    },
  });
  state.children = unit.item === undefined ? [...child.states] : [...(state.children ?? []), ...child.states];
  return child;
}
