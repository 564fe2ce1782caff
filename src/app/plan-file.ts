import { ChainError, type Plan, type PlanContext, type PlanChainResult, planChain } from "../chain/index.ts";
import { chainNameIn } from "./chain-file.ts";

/** Plans a chain file. Its own name refers to this file, even if the library has another chain of that name. */
export function planFile(
  source: { readonly text: string; readonly file: string },
  context: PlanContext,
): PlanChainResult {
  const name = chainNameIn(source.text, source.file);
  const own: { planned?: PlanChainResult } = {};
  const within: PlanContext = {
    ...context,
    chains: (requested) => (requested === name ? self : context.chains?.(requested)),
  };
  const self = (): Plan => {
    // While it is being planned, the planner returns its partial plan.
    const { plan, problems } = own.planned ?? planChain(source, within);
    if (plan === undefined) throw new ChainError(problems, source.text);
    return plan;
  };
  own.planned = planChain(source, within);
  return own.planned;
}
