import type { Failure } from "../base/index.ts";
import type { TokenUsage } from "../model/index.ts";
import type { BriefSummary } from "../store/index.ts";
import type { ConversationMessage } from "./message.ts";
import type { Verification } from "./verify/verification.ts";

/** How a run of an agent ended: `waiting` for a person, with nobody executing it. */
export type AgentStatus = "completed" | "waiting" | "failed" | "cancelled";

/** Where an answer comes from. */
export interface AnswerSource {
  /** By which the answer cites it; one of a conversation stands for one source only. */
  readonly number?: number;
  readonly title: string;
  /** A path in the vault, or an address. */
  readonly location: string;
  readonly quote?: string;
}

/** One step of a run whose runner plans. */
export interface AgentStep {
  readonly id: string;
  readonly description: string;
  /** The tool that the plan named; `none` for thinking. */
  readonly tool: string;
  readonly dependencies: readonly string[];
  readonly complexity: "low" | "medium" | "high";
  readonly status: "success" | "failed";
  /** By the tool of the plan, by another one of the same capability, or by thinking. */
  readonly by?: "tool" | "capability" | "reasoning";
  /** What was called in the end. */
  readonly called?: string;
  readonly text?: string;
  readonly verification?: Verification;
  readonly error?: Failure;
}

/** What an agent gives. */
export interface AgentResult {
  readonly runId: string;
  readonly conversationId: string;
  readonly runner: string;
  readonly status: AgentStatus;
  /** Empty where there is none. */
  readonly answer: string;
  /** Where there is no answer, what the model had said of it when it was stopped. */
  readonly partial?: string;
  readonly error?: Failure;
  /** Questions that people have to answer before the run can go on. */
  readonly approvals?: readonly { readonly id: string; readonly tool: string; readonly args: unknown }[];
  readonly sources?: readonly AnswerSource[];
  /** How it came about, where the runner plans steps. */
  readonly steps?: readonly AgentStep[];
  readonly toolUsageSummary: BriefSummary;
  /** By its own questions, and by those of the agents and other tools that it called. */
  readonly usage: TokenUsage;
  /** Questions to the model. */
  readonly rounds: number;
  /** What people should know about how it went. */
  readonly notes: readonly string[];
  /** The conversation with this answer at its end, for the next question. */
  readonly messages: readonly ConversationMessage[];
  /** Text from outside has entered it; the next question has to know. */
  readonly tainted: boolean;
  readonly durationMs: number;
}
