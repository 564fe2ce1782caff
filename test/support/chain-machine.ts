import { ChainRuns } from "../../src/chain/chain-runs.ts";
import type { ChainFileLookup } from "../../src/chain/execute-options.ts";
import { type MockAnswer, mockTools } from "../../src/testing/chain/mock-tools.ts";
import { ChainLibrary } from "../../src/chain/chain-library.ts";
import type { ChainSpec } from "../../src/chain/plan/chain-spec.ts";
import { createEngine } from "../../src/engine/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../../src/store/index.ts";
import { FakeClock } from "./fake-clock.ts";

/** One machine: a journal and approvals that processes share. */
export function machine(specs: readonly ChainSpec[], behaviours: Readonly<Record<string, MockAnswer>>) {
  const clock = new FakeClock();
  const approvals = createInMemoryApprovals({ clock });
  const journal = createInMemoryRunJournal({ clock, approvals });
  const chainNames = new Set(specs.map(({ name }) => name));
  const names = specs.flatMap((spec) => [...mockTools(spec)].map(({ name }) => name));
  const tools = mockTools(
    names.filter((name) => !chainNames.has(name)),
    behaviours,
  );
  const process = (changed: readonly ChainSpec[] = specs, files?: ChainFileLookup) => {
    const engine = createEngine({ tools, clock });
    const chains = new ChainLibrary({ tools: engine.tools });
    for (const spec of changed) chains.add({ name: spec.name, spec });
    const env = { HOME: "/home/ann" };
    const runs = new ChainRuns({ engine, journal, approvals, chains, clock, env, ...(files && { files }) });
    return { runs, chains, plan: (name: string) => chains.plan(name) };
  };
  return { clock, journal, approvals, tools, process };
}
