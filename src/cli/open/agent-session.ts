import {
  type AgentExecuteOptions,
  type AgentResult,
  type AgentRuns,
  type AgentEvent,
  agentTable,
} from "../../agent/index.ts";
import { detectLanguage } from "../../text/index.ts";
import type { AgentTexts } from "../terminal/texts/english.ts";
import { cliTexts } from "../terminal/texts/cli-texts.ts";

import { type AgentRunView, openAgentRunView } from "../terminal/agent-view/agent-view.ts";
import { promptRunApproval } from "../approvals/prompt-run-approval.ts";
import { elicitAtTerminal } from "../approvals/elicit-at-terminal.ts";
import { TypeAhead } from "../terminal/type-ahead.ts";
import { type RunSession, decidedElsewhere } from "./run-session.ts";
import { otherRows, reportTyped } from "../approvals/show-approval.ts";
import { logWrapped } from "../terminal/log-wrapped.ts";
import { userName } from "../terminal/user-name.ts";
import type { Redactor } from "../../secrets/index.ts";
import { safeJson } from "../terminal/safe-json.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { toWireAgent, toWireAgentEvent, type Workspace, type WorkspaceAgentOptions } from "../../app/index.ts";
import { type RequestApproval, compilePermissions, isDestructiveCall, resolveCallEffect } from "../../engine/index.ts";
import type { Approval } from "../../store/index.ts";
import { unknownModel } from "../../model/index.ts";
import type { OptionsOf, SettingsTable } from "../../schema/index.ts";
import type { Invocation } from "../program/invocation.ts";
import { UsageError } from "../program/usage-error.ts";

type Execute = (how: AgentExecuteOptions) => Promise<AgentResult>;

/**
 * Executes a run of an agent and shows its progress, until it ends or waits for approval. Input typed in the meantime
 * is buffered, so that the view stays intact: for `ahead`, or until the end, where it is reported.
 */
export async function followAgent(session: RunSession, execute: Execute, ahead?: TypeAhead): Promise<AgentResult> {
  const { terminal } = session.invocation;
  if (ahead !== undefined || !terminal.interactive || terminal.screen === undefined) {
    return follow(session, execute, ahead);
  }
  const keys = new TypeAhead();
  keys.hold();
  try {
    return await follow(session, execute, keys);
  } finally {
    keys.release();
    reportTyped(keys.forget(), terminal, cliTexts[session.language].approvals.unused);
  }
}

async function follow(session: RunSession, execute: Execute, ahead: TypeAhead | undefined): Promise<AgentResult> {
  const { invocation, interrupts, workspace } = session;
  const { terminal } = invocation;
  const runs = await workspace.agents();
  const view = ahead === undefined ? viewFor(session) : withKeys(viewFor(session), ahead);
  interrupts.arm({ onStop: () => stop(session, runs), onTerminate: () => releaseAgentRun(session, runs) });
  try {
    const result = await execute({
      signal: interrupts.signal,
      onEvent: (event) => {
        session.runId = event.runId;
        if (event.type === "run-started") session.language = detectLanguage(event.prompt);
        view.onEvent(event);
      },
      ...(terminal.interactive && {
        requestApproval: promptHere(session, view, ahead),
        elicit: elicitAtTerminal({ terminal, pause: () => pauseAndRelease(view) }),
      }),
    });
    view.onResult?.(result);
    return result;
  } finally {
    session.runId = undefined;
    view.close();
  }
}

/** Prompts the person at the terminal. The position of the call in the run is only for programs. */
function promptHere(session: RunSession, view: AgentRunView, ahead: TypeAhead | undefined): RequestApproval {
  const promptForApproval = promptRunApproval({
    terminal: session.invocation.terminal,
    view,
    by: userName(),
    durable: true,
    ...(ahead !== undefined && { ahead }),
    decidedElsewhere: decidedElsewhere.bind(null, session),
    why: (approval) => session.local && approvalReason(approval, session.local, cliTexts[session.language].agent),
    language: () => session.language,
  });
  return ({ step: _step, ...approval }, signal) => promptForApproval(approval, signal);
}

/** Leaves the finished steps above the elicitation of a tool. */
function pauseAndRelease(view: AgentRunView): () => void {
  const resume = view.pause();
  view.release?.(otherRows);
  return resume;
}

