import type { ChainContender } from "../contender.ts";
import { loadChains, loadSubject } from "../subject.ts";
import { type SequenceTask, inputOf } from "./chain-workload.ts";
import { inARow } from "./windlass-in-a-row.ts";

/** A chain of steps, each with references to the previous one. `listened`: a listener receives all events. */
export async function create({ tool, steps }: SequenceTask, variant?: "listened"): Promise<ChainContender> {
  const { defineTool, createEngine } = await loadSubject();
  const { loadPlan, runChain } = await loadChains();
  const { name, description, schema, run } = tool;
  const engine = createEngine({ tools: [defineTool({ name, description, effect: "read", input: schema, run })] });
  const plan = await loadPlan(inARow("sequence", name, steps), engine);
  let events = 0;
  if (variant === "listened") engine.subscribe(() => events++);
  const listening = variant === "listened" ? { onEvent: () => events++ } : {};
  return {
    async run(value) {
      const result = await runChain(plan, { engine, input: inputOf(value), ...listening });
      if (!result.success) throw new Error(result.error?.message);
      if (variant === "listened" && events === 0) throw new Error("no event reached the listener");
      return result.output;
    },
  };
}
