import type { Issue } from "./issue.ts";

/**
 * May the same work be tried again?
 * - `safe`: yes, nothing happened or doing it twice does no harm;
 * - `unsafe`: it may have happened, a second run may do harm;
 * - `never`: it would fail in the same way.
 */
export type RetryVerdict = "safe" | "unsafe" | "never";

/** Where in the product a failure code can appear. */
export type FailureArea = "call" | "definition" | "run" | "store";

interface FailureKind {
  readonly area: FailureArea;
  /** What happened, for the generated failure table. */
  readonly means: string;
  /** What the reader can do about it. */
  readonly remedy: string;
  /** The verdict when nothing better is known; `effect` asks the tool's effect. */
  readonly retry: RetryVerdict | "effect";
}

/** Every failure code of Windlass. The failure reference in the docs is generated from this table. */
export const failureKinds = {
  tool_not_found: {
    area: "call",
    means: "No tool has this name.",
    remedy: "Use the suggested name, or list the tools.",
    retry: "never",
  },
  executor_not_found: {
    area: "call",
    means: "The tool exists, but the executor its `entry` names does not.",
    remedy: "Correct `entry.handler` or `entry.module` in the tool's file.",
    retry: "never",
  },
  validation_error: {
    area: "call",
    means: "The arguments do not fit the tool's input schema.",
    remedy: "Correct the arguments named in `issues`.",
    retry: "never",
  },
  permission_denied: {
    area: "call",
    means: "A rule or a guard does not allow this call.",
    remedy: "Change the call, or the `permissions` or `network` rules of the workspace.",
    retry: "never",
  },
  approval_required: {
    area: "call",
    means: "A person has to approve this call first.",
    remedy: "Approve it (`windlass approve ID`), then make the same call again.",
    retry: "safe",
  },
  rejected: {
    area: "call",
    means: "The engine has no room: the queue is full, the strategy is `reject`, or calls nest too deep.",
    remedy: "Call again later, or raise the `concurrency` limits.",
    retry: "safe",
  },
  queue_timeout: {
    area: "call",
    means: "The call waited longer for a free slot than the queue timeout allows.",
    remedy: "Call again later, or raise the `concurrency` limits.",
    retry: "safe",
  },
  cancelled: {
    area: "call",
    means: "The caller cancelled the call.",
    remedy: "Nothing to mend; call again if the work is still wanted.",
    retry: "effect",
  },
  timeout: {
    area: "call",
    means: "The tool did not finish within its deadline and was aborted.",
    remedy: "Ask for less work, or raise the tool's timeout.",
    retry: "effect",
  },
  execution_error: {
    area: "call",
    means: "The tool ran and failed.",
    remedy: "Read the message; it comes from the tool.",
    retry: "effect",
  },
  not_available: {
    area: "call",
    means: "The tool cannot work right now: switched off, not configured, or its service cannot be reached.",
    remedy: "Configure or enable what the message names.",
    retry: "safe",
  },
  output_invalid: {
    area: "call",
    means: "The tool answered with something its output schema or the size limit does not allow.",
    remedy: "Mend the tool, its `output` schema, or the limit.",
    retry: "effect",
  },
  engine_closed: {
    area: "call",
    means: "The engine is closing or closed and takes no new calls.",
    remedy: "Make the call on an open engine.",
    retry: "safe",
  },
  tool_invalid: {
    area: "definition",
    means: "A tool's definition is not usable.",
    remedy: "Correct the part of the definition that the message names.",
    retry: "never",
  },
  file_invalid: {
    area: "definition",
    means: "A file of the workspace cannot be read as what it should be.",
    remedy: "Correct the line that the message shows.",
    retry: "never",
  },
  chain_invalid: {
    area: "definition",
    means: "A chain cannot be planned: something in it is wrong.",
    remedy: "Correct the lines that the message shows; `windlass validate` shows all of them.",
    retry: "never",
  },
  expression_error: {
    area: "run",
    means: "An expression of a chain failed on the values of this run.",
    remedy: "Correct the expression, or provide for the missing value with `??`.",
    retry: "never",
  },
  loop_exhausted: {
    area: "run",
    means: "A `repeat` reached its limit before its condition held.",
    remedy: "Raise `max` or `max_duration`, or correct `until`.",
    retry: "never",
  },
  items_failed: {
    area: "run",
    means: "More items of a `for_each` failed than `tolerate` allows.",
    remedy: "Look at the items that failed, or raise `tolerate`.",
    retry: "never",
  },
  interrupted: {
    area: "run",
    means: "The process ended while a tool ran that must not run twice; nobody knows whether its work was done.",
    remedy: "Find out, then approve running it again, say that it was done (`approve --done`), or reject it.",
    retry: "unsafe",
  },
  run_not_found: {
    area: "run",
    means: "No run has this id.",
    remedy: "List the runs with `windlass runs`.",
    retry: "never",
  },
  run_exists: {
    area: "run",
    means: "A run with this id exists, of another chain or with other input.",
    remedy: "Choose another id, or leave it out.",
    retry: "never",
  },
  run_held: {
    area: "run",
    means: "Another process is executing this run.",
    remedy: "Wait for it, or cancel the run.",
    retry: "safe",
  },
  run_lost: {
    area: "run",
    means: "Another process has taken this run over, and goes on with it.",
    remedy: "Look at the run with `windlass show RUN`.",
    retry: "never",
  },
  run_changed: {
    area: "run",
    means: "A tool, or Windlass itself, changed since the run began, so that it cannot be continued faithfully.",
    remedy: "Start it again from the step that matters: `windlass rerun RUN --from STEP`.",
    retry: "never",
  },
  store_newer: {
    area: "store",
    means: "The database was written by a newer version of Windlass.",
    remedy: "Upgrade Windlass; or move the `.windlass` folder away to start with an empty database.",
    retry: "never",
  },
  store_full: {
    area: "store",
    means: "The disk that holds the database is full; what was committed before is intact.",
    remedy: "Free some space; `windlass prune` removes old records.",
    retry: "safe",
  },
  store_failed: {
    area: "store",
    means: "The database cannot be opened, read or written.",
    remedy: "Read the message; check the file and its permissions.",
    retry: "safe",
  },
} as const;

