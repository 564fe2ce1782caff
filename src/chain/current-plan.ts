import { fail, isFailureError } from "../base/index.ts";
import type { StoredRun } from "../store/index.ts";
import type { ChainRunsParts, ExecuteOptions } from "./execute-options.ts";
import type { Plan } from "./plan/plan.ts";
import { fileOfSnapshot } from "./plan/snapshot.ts";
import { checkInput } from "./run-chain.ts";
import { planOf } from "./stored-plan.ts";

/** The chain of a run as it is now, and where it was read from. */
export interface CurrentPlan {
  readonly plan: Plan;
  readonly file: string | undefined;
}

/**
 * The chain of a run as it is now: of the file that it was run from, else of that name. Where it is gone, as it was
 * then, which is told.
 */
export async function currentPlan(
  run: Pick<StoredRun, "id" | "chain" | "definition">,
  { chains, files }: Pick<ChainRunsParts, "chains" | "files">,
  onNotice: ExecuteOptions["onNotice"],
): Promise<CurrentPlan> {
  const file = fileOfSnapshot(run.definition);
  const plan = await (file === undefined ? byName(run.chain, chains) : files?.load(file));
  if (plan !== undefined) return { plan, file };
  const what = file === undefined ? `there is no chain named "${run.chain}" any more` : `${file} is no longer there`;
  onNotice?.(`${what}; the chain is run as run ${run.id} kept it`);
  return { plan: planOf(run.definition, chains.context), file };
}

/** The input of a run as a chain takes it now, with its defaults. Throws when it does not fit any more. */
export function inputFor(plan: Plan, { id, input }: Pick<StoredRun, "id" | "input">): unknown {
  try {
    // Written when the run began.
    return checkInput(plan, JSON.parse(input));
  } catch (error) {
    if (!isFailureError(error) || error.issues === undefined) throw error;
    const found = error.issues.map(({ message }) => message).join("; ");
    const message = `the input of run ${id} does not fit ${plan.name} as it is now: ${found}; start it anew with windlass run`;
    throw fail(message, { code: "validation_error", issues: error.issues });
  }
}

function byName(name: string, chains: ChainRunsParts["chains"]): Plan | undefined {
  return chains.has(name) ? chains.plan(name) : undefined;
}
