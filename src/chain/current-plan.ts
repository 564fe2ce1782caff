import { fail, isFailureError, cliCommand } from "../base/index.ts";
import type { StoredRun } from "../store/index.ts";
import type { ChainRunsDeps, ExecuteRunOptions } from "./execute-options.ts";
import type { Plan } from "./plan/plan.ts";
import { fileOfSnapshot } from "./plan/snapshot.ts";
import { parseRunInput } from "./run-chain.ts";
import { notifyRun } from "./texts/chain-texts.ts";
import { planStoredRun } from "./stored-plan.ts";

/** The current chain of a run, and the file that it was read from. */
export interface CurrentPlan {
  readonly plan: Plan;
  readonly file: string | undefined;
}

/**
 * Returns the current chain of a run: from the file that it was run from, else by name. If the chain no longer exists,
 * returns it as stored with the run, with a notice.
 */
export async function currentPlan(
  run: Pick<StoredRun, "id" | "name" | "definition">,
  { chains, files }: Pick<ChainRunsDeps, "chains" | "files">,
  onNotice: ExecuteRunOptions["onNotice"],
): Promise<CurrentPlan> {
  const file = fileOfSnapshot(run.definition);
  const plan = await (file === undefined ? byName(run.name, chains) : files?.load(file));
  if (plan !== undefined) return { plan, file };
  const params = { run: run.id, chain: run.name, ...(file !== undefined && { file }) };
  notifyRun(onNotice, { code: "chain_gone", params });
  return { plan: planStoredRun(run.definition, chains.context), file };
}

/** The input of a run as validated by the current chain, with its defaults. Throws if it is no longer valid. */
export function parseRerunInput(plan: Plan, { id, input }: Pick<StoredRun, "id" | "input">): unknown {
  try {
    // Written when the run started.
    return parseRunInput(plan, JSON.parse(input));
  } catch (error) {
    if (!isFailureError(error) || error.issues === undefined) throw error;
    const found = error.issues.map(({ message }) => message).join("; ");
    const message = `the input of run ${id} does not fit the current version of ${plan.name}: ${found}; start a new run with: ${cliCommand("run")}`;
    throw fail(message, { code: "validation_error", issues: error.issues });
  }
}

function byName(name: string, chains: ChainRunsDeps["chains"]): Plan | undefined {
  return chains.has(name) ? chains.plan(name) : undefined;
}
