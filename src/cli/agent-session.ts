import type { AgentExecuteOptions, AgentResult, AgentRuns } from "../agent/index.ts";
import type { AskPerson } from "../chain/index.ts";
import { agentEventsView } from "./agent-view/agent-events-view.ts";
import { type AgentView, openAgentView } from "./agent-view/agent-view.ts";
import { redactedEvents } from "./agent-view/redacted-events.ts";
import { askInRun } from "./ask-in-run.ts";
import { askQuestion } from "./ask-question.ts";
import type { RunSession } from "./run-session.ts";
import { userName } from "./user-name.ts";

/** Executes a run of an agent and shows it, until it is over or waits for a person. */
export async function followAgent(
  session: RunSession,
  execute: (how: AgentExecuteOptions) => Promise<AgentResult>,
): Promise<AgentResult> {
  const { invocation, interrupts, workspace } = session;
  const { terminal } = invocation;
  const runs = await workspace.agents();
  const view = viewFor(session);
  interrupts.arm({ onStop: () => stop(session, runs), onTerminate: () => leaveToOthers(session, runs) });
  const show = redactedEvents(workspace.engine.redactor, view.onEvent);
  try {
    return await execute({
      signal: interrupts.signal,
      onEvent: (event) => {
        session.runId = event.runId;
        show(event);
      },
      ...(terminal.interactive && {
        ask: askHere(session, view),
        elicit: askQuestion({ terminal, pause: () => view.pause() }),
      }),
    });
  } finally {
    session.runId = undefined;
    view.close();
  }
}

/** Asks the person at the terminal. Where in the run the call is, only programs want to know. */
function askHere({ invocation: { terminal } }: RunSession, view: AgentView): AskPerson {
  const ask = askInRun({ terminal, view, by: userName(), durable: true });
  return ({ step: _step, ...question }, signal) => ask(question, signal);
}

function viewFor({ invocation }: RunSession): AgentView {
  const { terminal } = invocation;
  return invocation.flag("events") ? agentEventsView(terminal) : openAgentView(terminal);
}

/** Ctrl-C: what is under way is stopped, and the run is over. */
function stop(session: RunSession, runs: AgentRuns): void {
  const { invocation, runId } = session;
  invocation.terminal.tell("Stopping; press Ctrl-C again to leave it as it is.");
  if (runId === undefined) return;
  // The run itself is being told; this is for whoever comes next, should it be left before it could write that down.
  session.cancelling = runs.cancel(runId, userName()).catch(() => false);
}

/** A request to end, such as a service's: it is about this process, not about the work. */
function leaveToOthers({ invocation }: RunSession, runs: AgentRuns): void {
  invocation.terminal.tell("Leaving the run: what is under way may end, and nothing more is begun.");
  void runs.close();
}
