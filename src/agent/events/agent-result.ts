import type { Failure } from "../../base/index.ts";
import type { TokenUsage } from "../../model/index.ts";
import type { Approval, BriefSummary } from "../../store/index.ts";
import type { AgentNotice } from "./agent-notice.ts";
import type { ConversationMessage } from "./message.ts";
import type { Verification } from "../verify/verification.ts";

/** An approval that a person has to decide; {@link Agent.decide} takes the id. */
export interface PendingApproval extends Pick<Approval, "id" | "tool" | "args" | "message" | "interrupted"> {}

/** Source of an answer. */
export interface AnswerSource {
  /** Number by which the answer cites it; in a conversation, a number stands for one source only. */
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
  /** The tool that the plan named; `none` for reasoning. */
  readonly tool: string;
  readonly dependencies: readonly string[];
  readonly complexity: "low" | "medium" | "high";
  readonly status: "success" | "failed";
  /** Method: the tool of the plan, another one of the same capability, or reasoning. */
  readonly by?: "tool" | "capability" | "reasoning";
  /** The tool that was called in the end. */
  readonly called?: string;
  readonly text?: string;
  readonly verification?: Verification;
  readonly error?: Failure;
}

/** Facts of a run, independent of its outcome. */
export interface AgentFacts {
  readonly runId: string;
  readonly conversationId: string;
  readonly runner: string;
  /** Empty if there is none. */
  readonly answer: string;
  readonly sources?: readonly AnswerSource[];
  /** Steps that led to the answer, if the runner plans steps. */
  readonly steps?: readonly AgentStep[];
  readonly toolUsageSummary: BriefSummary;
  /** Usage of its own model requests, and of the agents and other tools that it called. */
  readonly usage: TokenUsage;
  /** Number of model requests. */
  readonly rounds: number;
  /** Notices about the run for the user, in English. */
  readonly notices: readonly string[];
  /** The same notices as data; `agentNoticeText` gives their texts in other languages. */
  readonly noticeData: readonly AgentNotice[];
  /** The conversation with this answer at its end, for the next prompt. */
  readonly messages: readonly ConversationMessage[];
  /** The conversation contains untrusted content; pass this on with the next prompt. */
  readonly tainted: boolean;
  readonly durationMs: number;
}

/** Outcome of an agent run, with its details. */
export type AgentOutcome =
  | {
      readonly status: "completed" | "running";
      readonly approvals?: undefined;
      readonly error?: undefined;
      readonly partial?: undefined;
    }
  | {
      readonly status: "waiting";
      /** Approvals that people have to decide before the run can resume. Empty if they were decided in the meantime. */
      readonly approvals: readonly PendingApproval[];
      readonly error?: undefined;
      readonly partial?: undefined;
    }
  | {
      readonly status: "failed" | "cancelled";
      readonly error: Failure;
      /** The model's text of an answer that was stopped. */
      readonly partial?: string;
      readonly approvals?: undefined;
    };

/** Result of an agent run; `status` determines the other fields. */
export type AgentResult = AgentFacts & AgentOutcome;

/**
 * Status of an agent run: `waiting` for a person, with no process executing it; `running` if its process closed before
 * the run finished, so that it can be resumed.
 */
export type AgentStatus = AgentOutcome["status"];
