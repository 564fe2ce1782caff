import { type Workspace, pathExists, findWorkspace } from "../../app/index.ts";
import type { RunResult } from "../../chain/index.ts";
import { withRun } from "./find-run.ts";
import type { StoredRun } from "../../store/index.ts";
import type { Invocation } from "../program/invocation.ts";
import { journalFile } from "./open-journal.ts";
import type { InspectedAgentRun } from "./inspect-agent-run.ts";
import { openHere } from "./open-here.ts";
import { reportSlowLoad } from "./report-slow-load.ts";
import { UsageError } from "../program/usage-error.ts";

/** A run to inspect. */
export interface InspectedRun {
  readonly workspace: Workspace;
  readonly result: RunResult;
  /** True if its process has died and no other process holds it. */
  readonly isInterrupted: boolean;
}

/** The run to inspect, and how. */
export interface InspectRunOptions<T> {
  /** Default: the first word. */
  readonly id?: string;
  /** Inspects a run of an agent. If omitted, such a run is an error. */
  readonly ofAgent?: (past: InspectedAgentRun) => Promise<T>;
}

/** Opens the workspace here to inspect the run that the first word names; nothing is executed. */
export async function withInspectedRun<T>(
  invocation: Invocation,
  work: (past: InspectedRun) => Promise<T>,
  { id = invocation.words[0] ?? "", ofAgent }: InspectRunOptions<T> = {},
): Promise<T> {
  // Inspecting does not create a database.
  if (!(await pathExists(journalFile(await findWorkspace("."))))) {
    throw new UsageError(`there is no run ${JSON.stringify(id)}`, "no runs yet");
  }
  const { terminal } = invocation;
  const options = { store: "read-only", reload: false, onSlowLoad: reportSlowLoad(terminal) } as const;
  const workspace = await openHere(terminal, options);
  try {
    const cached = ofAgent === undefined ? undefined : await workspace.store?.runs.read(id);
    if (ofAgent !== undefined && cached !== undefined && cached.run.kind === "agent") {
      return await ofAgent({ workspace, run: cached.run, isInterrupted: await isInterrupted(workspace, cached.run) });
    }
    const result = await withRun(workspace.runs, { id, invocation }, () => workspace.runs.inspect(id));
    return await work({
      workspace,
      result,
      isInterrupted: await isInterrupted(workspace, { id, status: result.status }),
    });
  } finally {
    await workspace.close();
  }
}

async function isInterrupted({ runs }: Workspace, { id, status }: Pick<StoredRun, "id" | "status">): Promise<boolean> {
  const abandoned = status === "running" ? await runs.list({ abandoned: true, limit: 1000 }) : [];
  return abandoned.some((run) => run.id === id);
}
