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
      await (await workspace.agents()).inspect(run.id, (event) => add(toWireAgentEvent(event)));
      break;
    case "call":
      if (run.finishedAt !== undefined) {
        const at = new Date(run.finishedAt).toISOString();
        add({ type: "run_finished", at, ...toWireCall(await workspace.calls.inspect(run.id), run, workspace) });
      }
  }
  return events;
}
