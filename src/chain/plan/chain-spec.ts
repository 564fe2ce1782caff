import type { TriggerSpec } from "./trigger-spec.ts";

/** A duration as files write it: seconds, or text such as `500ms`, `2m`. */
export type DurationSpec = number | string;

/**
 * Policy for untrusted values that reach a destructive tool: they are only shown, or the chain is rejected if there is
 * no approval.
 */
export type TaintPolicy = "show" | "strict";

/** Kinds of targets of a step that untrusted content may decide without approval. */
export interface UntrustedSpec {
  readonly path?: "allow";
  readonly url?: "allow";
  readonly command?: "allow";
}

/** Name and selection of a step's output. */
export interface OutputSpec {
  /** A name under which `${context.NAME}` reads the output, too. */
  readonly as?: string;
  /** A JSONPath into the output of the tool. */
  readonly select?: string;
}

/** Conditions and limits for retrying a failed attempt. */
export interface RetrySpec {
  /** Maximum number of retries. */
  readonly max?: number;
  readonly delay?: DurationSpec;
  readonly backoff?: "exponential" | "linear" | "fixed";
  readonly max_delay?: DurationSpec;
  readonly jitter?: boolean;
  readonly when?: string;
}

/** One fallback for a step that failed. */
export interface FallbackSpec {
  readonly condition?: string;
  readonly tool: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly output?: OutputSpec;
}

/** Strategy for a failed step: `abort`, `continue`, `fallback`, `retry`, or several joined by `|`. */
export interface ErrorHandlingSpec {
  readonly strategy?: string;
  readonly max_retries?: number;
  readonly fallback?: readonly FallbackSpec[];
}

/** Repeat until a condition holds. */
export interface RepeatSpec {
  readonly until: string;
  readonly max?: number;
  readonly max_duration?: DurationSpec;
  readonly delay?: DurationSpec;
}

/** A wait of a step: a duration, a time, or an external event. All of them may be expressions. */
export type WaitSpec =
  | DurationSpec
  | { readonly event?: string; readonly timeout?: DurationSpec; readonly until?: string };

/** One step, as a file writes it. */
export interface StepSpec {
  readonly id: string;
  /** The tool or chain to call. A step has this or `wait`. */
  readonly tool?: string;
  readonly wait?: WaitSpec;
  readonly description?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly output?: OutputSpec;
  readonly condition?: string | boolean;
  readonly depends_on?: readonly string[];
  readonly timeout?: DurationSpec;
  readonly retry?: RetrySpec;
  readonly error_handling?: ErrorHandlingSpec;
  /** An expression that evaluates to a list, or the list itself. */
  readonly for_each?: string | readonly unknown[];
  /** Maximum number of items of `for_each` that run at once. Default: 5. */
  readonly concurrency?: number;
  /** Maximum number of items that may fail: a number, or a share such as `10%`. Default: none. */
  readonly tolerate?: number | string;
  readonly repeat?: RepeatSpec;
  readonly cache?: { readonly ttl: DurationSpec; readonly key?: string };
  readonly approval?:
    | string
    | { readonly message: string; readonly approvers?: readonly string[]; readonly expires?: DurationSpec };
  readonly untrusted?: UntrustedSpec;
  readonly compensate?: { readonly tool: string; readonly params?: Readonly<Record<string, unknown>> };
}

/** A chain, as a file writes it: plain JSON data that has been checked against the format. */
export interface ChainSpec {
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
  /**
   * By name: short forms (`string`, `number=3`, `string[]?`), long forms, or a JSON Schema for each input. Or a list in
   * the form of tool files.
   */
  readonly input?: Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];
  readonly env?: readonly string[];
  readonly max_parallel?: number;
  readonly timeout?: DurationSpec;
  readonly durable?: boolean;
  readonly taint?: TaintPolicy;
  readonly steps: readonly StepSpec[];
  /** Triggers that start runs. */
  readonly on?: readonly TriggerSpec[];
  readonly output?: unknown;
  readonly error_handling?: ErrorHandlingSpec;
  readonly metadata?: Readonly<Record<string, unknown>>;
}
