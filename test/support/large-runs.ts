import { z } from "zod";
import { ChainLibrary, type ChainSpec, planChain, runChain } from "../../src/chain.ts";
import { createEngine } from "../../src/engine/index.ts";
import { defineTool } from "../../src/tool/index.ts";

const add = defineTool({
  name: "add",
  description: "Adds.",
  effect: "pure",
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});

const large = defineTool({
  name: "large",
  description: "Gives five megabytes.",
  effect: "pure",
  input: z.object({}),
  run: () => ({ rows: Array.from({ length: 50_000 }, (_, id) => ({ id, text: "x".repeat(80) })) }),
});

const measure = defineTool({
  name: "measure",
  description: "Counts rows.",
  effect: "pure",
  input: z.object({ rows: z.array(z.unknown()) }),
  run: ({ rows }) => rows.length,
});

const pause = defineTool({
  name: "pause",
  description: "Waits for a moment.",
  effect: "read",
  input: z.object({ a: z.number() }),
  run: async ({ a }) => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    return a + 1;
  },
});

const engine = createEngine({ tools: [add, large, measure, pause] });

async function outputOf(spec: ChainSpec, others: readonly ChainSpec[] = []): Promise<unknown> {
  const chains = new ChainLibrary({ tools: engine.tools });
  for (const other of others) chains.add({ name: other.name, spec: other });
  const { plan, problems } = planChain({ spec }, chains.context);
  if (plan === undefined) throw new Error(problems.map(({ message }) => message).join("\n"));
  const run = await runChain(plan, { engine, chains });
  if (!run.success) throw new Error(`${spec.name}: ${run.error?.message ?? run.status}`);
  return run.output;
}

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `s${index}`);

/** Steps one after the other, each reading the one before. */
function sequence(count: number, tool: string, first: object): ChainSpec["steps"] {
  return ids(count).map((id, index) => ({
    id,
    tool,
    params: { ...first, a: index === 0 ? 0 : `\${steps.s${index - 1}.output}` },
  }));
}

/** Very large runs, each with its expected output. Every one can be run by itself. */
export const largeRuns: Readonly<Record<string, { readonly expected: unknown; readonly run: () => Promise<unknown> }>> =
  {
    "10,000 steps side by side, and one that waits for all": {
      expected: 10_000,
      run: () =>
        outputOf({
          name: "fan-out",
          max_parallel: 10_000,
          steps: [
            ...ids(10_000).map((id, a) => ({ id, tool: "add", params: { a, b: 1 } })),
            { id: "join", tool: "add", params: { a: "${steps.s9999.output}", b: 0 }, depends_on: ids(10_000) },
          ],
          output: "${steps.join.output}",
        }),
    },
    "1,000 steps one after the other": {
      expected: 1000,
      run: () => outputOf({ name: "line", steps: sequence(1000, "add", { b: 1 }), output: "${steps.s999.output}" }),
    },
    "chains called 100 deep": {
      expected: 101,
      run: () => {
        const others = ids(100).map((name, depth) => ({
          name: `deep-${depth}`,
          input: { a: "number" },
          steps: [
            depth === 99
              ? { id: name, tool: "add", params: { a: "${input.a}", b: 1 } }
              : { id: name, tool: `deep-${depth + 1}`, params: { a: "${input.a + 1}" } },
          ],
          output: `\${steps.${name}.output}`,
        }));
        return outputOf(
          { name: "deep", steps: [{ id: "s", tool: "deep-0", params: { a: 1 } }], output: "${steps.s.output}" },
          others,
        );
      },
    },
    "a step output of 5 MB, read by ten steps": {
      expected: 500_000,
      run: () =>
        outputOf({
          name: "large-output",
          steps: [
            { id: "large", tool: "large" },
            ...ids(10).map((id) => ({ id, tool: "measure", params: { rows: "${steps.large.output.rows}" } })),
          ],
          output: `\${${ids(10)
            .map((id) => `steps.${id}.output`)
            .join(" + ")}}`,
        }),
    },
    "500 runs at once, of 10 steps of 10 ms": {
      expected: 5000,
      run: async () => {
        const spec: ChainSpec = { name: "ten", steps: sequence(10, "pause", {}), output: "${steps.s9.output}" };
        const outputs = await Promise.all(Array.from({ length: 500 }, () => outputOf(spec)));
        return outputs.reduce((sum: number, output) => sum + Number(output), 0);
      },
    },
  };
