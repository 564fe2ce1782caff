import type { RunExecuteOptions, RunServiceSource } from "../../run/index.ts";
import type { BeginCall } from "../../engine/index.ts";
import type { ResultStore } from "../../hub/index.ts";
import type { CallerType } from "../../store/index.ts";
import type { AgentListener } from "../events/agent-event.ts";
import type { Runner } from "./runner.ts";
import type { AgentObserver } from "./agent-observer.ts";
import type { PromptImage } from "./agent-spec.ts";
import type { UsageAccount } from "./usage-account.ts";
import type { AgentRunServices } from "./create-agent-run.ts";
import type { MessageHistory } from "./message-history.ts";

/** The parts of a workspace that runs of agents use. */
export interface AgentRunParts extends AgentRunServices {
  /** The runner of this name; throws with a list of names if there is none. */
  readonly runner: (name: string) => Runner;
  /** Stores large results for `read_result`. */
  readonly resultStore?: ResultStore | undefined;
  readonly observer?: AgentObserver | undefined;
}

/** Dependencies of `AgentRuns`, with the service that stores and executes the runs. */
export type AgentRunsDeps = AgentRunParts & RunServiceSource;

/** Options for executing a run, new or resumed. */
export interface AgentExecuteOptions extends Omit<RunExecuteOptions, "step" | "waitForDecisions"> {
  readonly onEvent?: AgentListener;
}

/** Options of a new run. */
export interface AgentStartOptions extends AgentExecuteOptions {
  /**
   * Letters, digits and `._-`, beginning with a letter or digit. The same id with the same prompt, images, conversation
   * and principal joins the run that has it.
   */
  readonly runId?: string;
  /** The same for all prompts of one conversation. */
  readonly conversationId?: string;
  readonly images?: readonly PromptImage[];
  /** The prompt itself is untrusted, such as a mail on stdin: it taints the run, and commands in it are text. */
  readonly untrusted?: boolean;
  readonly principal?: string;
  /** The root caller: permission rules that deny a tool to it apply to the calls of the agent. Default: `direct`. */
  readonly callerType?: CallerType;
}

/** Options for executing a run that may be a call of another run. */
export interface NestedExecuteOptions extends AgentExecuteOptions, RunExecuteOptions {
  /** Makes its calls under another call, for an agent as a tool. */
  readonly begin?: BeginCall;
  /** Account of the run that makes the call: it is charged as well, and its remaining budget is a limit. */
  readonly account?: UsageAccount | undefined;
}

/** Options of a new run that continues a conversation, or is a call of another run. */
export interface NestedStartOptions extends AgentStartOptions, NestedExecuteOptions {
  /** Conversation history. Default: empty. */
  readonly history?: MessageHistory;
  /** Called by another agent: neither the prompt nor its answer becomes part of the conversation. */
  readonly isDetached?: boolean;
  /** The run that makes the call, for an agent as a tool. */
  readonly calledBy?: string;
  /** The callers on the path to its calls, the root caller first. Default: the root caller. */
  readonly callerPath?: readonly CallerType[];
  /** Tools whose destructive calls a person approved with the call of the agent. */
  readonly covered?: readonly string[] | undefined;
  /** A model wrote the prompt: commands in it are text. */
  readonly byModel?: boolean;
}
