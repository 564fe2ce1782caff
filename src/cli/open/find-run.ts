import { isFailureError } from "../../base/index.ts";
import type { ChainRuns } from "../../chain/index.ts";
import type { RunKindId } from "../../store/index.ts";
import type { Workspace } from "../../app/index.ts";
import { suggest } from "../../text/index.ts";
import { type Invocation, commandLine } from "../program/invocation.ts";
import { withJournal } from "./open-journal.ts";
import { UsageError } from "../program/usage-error.ts";

/** The id of the newest run; a run that is called `last` itself is meant by its id. */
export function findLastRun(): Promise<string> {
  return withJournal(async ({ store }) => {
    if ((await store?.runs.read("last")) !== undefined) return "last";
    const [newest] = (await store?.runs.list({ limit: 1 })) ?? [];
    if (newest === undefined) throw new UsageError("there is no last run", "no runs yet");
    return newest.id;
  });
}

/** Runs `work` on a run; suggests similar ids if there is no such run. */
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
    const list = known.length === 0 ? "no runs yet" : `list runs with: ${commandLine(invocation, "runs")}`;
    throw new UsageError(`there is no run ${JSON.stringify(id)}`, near === undefined ? list : `did you mean ${near}?`);
  }
}

/** The kind of this run; undefined if there is no such run. */
export async function runKindOf({ store }: Pick<Workspace, "store">, id: string): Promise<RunKindId | undefined> {
  return (await store?.runs.read(id))?.run.kind;
}
