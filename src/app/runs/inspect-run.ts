import type { StoredRun } from "../../store/index.ts";
import { toWireAgentEvent, toWireRunEvent } from "../wire/to-wire-event.ts";
import { toWireAgent, toWireCall } from "../wire/to-wire.ts";
import type { Workspace } from "../workspace.ts";
import type { AgentRunDetails } from "./replay-agent-run.ts";

/** A run to inspect. */
export interface InspectedRun {
  readonly workspace: Workspace;
  readonly run: StoredRun;
  /** True if its process has died and no other process holds it. */
  readonly isInterrupted: boolean;
}

/** A run of any kind, to be inspected; undefined if there is none. Executes nothing. */
export async function inspectRun(workspace: Workspace, runId: string): Promise<InspectedRun | undefined> {
  const run = await workspace.runs.find(runId);
  if (run === undefined) return undefined;
  const isInterrupted =
    run.status === "running" && (await workspace.runs.list({ id: runId, abandoned: true })).length > 0;
  return { workspace, run, isInterrupted };
}

/** The log of a run of any kind in JSON output: of a chain its execution log, else its result. */
export async function toWireRunLog(inspected: InspectedRun): Promise<object> {
  const { workspace, run } = inspected;
  switch (run.kind) {
    case "chain":
      return (await workspace.runs.inspect(run.id)).log();
    case "agent": {
      const { result, prompt, block } = await inspectAgentRun(inspected);
      return { ...toWireAgent(result, workspace.engine.redactor), prompt, reasoning: block };
    }
    case "call":
      return toWireCall(await workspace.calls.inspect(run.id), run, workspace);
  }
}

/** A run of an agent as it is shown, replayed from its journal. Loads the code of agents. */
export async function inspectAgentRun(inspected: InspectedRun): Promise<AgentRunDetails> {
  return (await import("./replay-agent-run.ts")).replayAgentRun(inspected);
}

/** The events of a run so far in JSON output, replayed from its journal. Progress and pieces of text are not stored. */
export async function replayEvents({ workspace, run }: InspectedRun): Promise<Record<string, unknown>[]> {
  const { redactor } = workspace.engine;
  const events: Record<string, unknown>[] = [];
  const add = ({ replayed: _replayed, ...event }: Record<string, unknown>): void => void events.push(event);
  switch (run.kind) {
    case "chain":
      await workspace.runs.inspect(run.id, (event) => add(toWireRunEvent(event, redactor)));
      break;
    case "agent":
      await addAgentEvents({ workspace, run }, add);
      break;
    case "call":
      if (run.finishedAt !== undefined) {
        const at = new Date(run.finishedAt).toISOString();
        add({ type: "run_finished", at, ...toWireCall(await workspace.calls.inspect(run.id), run, workspace) });
      }
  }
  return events;
}

async function addAgentEvents(
  { workspace, run }: Pick<InspectedRun, "run" | "workspace">,
  add: (event: Record<string, unknown>) => void,
): Promise<void> {
  const runs = await workspace.agents();
  const result = await runs.inspect(run.id, (event) => add(toWireAgentEvent(event)));
  if (run.finishedAt === undefined) return;
  // The end of a run is not part of its replay.
  const { status, answer, partial, error, durationMs, usage } = result;
  const more = { ...(partial !== undefined && { partial }), ...(error !== undefined && { error }) };
  const at = run.finishedAt;
  add(toWireAgentEvent({ type: "run-finished", at, runId: run.id, status, answer, durationMs, usage, ...more }));
}
