import type { Failure } from "../../base/index.ts";
import type { CallDecider } from "../agent-event.ts";

/** Where a run stands, for whoever watches it. */
export type ReasoningState =
  | "thinking"
  /** Tools are at work. */
  | "working"
  | "answering"
  | "waiting"
  /** Its process ended before it was over; somebody else can go on. */
  | "left"
  | "completed"
  | "failed"
  | "cancelled";

/** The language of the words, which is that of the question. */
export type ReasoningLanguage = "en" | "zh";

/** One thing that an agent does on the way to its answer. */
export interface ReasoningStep {
  /** Unique in its block. */
  readonly id: string;
  /** A question to the model, a call, or something that people should know. */
  readonly kind: "model" | "tool" | "note";
  /** What is done, in words, on one line. */
  readonly text: string;
  readonly state: "active" | "waiting" | "done" | "failed";
  /** What came of it, what it waits for, or how far it is. */
  readonly detail?: string;
  /** Which part of the runner's work it belongs to. */
  readonly part?: string;
  readonly round?: number;
  readonly tool?: string;
  /** Who wanted the call. */
  readonly decidedBy?: CallDecider;
  /** Secrets redacted. */
  readonly args?: unknown;
  /** The question that a person has to answer, or has answered. */
  readonly approvalId?: string;
  readonly error?: Failure;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Absent while it goes on. */
  readonly durationMs?: number;
}

/**
 * What an agent does, and what it says, as people are shown it: a fold over its events. Plain data; `foldReasoning` makes
 * the next one.
 */
export interface ReasoningBlock {
  readonly runId: string;
  readonly runner: string;
  readonly state: ReasoningState;
  readonly language: ReasoningLanguage;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Up to the last event; of a run that goes on, what the clock says counts. */
  readonly elapsedMs: number;
  readonly steps: readonly ReasoningStep[];
  /** As far as it has come; what of it is provisional is gone when the run says otherwise. */
  readonly answer: string;
  /** What the model thinks right now, apart from what it says. */
  readonly thinking: string;
  /** Whose thoughts these are: part and round. */
  readonly thinker: string;
}

/** The block of a run of which nothing is known yet. */
export const noReasoning: ReasoningBlock = {
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
