import type { Failure } from "../../base/index.ts";
import type { Language } from "../../text/index.ts";
import type { AgentNotice } from "../events/agent-notice.ts";
import type { CallInitiator } from "../events/agent-event.ts";

/** State of a run, as shown to people. */
export type ReasoningState =
  | "thinking"
  /** Tools are running. */
  | "working"
  | "answering"
  | "waiting"
  /** Its process ended before the run finished; another process can resume it. */
  | "interrupted"
  | "completed"
  | "failed"
  | "cancelled";

/** The language of the texts, which is that of the prompt. */
export type ReasoningLanguage = Language;

/** One step of an agent on the way to its answer. */
export interface ReasoningStep {
  /** Unique in its block. */
  readonly id: string;
  /** A model request, a tool call, or a notice for the user. */
  readonly kind: "model" | "tool" | "notice";
  /** Description on one line. */
  readonly text: string;
  /** The notice as data. */
  readonly notice?: AgentNotice;
  readonly state: "active" | "waiting" | "done" | "failed";
  /** Outcome, reason for waiting, or progress. */
  readonly detail?: string;
  /** Part of the runner's work that it belongs to. */
  readonly part?: string;
  readonly round?: number;
  readonly tool?: string;
  /** The name of the tool that is shown to people, if it differs from its name. */
  readonly displayName?: string;
  /** Initiator of the call. */
  readonly initiator?: CallInitiator;
  /** Secrets redacted. */
  readonly args?: unknown;
  /** The approval that a person has to decide, or has decided. */
  readonly approvalId?: string;
  readonly error?: Failure;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Absent while it runs. */
  readonly durationMs?: number;
}

/**
 * View of an agent's work and its text for people: a fold over its events. Plain data; `foldReasoning` returns the next
 * one.
 */
export interface ReasoningBlock {
  readonly runId: string;
  readonly runner: string;
  readonly state: ReasoningState;
  readonly language: ReasoningLanguage;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Up to the last event; for a running run, use the clock instead. */
  readonly elapsedMs: number;
  readonly steps: readonly ReasoningStep[];
  /** The text so far; provisional text is removed if the run discards it. */
  readonly answer: string;
  /** The current reasoning of the model, separate from its text. */
  readonly thinking: string;
  /** Part and round of the reasoning. */
  readonly thinker: string;
}

/** The block of a run without events. */
export const emptyReasoningBlock: ReasoningBlock = {
  runId: "",
  runner: "",
  state: "thinking",
  language: "en",
  startedAt: 0,
  elapsedMs: 0,
  steps: [],
  answer: "",
  thinking: "",
  thinker: "",
};
