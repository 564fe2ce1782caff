import { join } from "node:path";
import { openSqlite } from "../../src/adapters/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import type { DurableContender } from "../contender.ts";
import { loadChains, loadSubject } from "../subject.ts";
import { inputOf, searchTool } from "./chain-workload.ts";
import { inARow } from "./windlass-in-a-row.ts";

/** Durable runs, as the CLI executes them: every step has a writing effect, so its start is on disk before it runs. */
export async function create(folder: string, steps: number): Promise<DurableContender> {
  const { defineTool, createEngine } = await loadSubject();
  const { ChainLibrary, ChainRuns, loadPlan } = await loadChains();
  const redactor = createRedactor(["hunter2secret"]);
  const store = await openSqlite({ file: join(folder, "journal.db"), redactor });
  const { schema, ...search } = searchTool;
  const engine = createEngine({
    tools: [defineTool({ ...search, effect: "idempotent", input: schema })],
    records: store.records,
    redactor,
  });
  const chains = new ChainLibrary({ tools: engine.tools });
  const { runs: journal, approvals } = store;
  const runs = new ChainRuns({ engine, journal, approvals, chains });
  const plan = await loadPlan(inARow("durable", search.name, steps), engine);
  return {
    run: (count) =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const result = await runs.start(plan, { input: inputOf(0) });
          if (!result.success) throw new Error(result.error?.message);
          return result.output;
        }),
      ),
    steps: async () => (await store.stats()).records,
  };
}
