import type {
  CallOutcome,
  CallWork,
  CancelOutcome,
  DecidedOutcome,
  InterruptedOutcome,
  SettledOutcome,
  Wait,
} from "../host.ts";
import type { EffectRunner } from "./effect-runner.ts";
import type { ProgramEnd } from "./running-program.ts";
import type { Failure } from "../../base/index.ts";
import type { ToolResult } from "../../tool/index.ts";

/** One call, of a tool or of the model. */
export interface CallEffect {
  readonly kind: "call";
  readonly key: string;
  readonly work: CallWork;
  readonly onProgress: ((value: unknown) => void) | undefined;
  /** Interprets the result before it is journaled. */
  readonly interpret?: ((result: ToolResult) => ToolResult) | undefined;
}

/** A value of this process, which becomes a part of the journal. */
interface ObserveEffect {
  readonly kind: "observe";
  readonly key: string;
  readonly read: () => unknown;
}

/** A wait for a person or for a timer. */
export interface WaitEffect {
  readonly kind: "wait";
  readonly key: string;
  readonly wait: Wait;
  readonly onRequested: ((approvalId: string, note: string | undefined) => void) | undefined;
}

/** Several programs that run concurrently. */
export interface AllEffect {
  readonly kind: "all";
  readonly programs: readonly RunProgram<unknown>[];
  /** Maximum number of programs that run at the same time. */
  readonly concurrency: number;
}

/** Work of another layer on the same host and journal, such as a sub-chain. */
export interface NestedEffect {
  readonly kind: "nested";
  /** Prepares the work; `onEnd` is called once. */
  open(runner: EffectRunner, onEnd: (end: ProgramEnd<unknown>) => void): NestedWork;
}

/** Running work of a {@link NestedEffect}. */
export interface NestedWork {
  begin(): void;
  /** True if it is about to start work without a wake-up; it wakes the runner afterwards. */
  readonly isOpening: boolean;
  /** Receives the cancellation of the run. */
  push(settled: SettledOutcome): void;
}

/** The effects that a program can yield. */
export type RunEffect = CallEffect | ObserveEffect | WaitEffect | AllEffect | NestedEffect;

/**
 * Deterministic work: it yields effects, receives their outcomes, and has no other access to the outside. So it takes
 * the same path when the run is replayed from its journal, and can be suspended at any effect and resumed in another
 * process.
 */
// The type of the outcome depends on the effect and is `any` here; the functions below give it a type.
export type RunProgram<T> = Generator<RunEffect, T>;

/** Executes a call. `interrupted` if the process ended while it was running, so that its outcome is unknown. */
export function* performCall(
  key: string,
  work: CallWork,
  { onProgress, interpret }: Partial<Pick<CallEffect, "onProgress" | "interpret">> = {},
): RunProgram<CallOutcome | InterruptedOutcome> {
  return yield { kind: "call", key, work, onProgress, interpret };
}

/** Waits for a person's decision; `cancel` if the run is cancelled before that. */
export function* waitForApproval(
  key: string,
  wait: Extract<Wait, { kind: "approval" }>,
  onRequested?: WaitEffect["onRequested"],
): RunProgram<DecidedOutcome | CancelOutcome> {
  return yield { kind: "wait", key, wait, onRequested };
}

/** Returns the values of the programs, in order. If one throws, those that have started finish and no other starts. */
export function* runAll<T>(flows: readonly RunProgram<T>[], atOnce: number = Infinity): RunProgram<T[]> {
  if (flows.length === 0) return [];
  // A single program needs no collector.
  if (flows.length === 1) return [yield* flows[0] as RunProgram<T>];
  return yield { kind: "all", programs: flows, concurrency: atOnce };
}

/** Reserved tool name under which a run records a value. No tool can have it. */
export const recordedValueTool = "run:fact";

/**
 * Reads a value from the environment, such as the list of available tools, and journals it: every replay returns the
 * recorded value. A program that branches on it stays deterministic, even if the environment has changed. `look` must
 * return plain JSON and have no side effects.
 */
export function* recordValue<T>(key: string, look: () => T): RunProgram<T> {
  const outcome: CallOutcome = yield { kind: "observe", key: `${key}#1`, read: look };
  if (!outcome.result.success) throw new TypeError(`nothing is known of ${key}`);
  // The value that `look` returned, now or before the replay.
  return outcome.result.output as T;
}

/** Outcome of a call: output or failure. */
export type CallEnding<Output = unknown> =
  | { readonly success: true; readonly output: Output }
  | { readonly success: false; readonly error: Failure };

/** Creates a result without the engine. Omit `times` for a call that never started. */
export function createToolResult<Output>(
  tool: string,
  ending: CallEnding<Output>,
  times?: { readonly executedAt: number; readonly durationMs: number },
): ToolResult<Output> {
  const { executedAt = 0, durationMs = 0 } = times ?? {};
  const meta = { callId: "", source: "", attempts: times === undefined ? 0 : 1 };
  return { ...ending, tool, durationMs, executedAt, meta };
}
