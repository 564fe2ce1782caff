import { brandPublic } from "./brand.ts";
import type { Issue } from "./issue.ts";

/**
 * States whether the same work may be retried.
 * - `safe`: yes, nothing happened or running it twice has no further effect;
 * - `unsafe`: it may have happened, and a second run may repeat its effect;
 * - `never`: it would fail in the same way.
 */
export type RetryVerdict = "safe" | "unsafe" | "never";

/** Area of the product in which a failure code can appear. */
export type FailureArea = "call" | "definition" | "run" | "store";

interface FailureKind {
  readonly area: FailureArea;
  /** Description of the failure, for the generated failure table. */
  readonly meaning: string;
  /** Suggested fix. */
  readonly remedy: string;
  /** The default verdict; `effect` derives it from the tool's effect. */
  readonly retry: RetryVerdict | "effect";
}

/** Every failure code of Windlass. The failure reference in the docs is generated from this table. */
export const failureKinds = {
  tool_not_found: {
    area: "call",
    meaning: "No tool has this name.",
    remedy: "Use the suggested name, or list the tools.",
    retry: "never",
  },
  executor_not_found: {
    area: "call",
    meaning: "The tool exists, but the executor its `entry` names does not.",
    remedy: "Correct `entry.handler` or `entry.module` in the tool's file.",
    retry: "never",
  },
  validation_error: {
    area: "call",
    meaning: "The arguments do not match the tool's input schema.",
    remedy: "Correct the arguments named in `issues`.",
    retry: "never",
  },
  permission_denied: {
    area: "call",
    meaning: "A rule or a guard does not allow this call.",
    remedy: "Change the call, or the `permissions` or `network` rules of the workspace.",
    retry: "never",
  },
  approval_required: {
    area: "call",
    meaning: "A person has to approve this call first.",
    remedy: "Approve it (`windlass approve ID`), then repeat the same call.",
    retry: "safe",
  },
  rejected: {
    area: "call",
    meaning: "The engine has no capacity: the queue is full, the strategy is `reject`, or calls nest too deeply.",
    remedy: "Call again later, or raise the `concurrency` limits.",
    retry: "safe",
  },
  queue_timeout: {
    area: "call",
    meaning: "The call waited longer for a free slot than the queue timeout allows.",
    remedy: "Call again later, or raise the `concurrency` limits.",
    retry: "safe",
  },
  cancelled: {
    area: "call",
    meaning: "The caller cancelled the call.",
    remedy: "Nothing to fix; call again if the work is still needed.",
    retry: "effect",
  },
  timeout: {
    area: "call",
    meaning: "The tool did not finish within its deadline and was aborted.",
    remedy: "Request less work, or raise the tool's timeout.",
    retry: "effect",
  },
  execution_error: {
    area: "call",
    meaning: "The tool ran and failed.",
    remedy: "Read the message; it comes from the tool.",
    retry: "effect",
  },
  not_available: {
    area: "call",
    meaning: "The tool is unavailable right now: disabled, not configured, or its service cannot be reached.",
    remedy: "Configure or enable what the message names.",
    retry: "safe",
  },
  output_invalid: {
    area: "call",
    meaning: "The tool returned something that its output schema or the size limit does not allow.",
    remedy: "Fix the tool, its `output` schema, or the limit.",
    retry: "effect",
  },
  engine_closed: {
    area: "call",
    meaning: "The engine is closing or closed and accepts no new calls.",
    remedy: "Make the call on an open engine.",
    retry: "safe",
  },
  tool_invalid: {
    area: "definition",
    meaning: "A tool's definition is unusable.",
    remedy: "Correct the part of the definition that the message names.",
    retry: "never",
  },
  file_invalid: {
    area: "definition",
    meaning: "A file of the workspace is invalid.",
    remedy: "Correct the line that the message shows.",
    retry: "never",
  },
  chain_invalid: {
    area: "definition",
    meaning: "A chain cannot be planned because it is invalid.",
    remedy: "Correct the lines that the message shows; `windlass validate` shows all of them.",
    retry: "never",
  },
  expression_error: {
    area: "run",
    meaning: "An expression of a chain failed on the values of this run.",
    remedy: "Correct the expression, or handle the missing value with `??`.",
    retry: "never",
  },
  loop_exhausted: {
    area: "run",
    meaning: "A `repeat` reached its limit before its condition held.",
    remedy: "Raise `max` or `max_duration`, or correct `until`.",
    retry: "never",
  },
  items_failed: {
    area: "run",
    meaning: "More items of a `for_each` failed than `tolerate` allows.",
    remedy: "Check the items that failed, or raise `tolerate`.",
    retry: "never",
  },
  interrupted: {
    area: "run",
    meaning: "The process ended while a tool ran that must not run twice; it is unknown whether its work was done.",
    remedy: "Check, then approve running it again, confirm that it was done (`approve --done`), or reject it.",
    retry: "unsafe",
  },
  run_not_found: {
    area: "run",
    meaning: "No run has this id.",
    remedy: "List the runs with `windlass runs`.",
    retry: "never",
  },
  run_exists: {
    area: "run",
    meaning:
      "A run with this id exists: of another chain, runner or tool, with different input, or for another principal.",
    remedy: "Choose another id, or omit it.",
    retry: "never",
  },
  run_held: {
    area: "run",
    meaning: "Another process is executing this run.",
    remedy: "Wait for it, or cancel the run.",
    retry: "safe",
  },
  run_lost: {
    area: "run",
    meaning: "Another process has claimed this run and continues it.",
    remedy: "Inspect the run with `windlass show RUN`.",
    retry: "never",
  },
  crash_loop: {
    area: "run",
    meaning: "The process that executed this run died several times in a row, without a new outcome.",
    remedy:
      "Find the cause, then continue the run with `windlass resume RUN`, or start it again with `windlass rerun RUN`.",
    retry: "never",
  },
  run_changed: {
    area: "run",
    meaning: "A tool, or Windlass itself, changed since the run began, so that it cannot be continued faithfully.",
    remedy: "Start it again from the step that matters: `windlass rerun RUN --from STEP`.",
    retry: "never",
  },
  store_newer: {
    area: "store",
    meaning: "The database was written by a newer version of Windlass.",
    remedy: "Upgrade Windlass; or move the `.windlass` folder away to start with an empty database.",
    retry: "never",
  },
  store_full: {
    area: "store",
    meaning: "The disk that holds the database is full; what was committed before is intact.",
    remedy: "Free some space; `windlass prune` removes old records.",
    retry: "safe",
  },
  store_failed: {
    area: "store",
    meaning: "The database cannot be opened, read or written.",
    remedy: "Read the message; check the file and its permissions.",
    retry: "safe",
  },
} as const;

