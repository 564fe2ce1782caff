import type { JsonSchema } from "../schema/index.ts";
import type { AnyTool, InputOf, OutputOf } from "./tool.ts";
import type { ToolResult } from "./result.ts";

/** Writes a line to the call's log; secrets are redacted on output. */
export type Log = (message: string, data?: Readonly<Record<string, unknown>>) => void;

/** The secrets that the workspace declares. */
export interface Secrets {
  /** The value, or undefined if the workspace declares no such secret. */
  get(name: string): string | undefined;
  /** Advice for a secret that is named and has no value, such as the variable to set. */
  hint?(name: string): string | undefined;
}

/** Input that a tool needs and only a person can provide. */
export interface ElicitRequest {
  readonly message: string;
  /** The requested input: a flat object of strings, numbers, choices and booleans. */
  readonly schema: JsonSchema;
}

/** Outcome of an elicitation: content, a refusal, or a cancellation. */
export type ElicitResult =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" };

/** Elicits input from the caller. Never use it for passwords or keys: those are secrets of the workspace. */
export interface Elicit {
  (elicitation: ElicitRequest, signal: AbortSignal): Promise<ElicitResult>;
  /** False if the person who responds may not approve calls: no approvals are elicited from them. */
  readonly approves?: boolean;
}

/** Context of a handler, passed besides its arguments. */
export interface ToolContext {
  readonly callId: string;
  /** Aborted when the deadline passes or the caller cancels; never on success. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** The same for every attempt of the same work; pass it to services that support it. */
  readonly idempotencyKey: string;
  /** 1 for the first attempt; counts retries of the engine and of the step of a chain. */
  readonly attempt: number;
  /** Values that calls of one conversation or run share. */
  readonly variables: Record<string, unknown>;
  readonly secrets: Secrets;
  readonly conversationId: string | undefined;
  /** Reports progress to the caller; any JSON value. */
  readonly progress: (value: unknown) => void;
  /** Elicits input from the caller; returns `decline` if the caller cannot be elicited. */
  readonly elicit: (elicitation: ElicitRequest) => Promise<ElicitResult>;
  /** Adds facts to the result's `meta`, such as `{ tokensUsed: 120 }`. */
  readonly report: (facts: Readonly<Record<string, unknown>>) => void;
}

/** Additional context of a composite tool. */
export interface CompositeContext {
  /** Calls another tool under this call's slot, deadline, principal and policy. */
  callTool: CallTool;
}

/** Calls a tool: typed if a tool is passed, `unknown` if a name is passed. */
export interface CallTool {
  <T extends AnyTool>(tool: T, args: InputOf<T>): Promise<ToolResult<OutputOf<T>>>;
  (name: string, args: unknown): Promise<ToolResult>;
}
