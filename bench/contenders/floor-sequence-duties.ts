import type { ChainContender } from "../contender.ts";
import { type SequenceTask, givenOf } from "./chain-workload.ts";
import { type Duties, type StepState, allDuties, follow, guardedWithDuties, newState } from "./guarded-duties.ts";

/**
 * Guarded calls in a row that do by hand what a step of a chain does besides: arguments from references, a state for
 * the log, an id, a record, an own copy of the arguments, the check of the output, a rule, and being found to be stopped.
 */
export function create({ tool, steps }: SequenceTask, variant?: string): ChainContender {
  const without = variant?.startsWith("without-") === true ? variant.slice("without-".length) : undefined;
  const duties: Duties = { ...allDuties, ...(without !== undefined && { [without]: false }) };
  const call = guardedWithDuties(new Map([[tool.name, tool]]), 1000, duties);
  // References are resolved before: a step by its place, then the names to follow.
  const plan = Array.from({ length: steps }, (_, index) => ({
    id: `s${index}`,
    params: ["query", "value"].map((key) => ({ key, step: index - 1, names: [key] })),
  }));
  return {
    async run(value) {
      const input = givenOf(value);
      const states = plan.map(({ id }) => newState(id));
      for (let index = 0; index < steps; index++) {
        const args: Record<string, unknown> = {};
        for (const { key, step, names } of plan[index]?.params ?? []) {
          const item = follow(step < 0 ? input : states[step]?.output, names);
          if (item !== undefined) args[key] = item;
        }
        const state = states[index] as StepState;
        await call(tool.name, args, state);
        if (state.status !== "success") throw new Error(state.error);
      }
      return follow(states.at(-1)?.output, ["value"]);
    },
  };
}
