import type { Failure } from "../base/index.ts";
import type { FinishReason, TokenUsage } from "../model/index.ts";
import type { AgentStatus } from "./agent-result.ts";

/** What every event of an agent's run has. */
interface Happened {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly runId: string;
  /** It happened in an earlier life of the run, and is told again. */
  readonly replayed?: true;
}

/** Where in a run something happened: which part of a runner's work, and which question to the model in it. */
export interface Place {
  /** `main` for the loop itself; otherwise what a runner calls its parts, such as `plan` or `step-2`. */
  readonly part: string;
  readonly round: number;
}

export interface RunStarted extends Happened {
  readonly type: "run-started";
  readonly runner: string;
  readonly question: string;
}

/** The model is being asked. */
export interface RoundStarted extends Happened, Place {
  readonly type: "round-started";
}

/** A piece of what the model says, or thinks. Text of a round with tool calls is no part of the answer. */
export interface TextDelta extends Happened, Place {
  readonly type: "text-delta" | "thinking-delta";
  readonly text: string;
}

/** The stream broke and is asked for again: what came of this round does not count. */
export interface RoundRestarted extends Happened, Place {
  readonly type: "round-restarted";
}

/** The model's service is busy or broken, and is asked again after a pause. */
export interface RoundWaiting extends Happened, Place {
  readonly type: "round-waiting";
  readonly waitMs: number;
  /** `rate_limited` where the service asks to slow down. */
  readonly reason?: string;
}

export interface RoundFinished extends Happened, Place {
  readonly type: "round-finished";
  readonly model: string;
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
  /** How many tool calls it asks for; none means that its text is the answer. */
  readonly toolCalls: number;
  readonly text: string;
}

/** Who wanted a call: the model, the runner by its own rules, or a person by a command such as `@vault` in the question. */
export type CallDecider = "model" | "runner" | "person";

export interface ToolStarted extends Happened, Place {
  readonly type: "tool-started";
  readonly callId: string;
  readonly tool: string;
  readonly decidedBy: CallDecider;
  /** Secrets redacted. */
  readonly args: unknown;
}

export interface ToolProgress extends Happened, Place {
  readonly type: "tool-progress";
  readonly callId: string;
  readonly tool: string;
  readonly value: unknown;
}

/** Things in a list, such as the notes that a search found. */
export interface FoundItems {
  readonly count: number;
  /** Of the first few of them. */
  readonly names: readonly string[];
}

export interface ToolFinished extends Happened, Place {
  readonly type: "tool-finished";
  readonly callId: string;
  readonly tool: string;
  readonly decidedBy: CallDecider;
  readonly durationMs: number;
  readonly success: boolean;
  /** A short text of the result, for people. */
  readonly summary: string;
  /** Where the result is a list, what is in it. */
  readonly found?: FoundItems;
  readonly error?: Failure;
  /** It was not run: the same call had been made before. */
  readonly duplicate?: true;
}

/** A person has to decide before a call may run. */
export interface ApprovalAsked extends Happened, Place {
  readonly type: "approval-asked";
  readonly approvalId: string;
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
  readonly message: string;
}

export interface ApprovalDecided extends Happened, Place {
  readonly type: "approval-decided";
  readonly approvalId: string;
  readonly callId: string;
  readonly tool: string;
  readonly approved: boolean;
  readonly note?: string;
}

/** Something people should know, in a sentence: a fallback, a limit, a degradation. */
export interface Noted extends Happened {
  readonly type: "note";
  readonly text: string;
}

export interface RunFinished extends Happened {
  readonly type: "run-finished";
  readonly status: AgentStatus;
  readonly answer: string;
  /** What the model had said of an answer that has not come to its end. */
  readonly partial?: string;
  readonly durationMs: number;
  readonly usage: TokenUsage;
  readonly error?: Failure;
}

/** One thing that happened in a run of an agent. Plain data, secrets redacted. */
export type AgentEvent =
  | RunStarted
  | RoundStarted
  | TextDelta
  | RoundRestarted
  | RoundWaiting
  | RoundFinished
  | ToolStarted
  | ToolProgress
  | ToolFinished
  | ApprovalAsked
  | ApprovalDecided
  | Noted
  | RunFinished;

/** Told everything that happens, in order. What it throws harms nobody. */
export type AgentListener = (event: AgentEvent) => void;
