import { type Workspace, exists, findWorkspace, openWorkspace } from "../app/index.ts";
import type { RunResult } from "../chain/index.ts";
import { withRun } from "./find-run.ts";
import type { Invocation } from "./invocation.ts";
import { journalFile } from "./open-journal.ts";
import { tellSlowLoad } from "./tell-slow-load.ts";
import { UsageError } from "./usage-error.ts";

/** A run that is looked at. */
export interface PastRun {
  readonly workspace: Workspace;
  readonly result: RunResult;
  /** Its process is gone, and nobody executes it. */
  readonly left: boolean;
}

/** Opens the workspace here to look at the run that the first word names; nothing is executed. */
export async function withPastRun<T>(
  invocation: Invocation,
  work: (past: PastRun) => Promise<T>,
  id: string = invocation.words[0] ?? "",
): Promise<T> {
  // Looking does not make a database.
  if (!(await exists(journalFile(await findWorkspace("."))))) {
    throw new UsageError(`there is no run ${JSON.stringify(id)}`, "nothing was run here yet");
  }
  const workspace = await openWorkspace(".", { reload: false, onSlowLoad: tellSlowLoad(invocation.terminal) });
  try {
    const result = await withRun(workspace.runs, { id, invocation }, () => workspace.runs.inspect(id));
    const abandoned = result.status === "running" ? await workspace.runs.list({ abandoned: true, limit: 1000 }) : [];
    return await work({ workspace, result, left: abandoned.some((run) => run.id === id) });
  } finally {
    await workspace.close();
  }
}