/** Hands the keyboard over to a prompt while it is open. */
function withKeys(view: AgentRunView, ahead: TypeAhead): AgentRunView {
  const pause = (): (() => void) => {
    // Partial lines are written while the view is paused.
    const resume = view.pause();
    ahead.release();
    return () => {
      ahead.hold();
      resume();
    };
  };
  return { ...view, pause };
}

function viewFor({ invocation, workspace }: RunSession): AgentRunView {
  const { terminal } = invocation;
  return invocation.flag("events") ? agentEventsView(terminal, workspace.engine.redactor) : openAgentRunView(terminal);
}

/** Ctrl-C: cancels the run and its running calls. */
function stop(session: RunSession, runs: Pick<AgentRuns, "cancel">): void {
  const { invocation, runId, language } = session;
  logWrapped(cliTexts[language].agent.stopping, invocation.terminal);
  if (runId === undefined) return;
  // The run itself is already aborted; this persists the cancellation for the next process, in case the run is released
  // before it could do so itself.
  session.cancelling = runs.cancel(runId, userName()).catch(() => false);
}

/** A request to terminate, for example from a service manager, concerns this process, not the run. */
function releaseAgentRun({ invocation, language }: RunSession, runs: Pick<AgentRuns, "close">): void {
  logWrapped(cliTexts[language].agent.releasing, invocation.terminal);
  void runs.close();
}

type RunFinished = Extract<AgentEvent, { type: "run-finished" }>;

/** Prints all events as JSON on stdout, one per line; the last one contains the whole result. */
function agentEventsView(terminal: Pick<Terminal, "print">, redactor: Redactor): AgentRunView {
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

/** A run that had already ended emits no events. */
function lastLine(finished: RunFinished | undefined, { runId }: AgentResult): Record<string, unknown> {
  if (finished !== undefined) return toWireAgentEvent(finished);
  return { type: "run_finished", at: new Date().toISOString(), run_id: runId, replayed: true };
}

type ApprovalReasonInput = Pick<Approval, "tool" | "args" | "callerType">;

/**
 * Effect of a call, and the reason why it needs approval: a permission rule, or untrusted content that may have caused
 * it. Undefined if the approval message itself says why.
 */
function approvalReason(
  { tool: name, args, callerType }: ApprovalReasonInput,
  { engine, config }: Pick<Workspace, "engine" | "config">,
  words: AgentTexts,
): string | undefined {
  const registered = engine.tools.resolve(name);
  if (registered === undefined || callerType !== "conversation_agent") return undefined;
  const { tool, source } = registered;
  const effect = resolveCallEffect(tool, args);
  const { permission, rule } = compilePermissions(config.permissions).decide({
    tool: tool.name,
    aliases: tool.aliases,
    source,
    callerType,
    effect,
    destructive: isDestructiveCall(tool, args),
    sends: tool.sends,
  });
  return words.approvalReason(words.effects[effect], permission === "ask" ? rule : undefined);
}

/** Agent options from the command line; `windlass.yaml` has the defaults. */
export function agentOptions(invocation: Invocation, workspace: Pick<Workspace, "models">): WorkspaceAgentOptions {
  const options = settingsIn(invocation, agentTable);
  if (options.model !== undefined) checkModel(options.model, workspace);
  return options;
}

/** The settings of a table that flags set. */
export function settingsIn<T extends SettingsTable>(
  invocation: Pick<Invocation, "text" | "number">,
  table: T,
): Partial<OptionsOf<T>> {
  const set = Object.entries(table).flatMap(([name, { flag }]) => {
    const value = flag === undefined ? undefined : (invocation.text(name) ?? invocation.number(name));
    return value === undefined ? [] : [[name, value]];
  });
  // The flags allow what the table does.
  return Object.fromEntries(set) as Partial<OptionsOf<T>>;
}

/** Throws if no model has this name; the error lists the existing ones. */
export function checkModel(name: string, { models }: Pick<Workspace, "models">): void {
  if (models.names.includes(name)) return;
  throw new UsageError(unknownModel(name, models.names), "models are configured under models: in windlass.yaml");
}