failureKinds satisfies Record<string, FailureKind>;

/** The name of one kind of failure. */
export type FailureCode = keyof typeof failureKinds;

/** A failure as a value: what happened, for people and for models, and whether to try again. */
export interface Failure {
  readonly code: FailureCode;
  /** A finer reason within the code, such as `ssrf_ip` or `unknown_name`. */
  readonly reason?: string;
  /** For people: what happened and what to do. */
  readonly message: string;
  /** For a model: what to change in the call. */
  readonly forModel: string;
  readonly issues?: readonly Issue[];
  readonly retry: RetryVerdict;
  /** The earliest sensible time for another try, in milliseconds from now. */
  readonly retryAfterMs?: number;
  /** The approval that is being waited for, with `approval_required`. */
  readonly approvalId?: string;
  /** For people: where the code of a workspace threw, as in `tools/boom.ts:2:9`. */
  readonly thrownAt?: string;
}

/** What `fail()` and {@link FailureError} take besides the message. */
export interface FailureOptions {
  readonly code?: FailureCode;
  readonly reason?: string;
  readonly forModel?: string;
  readonly issues?: readonly Issue[];
  readonly retry?: RetryVerdict;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

const brand = Symbol.for("windlass.failure");

/** A {@link Failure} that can be thrown. Recognised by brand, so two copies of Windlass understand each other. */
export class FailureError extends Error {
  readonly code: FailureCode;
  readonly #options: FailureOptions;

  constructor(message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "FailureError";
    // The code may come from plain JavaScript, or from a newer copy of Windlass.
    this.code = isFailureCode(options.code) ? options.code : "execution_error";
    this.#options = options;
  }

  get reason(): string | undefined {
    return this.#options.reason;
  }

  get issues(): readonly Issue[] | undefined {
    return this.#options.issues;
  }

  /** The failure as a value; `byEffect` is the verdict where neither the thrower nor the code states one. */
  toFailure(byEffect: RetryVerdict = "unsafe"): Failure {
    return failure(this.code, this.message, { ...this.#options, byEffect });
  }
}

function isFailureCode(code: string | undefined): code is FailureCode {
  return code !== undefined && Object.hasOwn(failureKinds, code);
}

// On the prototype, so that two copies of Windlass know each other's failures.
Object.defineProperty(FailureError.prototype, brand, { value: true });

/** Builds a failure value; the verdict defaults to the code's, or to `byEffect` where the code leaves it to the effect. */
export function failure(
  code: FailureCode,
  message: string,
  options: Omit<FailureOptions, "code" | "cause"> & {
    byEffect?: RetryVerdict;
    approvalId?: string;
    thrownAt?: string | undefined;
  } = {},
): Failure {
  const usual: RetryVerdict | "effect" = failureKinds[code].retry;
  return {
    code,
    message,
    forModel: options.forModel ?? message,
    retry: options.retry ?? (usual === "effect" ? (options.byEffect ?? "unsafe") : usual),
    ...(options.reason !== undefined && { reason: options.reason }),
    ...(options.issues !== undefined && { issues: options.issues }),
    ...(options.retryAfterMs !== undefined && { retryAfterMs: options.retryAfterMs }),
    ...(options.approvalId !== undefined && { approvalId: options.approvalId }),
    ...(options.thrownAt !== undefined && { thrownAt: options.thrownAt }),
  };
}

/**
 * A tool's own failure, to return or to throw from a handler.
 *
 * @example
 * ```ts
 * return fail("the city is unknown", { reason: "unknown_city", retry: "never" });
 * ```
 */
export function fail(message: string, options: FailureOptions = {}): FailureError {
  return new FailureError(message, options);
}

/** Is this a {@link FailureError}, of this or another copy of Windlass? */
export function isFailureError(value: unknown): value is FailureError {
  return typeof value === "object" && value !== null && brand in value;
}
