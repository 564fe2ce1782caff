import type { ChainSpec } from "../../src/chain/index.ts";

/** A chain of sequential steps, each with references to the output of the previous one. */
export function inARow(name: string, tool: string, steps: number): ChainSpec {
  const before = (index: number): string => (index === 0 ? "input" : `steps.s${index - 1}.output`);
  return {
    name,
    steps: Array.from({ length: steps }, (_, index) => ({
      id: `s${index}`,
      tool,
      params: { query: `\${${before(index)}.query}`, value: `\${${before(index)}.value}` },
    })),
    output: `\${${before(steps)}.value}`,
  };
}
