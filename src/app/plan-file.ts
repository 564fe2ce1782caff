import { ChainError, type Plan, type PlanContext, type PlannedChain, planChain } from "../chain/index.ts";
import { nameIn } from "./chain-file.ts";

/** Plans a file of a chain. Its own name means this file, also where the library has another chain of that name. */
export function planFile(source: { readonly text: string; readonly file: string }, context: PlanContext): PlannedChain {
  const name = nameIn(source.text, source.file);
  const own: { planned?: PlannedChain } = {};
  const within: PlanContext = {
    ...context,
    chains: (wanted) => (wanted === name ? self : context.chains?.(wanted)),
  };
  const self = (): Plan => {
    // While it is being planned, the planner gives what it has so far.
    const { plan, problems } = own.planned ?? planChain(source, within);
    if (plan === undefined) throw new ChainError(problems, source.text);
    return plan;
  };
  own.planned = planChain(source, within);
  return own.planned;
}
