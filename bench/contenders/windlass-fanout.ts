import type { ChainSpec } from "../../src/chain/index.ts";
import type { ChainContender } from "../contender.ts";
import { loadChains, loadSubject } from "../subject.ts";
import { type FanoutTask, inputOf, searchTool, sumTool } from "./chain-workload.ts";

/** A chain with parallel steps and one that refers to all of them, or one `for_each` step over a list. */
export async function create({ steps }: FanoutTask, variant: "steps" | "for_each"): Promise<ChainContender> {
  const { defineTool, createEngine } = await loadSubject();
  const { loadPlan, runChain } = await loadChains();
  const { schema: parameters, ...search } = searchTool;
  const { schema: values, ...sum } = sumTool;
  const engine = createEngine({
    tools: [
      defineTool({ ...search, effect: "read", input: parameters }),
      defineTool({ ...sum, effect: "read", input: values }),
    ],
  });
  const plan = await loadPlan(variant === "steps" ? manySteps(steps) : manyItems(steps), engine);
  const chainInput = (input: number): unknown =>
    variant === "steps" ? inputOf(input) : { all: Array.from({ length: steps }, () => inputOf(input)) };
  return {
    async run(input) {
      const result = await runChain(plan, { engine, input: chainInput(input) });
      if (!result.success) throw new Error(result.error?.message);
      return result.output;
    },
  };
}

const output = "${steps.join.output.value}";

function manySteps(count: number): ChainSpec {
  const ids = Array.from({ length: count }, (_, index) => `s${index}`);
  const join = { id: "join", tool: sumTool.name, params: { values: ids.map((id) => `\${steps.${id}.output.value}`) } };
  const params = { query: "${input.query}", value: "${input.value}" };
  return {
    name: "many-steps",
    max_parallel: count,
    steps: [...ids.map((id) => ({ id, tool: searchTool.name, params })), join],
    output,
  };
}

function manyItems(count: number): ChainSpec {
  const each = {
    for_each: "${input.all}",
    concurrency: count,
    params: { query: "${item.query}", value: "${item.value}" },
  };
  return {
    name: "many-items",
    steps: [
      { id: "each", tool: searchTool.name, ...each },
      { id: "join", tool: sumTool.name, params: { values: "${steps.each.output[*].value}" } },
    ],
    output,
  };
}
