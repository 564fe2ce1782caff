/** A duration as files write it: seconds, or text such as `500ms`, `2m`. */
export type DurationSpec = number | string;

/**
 * What is done about values from outside that reach a tool which may do harm: they are only shown, or the chain is
 * refused where nobody is asked.
 */
export type Taint = "show" | "strict";

/** Where and how a step's output goes. */
export interface OutputSpec {
  /** A name under which `${context.NAME}` finds the output too. */
  readonly as?: string;
  /** A JSONPath into what the tool gave. */
  readonly select?: string;
}

/** When and how often a failed attempt is made again. */
export interface RetrySpec {
  /** Further attempts after the first. */
  readonly max?: number;
  readonly delay?: DurationSpec;
  readonly backoff?: "exponential" | "linear" | "fixed";
  readonly max_delay?: DurationSpec;
  readonly jitter?: boolean;
  readonly when?: string;
}

/** One stand-in for a step that failed. */
export interface FallbackSpec {
  readonly condition?: string;
  readonly tool: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly output?: OutputSpec;
}

/** What happens when a step has failed: `abort`, `continue`, `fallback`, `retry`, or several joined by `|`. */
export interface ErrorHandlingSpec {
  readonly strategy?: string;
  readonly max_retries?: number;
  readonly fallback?: readonly FallbackSpec[];
}

/** Do it again until a condition holds. */
export interface RepeatSpec {
  readonly until: string;
  readonly max?: number;
  readonly max_duration?: DurationSpec;
  readonly delay?: DurationSpec;
}

/** One step, as a file writes it. */
export interface StepSpec {
  readonly id: string;
  readonly tool: string;
  readonly description?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly output?: OutputSpec;
  readonly condition?: string | boolean;
  readonly depends_on?: readonly string[];
  readonly timeout?: DurationSpec;
  readonly retry?: RetrySpec;
  readonly error_handling?: ErrorHandlingSpec;
  /** An expression that gives a list, or the list itself. */
  readonly for_each?: string | readonly unknown[];
  /** How many items of `for_each` run at once; 5 where absent. */
  readonly concurrency?: number;
  /** How many items may fail: a number, or a share such as `10%`; none where absent. */
  readonly tolerate?: number | string;
  readonly repeat?: RepeatSpec;
  readonly cache?: { readonly ttl: DurationSpec; readonly key?: string };
  readonly approval?:
    | string
    | { readonly message: string; readonly approvers?: readonly string[]; readonly expires?: DurationSpec };
  readonly compensate?: { readonly tool: string; readonly params?: Readonly<Record<string, unknown>> };
}

/** A chain, as a file writes it: plain JSON data that has been checked against the format. */
export interface ChainSpec {
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
  /** Short forms (`string`, `number=3`, `string[]?`), long forms, or a JSON Schema for each input. */
  readonly input?: Readonly<Record<string, unknown>>;
  readonly env?: readonly string[];
  readonly max_parallel?: number;
  readonly timeout?: DurationSpec;
  readonly durable?: boolean;
  readonly taint?: Taint;
  readonly steps: readonly StepSpec[];
  readonly output?: unknown;
  readonly error_handling?: ErrorHandlingSpec;
  readonly metadata?: Readonly<Record<string, unknown>>;
}
