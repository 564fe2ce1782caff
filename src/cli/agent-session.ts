import { type AgentExecuteOptions, type AgentResult, type AgentRuns, languageOf } from "../agent/index.ts";
import type { AskPerson } from "../chain/index.ts";
import { agentEventsView } from "./agent-view/agent-events-view.ts";
import { type AgentView, openAgentView } from "./agent-view/agent-view.ts";
import { agentWords } from "./agent-view/agent-words.ts";
import { askInRun } from "./ask-in-run.ts";
import { askQuestion } from "./ask-question.ts";
import { TypedAhead } from "./typed-ahead.ts";
import { questionWords } from "./question-words.ts";
import { type RunSession, decidedElsewhere } from "./run-session.ts";
import { otherRows, tellUnused } from "./tell-question.ts";
import { tellWrapped } from "./tell-wrapped.ts";
import { userName } from "./user-name.ts";
import { whyAsked } from "./why-asked.ts";

type Execute = (how: AgentExecuteOptions) => Promise<AgentResult>;

/**
 * Executes a run of an agent and shows it, until it is over or waits for a person. What is typed meanwhile is held, so that
 * the picture stays whole: for `ahead`, or else until the end, where it is told.
 */
export async function followAgent(session: RunSession, execute: Execute, ahead?: TypedAhead): Promise<AgentResult> {
  const { terminal } = session.invocation;
  if (ahead !== undefined || !terminal.interactive || terminal.screen === undefined) {
    return follow(session, execute, ahead);
  }
  const keys = new TypedAhead();
  keys.hold();
  try {
    return await follow(session, execute, keys);
  } finally {
    keys.release();
    tellUnused(keys.forget(), terminal, questionWords[session.language]);
  }
}

async function follow(session: RunSession, execute: Execute, ahead: TypedAhead | undefined): Promise<AgentResult> {
  const { invocation, interrupts, workspace } = session;
  const { terminal } = invocation;
  const runs = await workspace.agents();
  const view = ahead === undefined ? viewFor(session) : withKeys(viewFor(session), ahead);
  interrupts.arm({ onStop: () => stop(session, runs), onTerminate: () => leaveToOthers(session, runs) });
  try {
    const result = await execute({
      signal: interrupts.signal,
      onEvent: (event) => {
        session.runId = event.runId;
        if (event.type === "run-started") session.language = languageOf(event.question);
        view.onEvent(event);
      },
      ...(terminal.interactive && {
        ask: askHere(session, view, ahead),
        elicit: askQuestion({ terminal, pause: () => pauseAndLeave(view) }),
      }),
    });
    view.onResult?.(result);
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
    decidedElsewhere: decidedElsewhere.bind(null, session),
    why: (question) => whyAsked(question, workspace, agentWords[session.language]),
    language: () => session.language,
  });
  return ({ step: _step, ...approval }, signal) => ask(approval, signal);
}

/** What is done so far stays above what a tool wants to know. */
function pauseAndLeave(view: AgentView): () => void {
  const resume = view.pause();
  view.leave?.(otherRows);
  return resume;
}

/** Whoever is asked in between has the keys meanwhile. */
function withKeys(view: AgentView, ahead: TypedAhead): AgentView {
  const pause = (): (() => void) => {
    // What is written meanwhile is no line, and so is written while nothing is drawn.
    const resume = view.pause();
    ahead.release();
    return () => {
      ahead.hold();
      resume();
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
  tellWrapped(agentWords[language].stopping, invocation.terminal);
  if (runId === undefined) return;
  // The run itself is being told; this is for whoever comes next, should it be left before it could write that down.
  session.cancelling = runs.cancel(runId, userName()).catch(() => false);
}

/** A request to end, such as a service's: it is about this process, not about the work. */
function leaveToOthers({ invocation, language }: RunSession, runs: AgentRuns): void {
  tellWrapped(agentWords[language].leaving, invocation.terminal);
  void runs.close();
}
