import type { DagContender } from "../contender.ts";
import { type DagStep, type DagTask, levelsOf } from "./dag-workload.ts";

/** By hand: a promise per step that awaits its dependencies, or one level of the graph after the other. */
export function create({ steps, schema, run }: DagTask, variant: "promises" | "levels"): DagContender {
  const valuesFor = (step: DagStep, done: ReadonlyMap<string, { value: number }>): number[] =>
    step.needs.map((need) => done.get(need)?.value ?? Number.NaN);
  if (variant === "levels") {
    const levels = levelsOf(steps);
    return {
      async run() {
        const done = new Map<string, { value: number }>();
        for (const level of levels) {
          const all = level.map((step) => run(schema.parse({ ms: step.ms, values: valuesFor(step, done) })));
          for (const [index, input] of (await Promise.all(all)).entries()) done.set(level[index]?.id ?? "", input);
        }
        return steps.map(({ id }) => done.get(id)?.value);
      },
    };
  }
  return {
    async run() {
      const begun = new Map<string, Promise<number>>();
      for (const { id, ms, needs } of steps) {
        const begin = async (): Promise<number> => {
          const values = await Promise.all(needs.map(async (need) => begun.get(need)));
          return (await run(schema.parse({ ms, values }))).value;
        };
        begun.set(id, begin());
      }
      return Promise.all(begun.values());
    },
  };
}
