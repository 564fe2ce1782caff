import type { StoredRun } from "./runs.ts";

/** Runs of agents are kept beside those of chains, under names that no chain can have. */
const prefix = "agent:";

/** The name under which runs of this runner are kept, where those of a chain have the chain's. */
export function agentRunName(runner: string): string {
  return prefix + runner;
}

/** Is this a run of an agent, and not of a chain? */
export function isAgentRun({ chain }: Pick<StoredRun, "chain">): boolean {
  return chain.startsWith(prefix);
}

/** The runner of such a run. */
export function runnerOf({ chain }: Pick<StoredRun, "chain">): string {
  return chain.slice(prefix.length);
}
