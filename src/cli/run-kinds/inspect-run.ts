import { findWorkspace, pathExists } from "../../app/index.ts";
import type { Invocation } from "../program/invocation.ts";
import { UsageError } from "../program/usage-error.ts";
import { type InspectedRun, requireRun } from "./run-kind.ts";
import { openHere } from "../open/open-here.ts";
import { journalFile } from "../open/open-journal.ts";

/** Opens the workspace here to inspect a run, by default the one that the first word names; nothing is executed. */
export async function withInspectedRun<T>(
  invocation: Invocation,
  work: (inspected: InspectedRun) => Promise<T>,
  id: string = invocation.words[0] ?? "",
): Promise<T> {
  // Inspecting does not create a database.
  if (!(await pathExists(journalFile(await findWorkspace("."))))) {
    throw new UsageError(`there is no run ${JSON.stringify(id)}`, "no runs yet");
  }
  const { terminal } = invocation;
  const { workspace, close } = await openHere(terminal, { store: "read-only" });
  try {
    const run = await requireRun(workspace, { id, invocation });
    const abandoned = run.status === "running" ? await workspace.runs.list({ abandoned: true, limit: 1000 }) : [];
    return await work({ workspace, run, isInterrupted: abandoned.some((one) => one.id === id) });
  } finally {
    await close();
  }
}
