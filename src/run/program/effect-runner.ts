import { fail } from "../../base/index.ts";
import {
  type CallOutcome,
  type Host,
  type HostListener,
  type HostOutcome,
  type SettledOutcome,
  cancelKey,
} from "../host.ts";
import { type EffectCaller, RunningProgram, type ProgramEnd, type EffectHandler } from "./running-program.ts";
import type {
  AllEffect,
  CallEffect,
  RunProgram,
  NestedEffect,
  NestedWork,
  WaitEffect,
  RunEffect,
} from "./run-effect.ts";
import { ParallelPrograms } from "./parallel-programs.ts";
import type { ToolResult } from "../../tool/index.ts";

/** Outcome of a program: its return value, its error, or suspension until a person decides. */
export type ProgramOutcome<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "broke"; readonly error: unknown }
  | { readonly kind: "suspended" };

/** Receives the outcome of one key. */
export interface EffectWaiter {
  /** A cancelled wait has no outcome; a cancelled call still has one. */
  readonly isWait: boolean;
  /** Nested work receives the cancellation itself, and stops what it started. */
  readonly isNested?: boolean;
  settled(outcome: HostOutcome, at: number): void;
  readonly progress?: ((value: unknown) => void) | undefined;
  readonly interpret?: ((result: ToolResult) => ToolResult) | undefined;
  readonly approvalRequested?: ((approvalId: string, note: string | undefined) => void) | undefined;
}

/** Number of outcomes that are delivered in a row before timers and sockets get their turn. */
const inARow = 1000;

/**
 * Drives a program on a host: passes the effects that the program yields to the host, and the outcomes back to the
 * program, one at a time. All effects that follow from an outcome are started before the next outcome is taken.
 */
export class EffectRunner implements HostListener, EffectHandler {
  readonly host: Host;
  readonly #pending = new Map<string, EffectWaiter>();
  readonly #nested = new Set<NestedWork>();
  readonly #onSettled: ((settled: SettledOutcome) => void) | undefined;
  /** Time of the last outcome. */
  now: number;
  /** Set when the run is cancelled: nothing more starts. */
  cancelled: { readonly by: string | undefined } | undefined = undefined;
  /** Ids of the approvals that were requested. */
  readonly requestedApprovals: Set<string> = new Set();
  /** Until it is over. */
  #end: { readonly suspend: () => void; readonly reject: (error: unknown) => void } | undefined;
  /** True while outcomes are being delivered, or are about to be without a wake-up. */
  #awake = true;
  #taken = 0;

  /** @param onReported Called with every outcome before the program receives it. */
  constructor(host: Host, onReported?: (settled: SettledOutcome) => void) {
    this.host = host;
    this.now = host.startedAt;
    this.#onSettled = onReported;
    host.attach(this);
  }

  /** Runs the program; call it once. Rejects if this process can no longer execute the run. */
  run<T>(flow: RunProgram<T>): Promise<ProgramOutcome<T>> {
    return new Promise((resolve, reject) => {
      const done = (end: ProgramEnd<T>): void =>
        resolve("error" in end ? { kind: "broke", error: end.error } : { kind: "done", value: end.value });
      this.#end = { suspend: () => resolve({ kind: "suspended" }), reject };
      new RunningProgram(this, flow, (end) => {
        this.#end = undefined;
        done(end);
      }).begin();
      this.#goOn();
    });
  }

  /** Starts an effect of a program, and resumes the program with its outcome. */
  handle(program: EffectCaller, effect: RunEffect): void {
    if (this.cancelled !== undefined) return program.throw(cancelledRun(this.cancelled.by));
    switch (effect.kind) {
      case "call":
        return this.#call(program, effect);
      case "observe":
        this.expect(effect.key, { isWait: false, settled: (outcome) => program.resume(outcome) });
        return this.host.observe(effect.key, effect.read);
      case "wait":
        return this.#wait(program, effect);
      case "all":
        return this.#all(program, effect);
      case "nested":
        return this.#nest(program, effect);
    }
  }

  /** Registers the receiver of the outcome of this key. */
  expect(key: string, waiting: EffectWaiter): void {
    if (this.#pending.has(key)) throw new Error(`the program uses the key ${key} twice at the same time`);
    this.#pending.set(key, waiting);
  }

  /** Removes the receiver of this key. */
  forget(key: string): void {
    this.#pending.delete(key);
  }

  waitsFor(key: string): boolean {
    return this.#pending.get(key)?.isWait === true;
  }

  // --- the host

  wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    this.#goOn();
  }

