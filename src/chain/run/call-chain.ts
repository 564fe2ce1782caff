import { type Failure, failure } from "../../base/index.ts";
import { maxChainDepth } from "../plan/chain-depth.ts";
import type { Plan } from "../plan/plan.ts";
import type { Frame, FrameOwner } from "./frame.ts";
import type { StepState } from "./step-state.ts";

/** One run makes no more calls of chains than this: chains that call themselves twice over have no other end. */
export const maxChainCalls = 100_000;

/** A chain to be run as a part of a run. */
export interface ChainCall {
  /** What the chain is called in the step that calls it. */
  readonly name: string;
  readonly plan: () => Plan;
  readonly args: unknown;
  readonly owner: FrameOwner;
  /** Prefixes of its steps in what people see, in the journal, and in idempotency keys; see `FrameCall`. */
  readonly path: string;
  readonly keys: string;
  readonly work: string;
  readonly timeoutMs: number | undefined;
}

/** A frame for a sub-chain: its steps are steps of this run, in the same journal. A failure when it cannot be called. */
export function callChain(frame: Frame, call: ChainCall): Frame | Failure {
  const { name, owner, path, keys, work, timeoutMs } = call;
  const refused = refusal(frame, name);
  if (refused !== undefined) return refused;
  const plan = call.plan();
  const checked = plan.input.validate(call.args);
  if (checked instanceof Promise) return failure("validation_error", `the input of ${name} cannot be checked at once`);
  if (checked.issues !== undefined) {
    const found = checked.issues.map(({ message }) => message).join("; ");
    return failure("validation_error", `input of ${name}: ${found}`, { issues: checked.issues });
  }
  const { context } = frame.run;
  return frame.call({ plan, input: checked.value, context, owner, call: { frame, path, keys, work, timeoutMs } });
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
export function adopt(state: StepState, child: Frame, isItem: boolean): void {
  if (!isItem || state.children === undefined) state.children = [...child.states];
  // One by one: a list of any length can be added.
  else for (const step of child.states) state.children.push(step);
}
