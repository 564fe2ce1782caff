import { isFailureError } from "../base/index.ts";
import type { ChainRuns } from "../chain/index.ts";
import { suggest } from "../text/index.ts";
import { type Invocation, commandLine } from "./invocation.ts";
import { UsageError } from "./usage-error.ts";

/** Does something with a run; a person who mistyped its id is told what it could be. */
export async function withRun<T>(
  runs: Pick<ChainRuns, "list">,
  { id, invocation }: { readonly id: string; readonly invocation: Invocation },
  work: (id: string) => Promise<T>,
): Promise<T> {
  try {
    return await work(id);
  } catch (error) {
    if (!isFailureError(error) || error.code !== "run_not_found") throw error;
    const known = await runs.list({ limit: 1000 });
    const near = suggest(
      id,
      known.map((run) => run.id),
    );
    const list = known.length === 0 ? "nothing was run here yet" : `${commandLine(invocation, "runs")} lists the runs`;
    throw new UsageError(`there is no run ${JSON.stringify(id)}`, near === undefined ? list : `did you mean ${near}?`);
  }
}
