import type { ChainContender } from "../contender.ts";
import { loadChains, loadSubject } from "../subject.ts";
import type { SequenceTask } from "./chain-workload.ts";

/** A chain of steps, each with a reference to the one before. `listened`: somebody listens to all that happens. */
export async function create({ tool, steps }: SequenceTask, variant?: "listened"): Promise<ChainContender> {
  const { defineTool, createEngine } = await loadSubject();
  const { loadPlan, runChain } = await loadChains();
  const { name, description, schema, run } = tool;
  const engine = createEngine({ tools: [defineTool({ name, description, effect: "read", input: schema, run })] });
  const step = (index: number): { id: string; tool: string; params: { value: string } } => ({
    id: `s${index}`,
    tool: name,
    params: { value: index === 0 ? "${input.value}" : `\${steps.s${index - 1}.output.value}` },
  });
  const plan = await loadPlan(
    {
      name: "sequence",
      steps: Array.from({ length: steps }, (_, index) => step(index)),
      output: `\${steps.s${steps - 1}.output.value}`,
    },
    engine,
  );
  let events = 0;
  if (variant === "listened") engine.subscribe(() => events++);
  const listening = variant === "listened" ? { onEvent: () => events++ } : {};
  return {
    async run(value) {
      const result = await runChain(plan, { engine, input: { value }, ...listening });
      if (!result.success) throw new Error(result.error?.message);
      if (variant === "listened" && events === 0) throw new Error("no event reached the listener");
      return result.output;
    },
  };
}
