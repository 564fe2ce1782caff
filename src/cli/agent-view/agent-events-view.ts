import type { AgentEvent } from "../../agent/index.ts";
import { snakeKeys, toWireFailure } from "../../tool/index.ts";
import { safeJson } from "../safe-json.ts";
import type { Terminal } from "../terminal.ts";
import type { AgentView } from "./agent-view.ts";

/** Everything that happens as JSON on stdout, one line each: for programs. */
export function agentEventsView(terminal: Pick<Terminal, "print">): AgentView {
  return {
    onEvent: (event) => terminal.print(safeJson(toWireAgentEvent(event), 0)),
    pause: () => () => {},
    close: () => {},
  };
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
