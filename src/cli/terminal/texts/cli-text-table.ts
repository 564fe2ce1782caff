import type { AgentResult, ReasoningState } from "../../../agent/index.ts";
import type { RunKindId } from "../../../store/index.ts";
import type { Effect } from "../../../tool/index.ts";

/** The texts of the CLI for users of agents in one language. Errors are reported in English. */
export interface CliTextTable {
  readonly agent: AgentTexts;
  readonly approvals: ApprovalTexts;
  readonly chat: ChatTexts;
  readonly block: BlockTexts;
}

/** Texts of the reasoning block. */
interface BlockTexts {
  readonly states: Readonly<Record<ReasoningState, string>>;
  readonly elapsed: (time: string) => string;
  readonly earlier: (steps: number) => string;
  /** Marks a call that the user ordered. */
  readonly byCommand: string;
}

/** Usage of a run, as far as it is shown. */
export type AgentUsage = Pick<AgentResult, "usage"> & { readonly calls: number; readonly rounds: number };

/** Texts about a run of an agent, in the language of its prompt. */
export interface AgentTexts {
  readonly began: (runner: string, runId: string) => string;
  readonly ended: (state: string, ms: number) => string;
  readonly before: (calls: number) => string;
  readonly retrying: string;
  readonly called: (
    tool: string,
    end: { readonly well: boolean; readonly ms: number; readonly detail: string },
  ) => string;
  readonly waits: (tool: string, approvalId: string, message: string) => string;
  readonly decided: (tool: string, approved: boolean) => string;
  readonly used: (used: AgentUsage) => string;
  readonly stopping: string;
  readonly releasing: string;
  readonly stopped: string;
  /** Shown below a partial answer. */
  readonly cut: string;
  /** Shown below an answer that the model could not complete. */
  readonly cutOff: string;
  /** A notice for the user. */
  readonly note: (text: string) => string;
  readonly released: (runId: string, command: string) => string;
  readonly resumeHint: (command: string) => string;
  readonly effects: Readonly<Record<Effect, string>>;
  /** Reason for an approval: a rule, or untrusted content if there is none. */
  readonly approvalReason: (effect: string, rule: string | undefined) => string;
}

/** Position of an agent's tool call: the part of the run, the round, and the call within the round. */
export interface AgentCallPosition {
  readonly part: string | undefined;
  readonly round: string;
  readonly call: number;
}

/** Final state of an approval that was decided in another process while it was prompted for here. */
export type RemoteDecision = "approved" | "rejected" | "expired";

/** Texts of the approval prompt around the arguments, in the language of the user's prompt. */
export interface ApprovalTexts {
  /** Translates the engine's approval message. */
  readonly message: (message: string) => string;
  /** The final prompt, with the keys that it accepts. */
  readonly approve: string;
  /** Shown if the input is not one of the accepted answers. */
  readonly unclear: string;
  /** Reports input that was typed before the prompt appeared. */
  readonly forgotten: (typed: string) => string;
  /** Reports input that was typed while no prompt was open. */
  readonly unused: (typed: string) => string;
  /** Reports an answer that was typed after the approval had been decided elsewhere. */
  readonly notSent: (typed: string) => string;
  /** Reports a decision that was made elsewhere while the prompt was open here. */
  readonly elsewhere: (how: RemoteDecision, by: string | undefined) => string;
  readonly omitted: (size: string, command: string) => string;
  readonly waiting: string;
  readonly needs: (runId: string, decisions: number) => string;
  /** The run was submitted, its approvals are decided, or a process without its tools gave it back. */
  readonly awaitsWorker: (runId: string, command: string) => string;
  /** A step waits for an event, a time or both. */
  readonly externalWait: (wait: { step: string; event?: string | undefined; until?: string | undefined }) => string;
  /** The command that delivers an event, or what continues the run. */
  readonly sendEvent: (command: string) => string;
  readonly continuedBy: (command: string) => string;
  readonly position: (position: AgentCallPosition) => string;
  /** The effect of a decision on calls of an agent, on steps of a chain, or on a durable call. */
  readonly afterwards: (kind: RunKindId) => string;
}

/** Runner and model of a chat, and the length of its history. */
export interface Greeting {
  readonly runner: string;
  /** Undefined if no model is configured. */
  readonly model: string | undefined;
  readonly tools: number;
  readonly messages: number;
}

/** Texts of the chat, in the language of the conversation. */
export interface ChatTexts {
  readonly greeting: (greeting: Greeting) => string;
  /** Shown if the runner needs a model and none is configured; `why` says what to configure. */
  readonly withoutModel: string;
  readonly exitAgain: string;
  /** Descriptions of the commands. */
  readonly commands: Readonly<Record<CommandName, string>>;
  readonly aboutKeys: string;
  readonly noCommand: (name: string, near: string | undefined) => string;
  readonly beginsWithSlash: string;
  readonly tools: (count: number) => string;
  readonly noModel: () => string;
  readonly nextModel: (name: string) => string;
  readonly nextRunner: (name: string) => string;
  readonly nothingWaits: string;
  readonly severalWait: (count: number) => string;
  readonly noneOfThem: (count: number, word: string) => string;
  readonly needsNumber: string;
  readonly emptyHistory: string;
  readonly prompts: (count: number) => string;
  readonly forgotten: string;
}

/** The commands of a chat. */
export type CommandName = "help" | "tools" | "model" | "runner" | "resume" | "history" | "usage" | "clear" | "exit";

/** Prices have no currency, so sums have none either. */
export function costOf({ usage: { cost } }: AgentUsage): string | undefined {
  return cost === undefined ? undefined : String(Number(cost.toPrecision(3)));
}

/** Tokens of all kinds. */
export function tokensOf({ usage: { inputTokens, outputTokens } }: AgentUsage): number {
  return inputTokens + outputTokens;
}
