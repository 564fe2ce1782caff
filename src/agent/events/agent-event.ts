import type { Failure } from "../../base/index.ts";
import type { FinishReason, TokenUsage } from "../../model/index.ts";
import type { AgentNotice } from "./agent-notice.ts";
import type { AgentStatus } from "./agent-result.ts";

/** Fields of every event of an agent's run. */
interface Happened {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly runId: string;
  /** The event happened in an earlier process of the run and is replayed. */
  readonly replayed?: true;
}

/** Position in a run: the part of a runner's work, and the number of the model request in it. */
export interface TurnRef {
  /** `main` for the loop itself; otherwise the runner's name for the part, such as `plan` or `step-2`. */
  readonly part: string;
  readonly round: number;
}

interface TurnEvent extends Happened, TurnRef {}

/**
 * Initiator of a call: the model, the runner by its own rules, or a person by a command such as `@vault` in the prompt.
 */
export type CallInitiator = "model" | "runner" | "person";

/** A called tool, as people see it. */
export interface ShownTool {
  readonly tool: string;
  /** The name shown to people, if it differs from the name. */
  readonly displayName?: string;
  /** It runs without being shown step by step. */
  readonly background?: true;
}

/** Items of a list, such as the notes that a search found. */
export interface ResultItems {
  readonly count: number;
  /** Names of the first few items. */
  readonly names: readonly string[];
}

/** One event in a run of an agent. Plain data, secrets redacted. */
export type AgentEvent =
  | (Happened & { readonly type: "run-started"; readonly runner: string; readonly prompt: string })
  /** A model request starts. */
  | (TurnEvent & { readonly type: "round-started" })
  /** A piece of the model's text or reasoning. Text of a round with tool calls is not part of the answer. */
  | (TurnEvent & { readonly type: "text-delta" | "thinking-delta"; readonly text: string })
  /** The stream was interrupted and is retried: discard the text of this round. */
  | (TurnEvent & { readonly type: "round-restarted" })
  /** The model's service is overloaded or failing; the request is retried after a pause. */
  | (TurnEvent & {
      readonly type: "round-waiting";
      readonly waitMs: number;
      /** `rate_limited` if the service limits the request rate. */
      readonly reason?: string;
    })
  | (TurnEvent & {
      readonly type: "round-finished";
      readonly model: string;
      readonly finishReason: FinishReason;
      readonly usage: TokenUsage;
      /** Number of tool calls in the response; 0 means that its text is the answer. */
      readonly toolCalls: number;
      readonly text: string;
    })
  | (TurnEvent &
      ShownTool & {
        readonly type: "tool-started";
        readonly callId: string;
        readonly initiator: CallInitiator;
        /** Secrets redacted. */
        readonly args: unknown;
      })
  | (TurnEvent & {
      readonly type: "tool-progress";
      readonly callId: string;
      readonly tool: string;
      readonly value: unknown;
    })
  | (TurnEvent &
      ShownTool & {
        readonly type: "tool-finished";
        readonly callId: string;
        readonly initiator: CallInitiator;
        readonly durationMs: number;
        readonly success: boolean;
        /** Short text of the result, for people. */
        readonly summary: string;
        /** Items of the result if it is a list. */
        readonly items?: ResultItems;
        readonly error?: Failure;
        /** It was not run, because the same call was made before. */
        readonly duplicate?: true;
      })
  /** A person has to decide before a call may run. */
  | (TurnEvent & {
      readonly type: "approval-requested";
      readonly approvalId: string;
      readonly callId: string;
      readonly tool: string;
      readonly args: unknown;
      readonly message: string;
    })
  | (TurnEvent & {
      readonly type: "approval-decided";
      readonly approvalId: string;
      readonly callId: string;
      readonly tool: string;
      readonly approved: boolean;
      readonly note?: string;
    })
  /** A notice for the user as data: a fallback, a limit, a degradation. `text` is its English text. */
  | (Happened & AgentNotice & { readonly type: "notice"; readonly text: string })
  | (Happened & {
      readonly type: "run-finished";
      readonly status: AgentStatus;
      readonly answer: string;
      /** The model's text of an unfinished answer. */
      readonly partial?: string;
      readonly durationMs: number;
      readonly usage: TokenUsage;
      readonly error?: Failure;
    });

/** The event of this type. */
export type AgentEventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { readonly type: Type }>;

/** Receives every event, in order. Errors that it throws are ignored. */
export type AgentListener = (event: AgentEvent) => void;
