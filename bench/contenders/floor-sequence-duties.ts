import type { ChainContender } from "../contender.ts";
import { type SequenceTask, inputOf } from "./chain-workload.ts";
import { type Duties, type StepState, allDuties, follow, guardedWithDuties, newState } from "./guarded-duties.ts";

/**
 * Sequential guarded calls that also do the other duties of a chain step by hand: arguments from references, a state
 * for the log, an id, a record, a copy of the arguments, the output check, a permission rule, and registration for
 * cancellation.
 */
export function create({ tool, steps }: SequenceTask, variant?: string): ChainContender {
  const without = variant?.startsWith("without-") === true ? variant.slice("without-".length) : undefined;
  const duties: Duties = { ...allDuties, ...(without !== undefined && { [without]: false }) };
  const call = guardedWithDuties(new Map([[tool.name, tool]]), 1000, duties);
  // References are compiled beforehand: the index of a step, then the property names to follow.
  const plan = Array.from({ length: steps }, (_, index) => ({
    id: `s${index}`,
    params: ["query", "value"].map((key) => ({ key, step: index - 1, names: [key] })),
  }));
  return {
    async run(value) {
      const input = inputOf(value);
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
