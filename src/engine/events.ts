import type { Failure, Issue } from "../base/index.ts";
import type { CallerType } from "../store/index.ts";
import type { Problem } from "../text/index.ts";

/** A change to the set of tools. */
export interface ToolEvent {
  readonly type: "tool_loaded" | "tool_added" | "tool_updated" | "tool_removed";
  /** Epoch milliseconds. */
  readonly at: number;
  readonly tool: string;
  readonly source: string;
  readonly file?: string;
}

/** A reload of a source began. */
export interface ReloadStarted {
  readonly type: "reload_started";
  readonly at: number;
  readonly source: string;
}

/** A reload of a source ended: names of tools, and the number of files that could not be loaded. */
export interface ReloadCompleted {
  readonly type: "reload_completed";
  readonly at: number;
  readonly source: string;
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly errors: number;
}

/** A file could not be loaded. */
export interface LoadError {
  readonly type: "load_error";
  readonly at: number;
  readonly file: string;
  readonly problems: readonly Problem[];
}

/** Fields of every event of a call. */
export interface CallEvent {
  readonly at: number;
  readonly callId: string;
  readonly tool: string;
  readonly callerType: CallerType;
  /** The particular caller: the step of a run, a client, an agent. */
  readonly callerId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly workflowId?: string | undefined;
  /** The call that made this one. */
  readonly parentId?: string | undefined;
}

/** Arguments were refused. An `execution_failed` follows. */
export interface ValidationErrorEvent extends CallEvent {
  readonly type: "validation_error";
  readonly issues: readonly Issue[];
}

/** A handler is about to run. Not emitted for a call that is served from the cache. */
export interface ExecutionStarted extends CallEvent {
  readonly type: "execution_started";
}

/** A call succeeded. Every call ends with exactly one of this and {@link ExecutionFailed}. */
export interface ExecutionCompleted extends CallEvent {
  readonly type: "execution_completed";
  readonly durationMs: number;
  readonly cached: boolean;
}

/** A call failed, in any stage. */
export interface ExecutionFailed extends CallEvent {
  readonly type: "execution_failed";
  readonly durationMs: number;
  readonly error: Failure;
}

/** All events of the engine. Events contain no arguments and no outputs: those are in the records, redacted. */
export type EngineEvent =
  | ToolEvent
  | ReloadStarted
  | ReloadCompleted
  | LoadError
  | ValidationErrorEvent
  | ExecutionStarted
  | ExecutionCompleted
  | ExecutionFailed;

/** The name of one type of event. */
export type EngineEventType = EngineEvent["type"];

/** All eleven event types of an engine. */
export const engineEventTypes: readonly EngineEventType[] = [
  "tool_loaded",
  "tool_added",
  "tool_updated",
  "tool_removed",
  "reload_started",
  "reload_completed",
  "load_error",
  "validation_error",
  "execution_started",
  "execution_completed",
  "execution_failed",
];
