import type { Failure } from "../base/index.ts";
import type { TokenUsage } from "../model/index.ts";
import type { Approval, BriefSummary } from "../store/index.ts";
import type { ConversationMessage } from "./message.ts";
import type { Verification } from "./verify/verification.ts";

/** What a person has to decide; {@link Agent.decide} takes the id. */
export interface OpenApproval extends Pick<Approval, "id" | "tool" | "args" | "message" | "interrupted"> {}

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

/** What is known of a run, however it ended. */
export interface AgentFacts {
  readonly runId: string;
  readonly conversationId: string;
  readonly runner: string;
  /** Empty where there is none. */
  readonly answer: string;
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

/** How a run of an agent ended, and what there is to know of that. */
export type AgentOutcome =
  | {
      readonly status: "completed" | "running";
      readonly approvals?: undefined;
      readonly error?: undefined;
      readonly partial?: undefined;
    }
  | {
      readonly status: "waiting";
      /** Questions that people have to answer before the run can go on. None where they were answered meanwhile. */
      readonly approvals: readonly OpenApproval[];
      readonly error?: undefined;
      readonly partial?: undefined;
    }
  | {
      readonly status: "failed" | "cancelled";
      readonly error: Failure;
      /** What the model had said of an answer when it was stopped. */
      readonly partial?: string;
      readonly approvals?: undefined;
    };

/** What an agent gives; `status` tells what else is there. */
export type AgentResult = AgentFacts & AgentOutcome;

/**
 * Where a run of an agent stands: `waiting` for a person, with nobody executing it; `running` where its process closed
 * before it was over, and whoever resumes it goes on.
 */
export type AgentStatus = AgentOutcome["status"];
