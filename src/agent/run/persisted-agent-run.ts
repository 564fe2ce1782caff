import { fail } from "../../base/index.ts";
import { type CallerType, type NewRun, type RunConversation, type StoredRun } from "../../store/index.ts";
import type { AgentPrompt } from "./runner.ts";
import type { AgentSpec } from "./agent-spec.ts";
import type { NestedStartOptions } from "./execute-options.ts";
import type { MessageHistory } from "./message-history.ts";

/** A prompt as persisted with a run: without the history if the turns of its conversation contain it. */
export type PersistedPrompt = Omit<AgentPrompt, "history"> & Partial<Pick<AgentPrompt, "history">>;

/** Data persisted when a run starts. */
export interface PersistedAgentRun {
  readonly spec: AgentSpec;
  readonly prompt: PersistedPrompt;
  /** Id of the conversation under which its calls are made and recorded. */
  readonly recordConversationId: string;
  /** The conversation that the run belongs to; undefined if it belongs to none, such as for an agent as a tool. */
  readonly conversation: RunConversation | undefined;
  /** The run that called it, for an agent as a tool. */
  readonly calledBy: string | undefined;
  readonly principal: string | undefined;
  /** The callers on the path to its calls; undefined for a run of an earlier version. */
  readonly callerPath: readonly CallerType[] | undefined;
  /** Tools whose destructive calls a person approved with the call of the agent. */
  readonly covered: readonly string[] | undefined;
  /** There was no model when the run started: it resumes and replays without one. */
  readonly withoutModel: boolean;
}

/** Format of keys, events and outcomes in the journal. A run of another format cannot be replayed. */
const agentFormat = 2;

/** A run in the form of the journal. */
export function serializeAgentRun(id: string, persisted: PersistedAgentRun, startedAt: number): NewRun {
  const { spec, prompt, recordConversationId, conversation, calledBy, principal, withoutModel } = persisted;
  const { callerPath, covered } = persisted;
  const context: PersistedContext = {
    conversationId: recordConversationId,
    ...(calledBy !== undefined && { calledBy }),
    ...(principal !== undefined && { principal }),
    ...(callerPath !== undefined && { callerPath }),
    ...(covered !== undefined && { covered }),
    ...(withoutModel && { withoutModel }),
  };
  return {
    id,
    kind: "agent",
    name: spec.runner,
    definition: JSON.stringify({ agent: spec }),
    input: JSON.stringify(prompt),
    context: JSON.stringify(context),
    format: agentFormat,
    fingerprints: "{}",
    startedAt,
    ...(calledBy !== undefined && { calledBy }),
    ...(conversation !== undefined && { conversation }),
  };
}

/** Reverses {@link serializeAgentRun}. */
export function deserializeAgentRun(run: StoredRun): PersistedAgentRun {
  if (run.kind !== "agent") {
    throw fail(`run ${run.id} is a run of the ${run.kind} ${run.name}, not of an agent`, { code: "validation_error" });
  }
  if (run.format !== agentFormat) {
    throw fail(
      `run ${run.id} was started by another version of Windlass (format ${run.format}); send the prompt again`,
      {
        code: "run_changed",
      },
    );
  }
  // Written by this module.
  const { agent: spec } = JSON.parse(run.definition) as { agent: AgentSpec };
  const prompt = JSON.parse(run.input) as PersistedPrompt;
  const {
    conversationId: under,
    calledBy,
    principal,
    callerPath,
    covered,
    withoutModel = false,
  } = JSON.parse(run.context) as PersistedContext;
  return {
    spec,
    prompt,
    recordConversationId: under,
    conversation: run.conversation,
    calledBy,
    principal,
    callerPath,
    covered,
    withoutModel,
  };
}

/**
 * The parts of a prompt that a caller with the same run id must repeat. The history is not one of them: it has grown by
 * the answer since, and the run keeps its own.
 */
export function promptInput(input: string, context: string): Readonly<Record<string, unknown>> {
  // Written by this module.
  const { text: prompt, images } = JSON.parse(input) as PersistedPrompt;
  const { conversationId: conversation } = JSON.parse(context) as PersistedContext;
  return { prompt, images, conversation };
}

interface PersistedContext extends Partial<
  Pick<PersistedAgentRun, "calledBy" | "principal" | "callerPath" | "covered" | "withoutModel">
> {
  readonly conversationId: string;
}

/** The caller of a run that starts, the callers on the path to it, and the tools that were approved with its call. */
export function callersOf(
  options: NestedStartOptions,
): Pick<PersistedAgentRun, "calledBy" | "principal" | "callerPath" | "covered"> {
  const { calledBy, principal, callerType = "direct", callerPath = [callerType], covered } = options;
  return { calledBy, principal, callerPath, covered };
}

/** The prompt of a run that starts. */
export function toAgentPrompt(
  text: string,
  priorHistory: MessageHistory,
  { images, untrusted, byModel }: NestedStartOptions,
): AgentPrompt {
  const { messages: history } = priorHistory;
  const isTainted = priorHistory.tainted || untrusted === true;
  return {
    text,
    history,
    ...(priorHistory.offered !== undefined && { offered: priorHistory.offered }),
    ...(images !== undefined && { images }),
    ...(isTainted && { tainted: true }),
    ...((untrusted === true || byModel === true) && { untrusted: true }),
  };
}

/**
 * True if the turns of its conversation contain the history before its prompt; otherwise the run stores the history
 * itself.
 */
export function isHistoryPersisted({ prompt }: PersistedAgentRun): boolean {
  return prompt.history === undefined;
}

/** The conversation before the prompt of a run. */
export function historyBefore(
  persisted: PersistedAgentRun,
  { history: messages, offered }: AgentPrompt,
): Pick<MessageHistory, "messages" | "isPersisted" | "offered"> {
  return { messages, isPersisted: isHistoryPersisted(persisted), ...(offered && { offered }) };
}
