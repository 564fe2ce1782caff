import { type Workspace, exists, findWorkspace, openWorkspace } from "../app/index.ts";
import type { RunResult } from "../chain/index.ts";
import { withRun } from "./find-run.ts";
import { type StoredRun, isAgentRun } from "../store/index.ts";
import type { Invocation } from "./invocation.ts";
import { journalFile } from "./open-journal.ts";
import type { PastAgent } from "./past-agent.ts";
import { tellSlowLoad } from "./tell-slow-load.ts";
import { UsageError } from "./usage-error.ts";

/** A run that is looked at. */
export interface PastRun {
  readonly workspace: Workspace;
  readonly result: RunResult;
  /** Its process is gone, and nobody executes it. */
  readonly left: boolean;
}

/** Which run to look at, and how. */
export interface PastRunOptions<T> {
  /** The first word where absent. */
  readonly id?: string;
  /** Looks at it where it is a run of an agent; where absent, such a run is refused. */
  readonly ofAgent?: (past: PastAgent) => Promise<T>;
}

/** Opens the workspace here to look at the run that the first word names; nothing is executed. */
export async function withPastRun<T>(
  invocation: Invocation,
  work: (past: PastRun) => Promise<T>,
  { id = invocation.words[0] ?? "", ofAgent }: PastRunOptions<T> = {},
): Promise<T> {
  // Looking does not make a database.
  if (!(await exists(journalFile(await findWorkspace("."))))) {
    throw new UsageError(`there is no run ${JSON.stringify(id)}`, "nothing was run here yet");
  }
  const workspace = await openWorkspace(".", { reload: false, onSlowLoad: tellSlowLoad(invocation.terminal) });
  try {
    const kept = ofAgent === undefined ? undefined : await workspace.store?.runs.read(id);
    if (ofAgent !== undefined && kept !== undefined && isAgentRun(kept.run)) {
      return await ofAgent({ workspace, run: kept.run, left: await isLeft(workspace, kept.run) });
    }
    const result = await withRun(workspace.runs, { id, invocation }, () => workspace.runs.inspect(id));
    return await work({ workspace, result, left: await isLeft(workspace, { id, status: result.status }) });
  } finally {
    await workspace.close();
  }
}

async function isLeft({ runs }: Workspace, { id, status }: Pick<StoredRun, "id" | "status">): Promise<boolean> {
  const abandoned = status === "running" ? await runs.list({ abandoned: true, limit: 1000 }) : [];
  return abandoned.some((run) => run.id === id);
}
