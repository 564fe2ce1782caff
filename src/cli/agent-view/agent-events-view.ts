import type { AgentEvent, AgentResult } from "../../agent/index.ts";
import type { Redactor } from "../../text/index.ts";
import { snakeKeys, toWireFailure } from "../../tool/index.ts";
import { safeJson } from "../safe-json.ts";
import type { Terminal } from "../terminal.ts";
import { toWireAgent } from "../wire-agent.ts";
import type { AgentView } from "./agent-view.ts";

type RunFinished = Extract<AgentEvent, { type: "run-finished" }>;

/** Everything that happens as JSON on stdout, one line each, for programs: the last one has the whole result. */
export function agentEventsView(terminal: Pick<Terminal, "print">, redactor: Redactor): AgentView {
  let finished: RunFinished | undefined;
  const print = (line: unknown): void => terminal.print(safeJson(line, 0));
  return {
    onEvent: (event) => {
      if (event.type === "run-finished") finished = event;
      else print(toWireAgentEvent(event));
    },
    onResult: (result) => print({ ...lastLine(finished, result), ...toWireAgent(result, redactor) }),
    pause: () => () => {},
    close: () => {},
  };
}

/** A run that was over before tells of nothing that happens. */
function lastLine(finished: RunFinished | undefined, { runId }: AgentResult): Record<string, unknown> {
  if (finished !== undefined) return toWireAgentEvent(finished);
  return { type: "run_finished", at: new Date().toISOString(), run_id: runId, replayed: true };
}

/** An event as it is written for programs. */
function toWireAgentEvent(event: AgentEvent): Record<string, unknown> {
  const { type, at, ...rest } = event;
  return {
    type: type.replaceAll("-", "_"),
    at: new Date(at).toISOString(),
    ...snakeKeys(rest),
    ...("usage" in event && { usage: snakeKeys({ ...event.usage }) }),
    ...("error" in event && event.error !== undefined && { error: toWireFailure(event.error) }),
  };
}
