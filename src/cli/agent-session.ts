import { type AgentExecuteOptions, type AgentResult, type AgentRuns, languageOf, shownEvents } from "../agent/index.ts";
import type { AskPerson } from "../chain/index.ts";
import { agentEventsView } from "./agent-view/agent-events-view.ts";
import { type AgentView, openAgentView } from "./agent-view/agent-view.ts";
import { agentWords } from "./agent-view/agent-words.ts";
import { askInRun } from "./ask-in-run.ts";
import { askQuestion } from "./ask-question.ts";
import type { TypedAhead } from "./chat/typed-ahead.ts";
import type { RunSession } from "./run-session.ts";
import { isLeft } from "./tell-agent.ts";
import { userName } from "./user-name.ts";
import { whyAsked } from "./why-asked.ts";

/** Executes a run of an agent and shows it, until it is over or waits for a person. */
export async function followAgent(
  session: RunSession,
  execute: (how: AgentExecuteOptions) => Promise<AgentResult>,
  ahead?: TypedAhead,
): Promise<AgentResult> {
  const { invocation, interrupts, workspace } = session;
  const { terminal } = invocation;
  const runs = await workspace.agents();
  const view = ahead === undefined ? viewFor(session) : withKeys(viewFor(session), ahead);
  interrupts.arm({ onStop: () => stop(session, runs), onTerminate: () => leaveToOthers(session, runs) });
  const show = shownEvents(view.onEvent, workspace.engine.redactor, "all");
  try {
    const result = await execute({
      signal: interrupts.signal,
      onEvent: (event) => {
        session.runId = event.runId;
        if (event.type === "run-started") session.language = languageOf(event.question);
        show(event);
      },
      ...(terminal.interactive && {
        ask: askHere(session, view, ahead),
        elicit: askQuestion({ terminal, pause: () => view.pause() }),
      }),
    });
    view.onResult?.(result, isLeft(result, session));
    return result;
  } finally {
    session.runId = undefined;
    view.close();
  }
}

/** Asks the person at the terminal. Where in the run the call is, only programs want to know. */
function askHere(session: RunSession, view: AgentView, ahead: TypedAhead | undefined): AskPerson {
  const { invocation, workspace } = session;
  const ask = askInRun({
    terminal: invocation.terminal,
    view,
    by: userName(),
    durable: true,
    ...(ahead !== undefined && { ahead }),
    why: (question) => whyAsked(question, workspace, agentWords[session.language]),
    prompt: () => agentWords[session.language].approve,
  });
  return ({ step: _step, message, ...rest }, signal) =>
    ask({ ...rest, message: agentWords[session.language].question(message) }, signal);
}

/** Whoever is asked in between has the keys meanwhile. */
function withKeys(view: AgentView, ahead: TypedAhead): AgentView {
  const pause = (): (() => void) => {
    ahead.release();
    const resume = view.pause();
    return () => {
      resume();
      ahead.hold();
    };
  };
  return { ...view, pause };
}

function viewFor({ invocation, workspace }: RunSession): AgentView {
  const { terminal } = invocation;
  return invocation.flag("events") ? agentEventsView(terminal, workspace.engine.redactor) : openAgentView(terminal);
}

/** Ctrl-C: what is under way is stopped, and the run is over. */
function stop(session: RunSession, runs: AgentRuns): void {
  const { invocation, runId, language } = session;
  invocation.terminal.tell(agentWords[language].stopping);
  if (runId === undefined) return;
  // The run itself is being told; this is for whoever comes next, should it be left before it could write that down.
  session.cancelling = runs.cancel(runId, userName()).catch(() => false);
}

/** A request to end, such as a service's: it is about this process, not about the work. */
function leaveToOthers({ invocation, language }: RunSession, runs: AgentRuns): void {
  invocation.terminal.tell(agentWords[language].leaving);
  void runs.close();
}