  interpret(key: string, outcome: CallOutcome): CallOutcome {
    const interpret = this.#pending.get(key)?.interpret;
    return interpret === undefined ? outcome : { ...outcome, result: interpret(outcome.result) };
  }

  progress(key: string, value: unknown): void {
    this.#pending.get(key)?.progress?.(value);
  }

  approvalRequested(key: string, approvalId: string, note?: string): void {
    this.requestedApprovals.add(approvalId);
    this.#pending.get(key)?.approvalRequested?.(approvalId, note);
  }

  #goOn(): void {
    try {
      this.#take();
    } catch (error) {
      this.#end?.reject(error);
      this.#end = undefined;
    }
  }

  #take(): void {
    while (this.#end !== undefined) {
      // It starts its work without a wake-up and wakes this runner afterwards.
      if (this.#nested.size > 0 && this.#isOpening()) break;
      const settled = this.host.next(this.#pending);
      if (settled === undefined) break;
      if (settled.outcome.kind === "suspended") return this.#suspend();
      this.#deliver(settled);
      if (++this.#taken % inARow === 0) {
        setImmediate(() => this.#goOn());
        return;
      }
    }
    this.#awake = false;
  }

  /** True if nested work is about to start more without a wake-up. */
  #isOpening(): boolean {
    for (const work of this.#nested) if (work.isOpening) return true;
    return false;
  }

  #deliver(settled: SettledOutcome): void {
    const { key, outcome, at } = settled;
    if (at > this.now) this.now = at;
    this.#onSettled?.(settled);
    if (key === cancelKey) return outcome.kind === "cancel" ? this.#cancel(settled) : undefined;
    const waiting = this.#pending.get(key);
    this.#pending.delete(key);
    waiting?.settled(outcome, at);
  }

  #cancel(settled: SettledOutcome): void {
    const { outcome } = settled;
    this.cancelled = { by: outcome.kind === "cancel" ? outcome.by : undefined };
    // First, so that nested work starts no fallback for the calls that are stopped below.
    for (const work of this.#nested) work.push(settled);
    for (const [key, { isNested }] of this.#pending) if (isNested !== true) this.stop(key);
  }

  /** Stops a call, whose outcome is still delivered, or a wait, which settles immediately as cancelled. */
  stop(key: string): void {
    const waiting = this.#pending.get(key);
    if (waiting === undefined) return;
    this.host.cancel(key);
    if (!waiting.isWait) return;
    this.#pending.delete(key);
    waiting.settled({ kind: "cancel", by: this.cancelled?.by }, this.now);
  }

  // --- effects

  #call(program: EffectCaller, effect: CallEffect): void {
    const { key, work } = effect;
    this.expect(key, new CallWaiter(program, effect));
    this.host.start(key, work);
  }

  #wait(program: EffectCaller, { key, wait, onRequested }: WaitEffect): void {
    this.expect(key, { isWait: true, settled: (outcome) => program.resume(outcome), approvalRequested: onRequested });
    this.host.wait(key, wait);
  }

  #all(program: EffectCaller, effect: AllEffect): void {
    new ParallelPrograms(this, effect, (end) => program.take(end)).begin();
  }

  #nest(program: EffectCaller, effect: NestedEffect): void {
    const work = effect.open(this, (end) => {
      this.#nested.delete(work);
      program.take(end);
    });
    this.#nested.add(work);
    work.begin();
  }

  /** Ends execution in this process: only a person's decision can move the run forward. It can be resumed later. */
  #suspend(): void {
    this.#end?.suspend();
    this.#end = undefined;
  }
}

/** Receives the outcome of a call. */
class CallWaiter implements EffectWaiter {
  readonly isWait = false;
  readonly #program: EffectCaller;
  readonly #effect: CallEffect;

  constructor(program: EffectCaller, effect: CallEffect) {
    this.#program = program;
    this.#effect = effect;
  }

  settled(outcome: HostOutcome): void {
    this.#program.resume(outcome);
  }

  get progress(): CallEffect["onProgress"] {
    return this.#effect.onProgress;
  }

  get interpret(): CallEffect["interpret"] {
    return this.#effect.interpret;
  }
}

function cancelledRun(by: string | undefined): Error {
  return fail(`the run was cancelled${by === undefined ? "" : ` by ${by}`}`, { code: "cancelled" });
}
