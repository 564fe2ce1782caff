import { toWireAgentEvent, toWireRunEvent } from "../wire/to-wire-event.ts";
import { toWireCall } from "../wire/to-wire.ts";
import type { InspectedRun } from "./inspect-run.ts";

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