failureKinds satisfies Record<string, FailureKind>;

/** The name of one kind of failure. */
export type FailureCode = keyof typeof failureKinds;

/** A failure as a value: what happened, for people and for models, and whether to retry. */
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
  /** The earliest sensible time for a retry, in milliseconds from now. */
  readonly retryAfterMs?: number;
  /** The pending approval, with `approval_required`. */
  readonly approvalId?: string;
  /** For people: the position at which the code of a workspace threw, as in `tools/boom.ts:2:9`. */
  readonly thrownAt?: string;
}

/** Options of `fail()` and {@link FailureError} besides the message. */
export interface FailureOptions {
  readonly code?: FailureCode;
  readonly reason?: string;
  readonly forModel?: string;
  readonly issues?: readonly Issue[];
  readonly retry?: RetryVerdict;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/**
 * A {@link Failure} that can be thrown. Recognized by brand, so that two copies of Windlass are compatible.
 *
 * @see docs/guide/tools.md
 */
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

  /** The failure as a value; `byEffect` is the verdict if neither the thrower nor the code states one. */
  toFailure(byEffect: RetryVerdict = "unsafe"): Failure {
    return failure(this.code, this.message, { ...this.#options, byEffect });
  }
}

function isFailureCode(code: string | undefined): code is FailureCode {
  return code !== undefined && Object.hasOwn(failureKinds, code);
}

const isBranded = brandPublic(FailureError, "failure");

/** Builds a failure value; the verdict defaults to the code's, or to `byEffect` if the code leaves it to the effect. */
export function failure(
  code: FailureCode,
  message: string,
  options: Omit<FailureOptions, "code" | "cause"> & {
    byEffect?: RetryVerdict;
    approvalId?: string;
    thrownAt?: string | undefined;
  } = {},
): Failure {
  const defaults: RetryVerdict | "effect" = failureKinds[code].retry;
  return {
    code,
    message,
    forModel: options.forModel ?? message,
    retry: options.retry ?? (defaults === "effect" ? (options.byEffect ?? "unsafe") : defaults),
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
 *
 * @see docs/guide/tools.md
 */
export function fail(message: string, options: FailureOptions = {}): FailureError {
  return new FailureError(message, options);
}

/**
 * True if this is a {@link FailureError}, of this or another copy of Windlass.
 *
 * @example
 * ```ts
 * try {
 *   await workspace.runs.resume("order-7");
 * } catch (error) {
 *   if (isFailureError(error) && error.code === "run_held") console.log("another process executes it");
 * }
 * ```
 */
export function isFailureError(value: unknown): value is FailureError {
  return isBranded(value);
}

/** The message of an error; anything else that was thrown as text. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The words with which the program was started. */
let cliPrefix = "windlass";

/** `-C DIR` for the folder of the program, if it was started with it. */
let cliFolder = "";

/**
 * Sets the words with which the program was started, such as `npx windlass`, and the folder of `-C`, quoted for a shell.
 * Only the program itself calls this.
 */
export function setCliPrefix(words: string, folder?: string): void {
  cliPrefix = words;
  cliFolder = folder === undefined ? "" : ` -C ${folder}`;
}

/**
 * A command of the program, as the user has to type it here: `npm run -s windlass -- validate` in a clone. All messages
 * that suggest a command use this function.
 */
export function cliCommand(words: string): string {
  return `${cliPrefix} ${words.replace(/^\S+/, (command) => command + cliFolder)}`;
}

/** A fixed text with commands in backquotes, such as a remedy, with these commands as the user has to type them. */
export function withCliCommands(text: string): string {
  return text.replaceAll(/(?<=`)windlass ([^`]+)/g, (_all, words: string) => cliCommand(words));
}
