import type { JsonSchema } from "../schema/index.ts";
import type { AnyTool, InputOf, OutputOf } from "./tool.ts";
import type { ToolResult } from "./result.ts";

/** Writes a line into the call's log; secrets are redacted where it leaves. */
export type Log = (message: string, data?: Readonly<Record<string, unknown>>) => void;

/** The secrets that the workspace names. */
export interface Secrets {
  /** The value, or undefined when the workspace names none. */
  get(name: string): string | undefined;
  /** What to do about a secret that is named and has no value, such as which variable to set. */
  todo?(name: string): string | undefined;
}

/** Something that a tool has to know and only a person can say. */
export interface Question {
  readonly message: string;
  /** What is asked for: a flat object of texts, numbers, choices and yes or no. */
  readonly schema: JsonSchema;
}

/** What became of a question: an answer, a no, or nobody who would answer. */
export type QuestionAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" };

/** Asks whoever made the call. Never for passwords or keys: those are secrets of the workspace. */
export interface Elicit {
  (question: Question, signal: AbortSignal): Promise<QuestionAnswer>;
  /** False where whoever answers has no say in what may be called: they are asked for no approvals. */
  readonly approves?: boolean;
}

/** What a handler gets besides its arguments. */
export interface ToolContext {
  readonly callId: string;
  /** Aborted when the deadline passes or the caller cancels; never on success. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** The same for every attempt of the same work; pass it to services that support it. */
  readonly idempotencyKey: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Values that calls of one conversation or run share. */
  readonly variables: Record<string, unknown>;
  readonly secrets: Secrets;
  readonly conversationId: string | undefined;
  /** Tells the caller how far the work is; any JSON value. */
  readonly progress: (value: unknown) => void;
  /** Asks whoever made the call for something; declined where nobody can be asked. */
  readonly elicit: (question: Question) => Promise<QuestionAnswer>;
  /** Adds facts to the result's `meta`, such as `{ tokensUsed: 120 }`. */
  readonly report: (facts: Readonly<Record<string, unknown>>) => void;
}

/** What a composite tool can do besides. */
export interface CompositeContext {
  /** Calls another tool under this call's slot, deadline, principal and policy. */
  callTool: CallTool;
}

/** Calls a tool: typed when given a tool, `unknown` when given a name. */
export interface CallTool {
  <T extends AnyTool>(tool: T, args: InputOf<T>): Promise<ToolResult<OutputOf<T>>>;
  (name: string, args: unknown): Promise<ToolResult>;
}
