import { fail } from "../../base/index.ts";
import type { JournaledCall } from "../../engine/index.ts";
import type { JournalEvent, RunWait } from "../../store/index.ts";
import type { Effect } from "../../tool/index.ts";
import type { CallEnd, CallRequest, RunCalls } from "../call-runner.ts";
import { createToolResult, recordedValueTool } from "../program/run-effect.ts";
import { RunningCalls } from "./running-calls.ts";
import { JournalWriter, type JournalWriterDeps } from "./journal-writer.ts";
import type { CallWork, HostListener, HostOutcome, PendingKeys, RunHost, SettledOutcome, Wait } from "../host.ts";
import { cancelKey } from "../host.ts";
import { OrderedKeyMap } from "./ordered-key-map.ts";
import { ReplayLog } from "../replay/replay-log.ts";
import { HostWaits, type WaitsOwner } from "./host-waits.ts";
import { ReadyQueue, suspended } from "./ready-queue.ts";
import type { ApprovalSink, RunApprovals } from "../approvals/run-approvals.ts";
import { RunCall, type RunCallOwner } from "./run-call.ts";
import { isSafeToRepeat, stalledRunFailure, unacknowledgedOutcome } from "./host-outcomes.ts";

/** Dependencies of a {@link JournalHost}. */
export interface JournalHostDeps extends JournalWriterDeps {
  /** The events of the run so far; they are replayed. */
  readonly events: readonly JournalEvent[];
  /** Undefined for a read-only replay, which starts nothing. */
  readonly calls: RunCalls | undefined;
  /**
   * Creates the approvals of the run, with the callbacks that receive their results. If undefined, a run that needs an
   * approval is suspended.
   */
  readonly approvals: ((sink: ApprovalSink) => RunApprovals) | undefined;
  /** Wait in this process for decisions instead of suspending the run. */
  readonly waitForDecisions: boolean;
  /** The call of another run that this run is nested in. */
  readonly step?: JournaledCall | undefined;
}

/** Work of a program; a function reads a value of this process. */
type HostWork = CallWork | Wait | (() => unknown);

/**
 * Executes the steps of a run in this process and journals every outcome in one total order. Recorded outcomes are
 * replayed first, each once its key is requested; only then does new work start. A call with side effects starts after
 * its start is durable, and its outcome is delivered after it is durable; the outcome of a read-only call is delivered
 * immediately, since it may be re-executed.
 *
 * ```
 *   replaying ──► live ──► requested         whether recorded outcomes come first
 *       ▲           ▲          │
 *       └───────────┴──────────┘
 *   active ──► releasing ──► released        whether work may start, and outcomes count
 *     └──────► over
 * ```
 *
 * @see docs/guide/durable-runs.md
 */
export class JournalHost implements RunHost, RunCallOwner, WaitsOwner {
  readonly runId: string;
  readonly startedAt: number;
  readonly isDurable: boolean;
  readonly isNested: boolean;
  readonly #parts: JournalHostDeps;
  readonly #replayLog: ReplayLog;
  /** `live`: no pending key has a recorded outcome. `requested`: a key that was requested since may have one. */
  #replay: "replaying" | "live" | "requested";
  readonly #writer: JournalWriter;
  /**
   * Work that was requested while nothing may start: during replay, while the run is released, and after a cancellation
   * was requested.
   */
  readonly #deferred = new OrderedKeyMap<HostWork>();
  readonly #cancelledWhileDeferred = new OrderedKeyMap<true>();
  readonly #running = new RunningCalls();
  readonly #waits: HostWaits;
  readonly #ready: ReadyQueue;
  listener: HostListener | undefined;
  #cancelled = false;
  /** True after the store was polled for decisions that were made in the meantime. */
  #polledApprovals = false;
  /** `releasing`: its calls may end. `released`: another process continues the run. */
  #phase: "active" | "releasing" | "released" | "over" = "active";

  constructor(parts: JournalHostDeps) {
    this.#parts = parts;
    this.runId = parts.lease.runId;
    this.startedAt = parts.startedAt;
    this.isDurable = parts.journal !== undefined;
    this.isNested = !this.isDurable && parts.step !== undefined;
    this.#replayLog = ReplayLog.of(parts.events);
    this.#replay = this.#replayLog.outcomes.remaining > 0 ? "replaying" : "live";
    this.#writer = new JournalWriter(parts, this.#replayLog);
    this.#ready = new ReadyQueue(
      () => this.#isSuspended,
      () => this.listener?.wake(),
    );
    this.#waits = new HostWaits(parts, this.#replayLog, this);
  }

  attach(listener: HostListener): void {
    this.listener = listener;
  }

  get isReplaying(): boolean {
    return this.#replay === "replaying";
  }

  get startsEagerly(): boolean {
    return this.#replay !== "live" || this.#replayLog.outcomes.remaining > 0;
  }

  get hasReady(): boolean {
    return this.#replay !== "live" || this.#ready.hasNext;
  }

  /** True if the run was released before it ended, so that another process can claim it. */
  get isReleased(): boolean {
    return this.#phase === "releasing" || this.#phase === "released";
  }

  /** True if later outcomes are ignored. */
  get isClosed(): boolean {
    return this.#phase === "released" || this.#phase === "over";
  }

  /** The approvals, events and time that wake the suspended run. Undefined if nothing does. */
  get waitsFor(): RunWait | undefined {
    return this.#waits.waitsFor;
  }

  hasRecorded(key: string): boolean {
    return this.#replayLog.outcomes.has(key);
  }

  start(key: string, work: CallWork): void {
    if (!this.#defers(key, work)) this.#begin(key, work);
  }

  observe(key: string, read: () => unknown): void {
    if (!this.#defers(key, read)) this.#observe(key, read);
  }

  wait(key: string, wait: Wait): void {
    if (!this.#defers(key, wait)) this.#waits.begin(key, wait);
  }

  cancel(key: string): void {
    const deferred = this.#deferred.get(key);
    if (deferred !== undefined && "kind" in deferred) this.#deferred.delete(key);
    else if (deferred !== undefined) this.#cancelledWhileDeferred.set(key, true);
    this.#running.stop(key);
    this.#waits.stop(key);
  }

  next(pending: PendingKeys): SettledOutcome | undefined {
    const before = this.#replay === "live" ? undefined : this.#replayNext(pending);
    if (before !== undefined) return before;
    if (this.#deferred.size > 0 && !this.isReleased && !this.#isCancelling) this.#goLive();
    if (this.#onlyWaits) this.#waits.timers.pauseDeadlines();
    const next = this.#ready.take();
    if (next === undefined) this.#checkProgress();
    if (next === suspended && this.#onlyWaits && !this.isReleased && !this.#polledApprovals)
      return this.#pollBeforeSuspending();
    this.#polledApprovals = false;
    return next;
  }

  /** Cancels the run. */
  cancelRun(by: string | undefined): void {
    if (this.#cancelled || this.#replayLog.outcomes.has(cancelKey)) return;
    this.#cancelled = true;
    void this.#settle(cancelKey, { kind: "cancel", by });
  }

  /** Checks whether an approval was decided, or an event delivered, in another process. */
  async poll(): Promise<void> {
    if (!this.isClosed) await this.#waits.poll();
  }

  /** Stops starting work; `next` returns `suspended` once no call is running. */
  release(): void {
    if (this.#phase === "active") this.#phase = "releasing";
    this.#ready.wake();
  }

  /** Aborts running calls without journaling their outcomes, because the process is about to exit. */
  releaseNow(): void {
    this.close("released");
    this.release();
  }

  /**
   * Ends the run in this process: it is over, or another process resumes it. Stops all calls and timers; late outcomes
   * are ignored.
   */
  close(how: "over" | "released" = "over"): void {
    this.#phase = how === "released" || this.isReleased ? "released" : "over";
    this.#running.end(how);
    this.#ready.clear();
    this.#waits.close();
  }

  /** Rejects the pending approvals of a run that has ended for good. Undefined if the run never requested any. */
  rejectOpenApprovals(): Promise<void> | undefined {
    return this.#waits.hasApprovals ? this.approvals?.rejectOpen() : undefined;
  }

  /** True if the outcome of this key is recorded, and is replayed in its turn, or if nothing may start now. */
  #defers(key: string, work: HostWork): boolean {
    if (this.#replayLog.outcomes.request(key)) this.#replay = this.isReplaying ? "replaying" : "requested";
    else if (this.isReplaying || this.isReleased || this.#isCancelling) this.#deferred.set(key, work);
    else return false;
    return true;
  }

  /**
   * Replays recorded outcomes before anything new is delivered, so that the order stays the same after another crash.
   */
  #replayNext(pending: PendingKeys): SettledOutcome | undefined {
    const before = this.#replayLog.outcomes.next(pending);
    this.#replay = before === undefined ? "live" : "replaying";
    return before;
  }

  /** Ends replay: no pending key has a recorded outcome, so the work that was deferred starts now. */
  #goLive(): void {
    const deferred = this.#deferred.entries();
    this.#deferred.clear();
    this.listener?.goesLive?.();
    for (const [key, deferredWork] of deferred) {
      if (typeof deferredWork === "function") this.#observe(key, deferredWork);
      else if ("kind" in deferredWork) this.#waits.begin(key, deferredWork);
      else if (this.#cancelledWhileDeferred.has(key))
        void this.#settle(key, unacknowledgedOutcome(deferredWork, this.#replayLog.started(key), this.#writer.now()));
      else this.#begin(key, deferredWork);
    }
  }

  /** True until the cancellation has been delivered; nothing new starts before that. */
  get #isCancelling(): boolean {
    return this.#cancelled && this.#ready.has(cancelKey);
  }

  /** True if only decisions, external events and their times can move the run forward. */
  get #onlyWaits(): boolean {
    return this.#running.size === 0 && this.#waits.onlyOpen;
  }

  /** Throws if nothing is running or pending, because the run would then wait indefinitely. */
  #checkProgress(): void {
    const pending = this.#running.size + this.#waits.size + this.#deferred.size;
    if (pending === 0 && this.#ready.isEmpty) throw stalledRunFailure(this.runId);
  }

  get #isSuspended(): boolean {
    if (this.#running.size > 0) return false;
    if (this.isReleased || this.#parts.calls === undefined) return true;
    return this.#waits.canSuspend;
  }

  /** Polls once more before the run is suspended: an approval may have been decided while other steps were running. */
  #pollBeforeSuspending(): undefined {
    const looking = this.poll().catch((error: unknown) => this.#ready.fail(error));
    void looking.then(() => {
      this.#polledApprovals = true;
      this.listener?.wake();
    });
  }

  // --- calls

  #begin(key: string, work: CallWork): void {
    const { calls } = this.#parts;
    if (calls === undefined) return;
    const started = this.#replayLog.started(key);
    // A call that an earlier process has begun is over in any case.
    const refusal = started?.effect === "once" ? undefined : calls.refuse?.(work);
    if (refusal !== undefined) return void this.#settle(key, { kind: "call", result: refusal, effect: undefined });
    const request = calls.request(key, work);
    const call = new RunCall(this, started === undefined ? request : { ...request, started });
    // Calls of fast tools usually end synchronously.
    if (!call.begin(calls.runner)) return;
    this.#running.add(call);
    if (this.isClosed) this.close(this.isReleased ? "released" : "over");
  }

  #observe(key: string, read: () => unknown): void {
    if (this.#parts.calls === undefined) return;
    const result = createToolResult(recordedValueTool, { success: true, output: read() });
    void this.#settle(key, { kind: "call", result, effect: "pure" });
  }

  started(key: string, effect: Effect): Promise<void> | undefined {
    if (this.isClosed) return Promise.reject(fail("the run is no longer held by this process", { code: "run_lost" }));
    return this.#writer.append("started", key, { effect })?.catch((error: unknown) => {
      this.#fail(error);
      throw error;
    });
  }

  ended(call: RunCall, end: CallEnd): void {
    this.#running.remove(call);
    // The next lease holder of a durable run re-executes the call; a nested run is re-executed as a part of its parent
    // call.
    const isReleased = this.isNested ? this.#parts.step?.willReexecute : end.isReleased && this.isDurable;
    if (isReleased === true) return this.release();
    try {
      void this.#settle(call.request.key, this.#interpreted(call.request, end.outcome), end);
    } catch (error) {
      // The runner is the caller here and must not see a failure of the host.
      this.#fail(error);
    }
  }

  #interpreted(request: CallRequest, outcome: CallEnd["outcome"]): HostOutcome {
    if (outcome.kind !== "call") return outcome;
    this.#parts.calls?.ended?.(request, outcome.result);
    return this.listener?.interpret?.(request.key, outcome) ?? outcome;
  }

  progress(key: string, value: unknown): void {
    this.listener?.progress(key, value);
  }

  // --- waits

  noteWait(key: string, data: unknown): Promise<void> | undefined {
    return this.#writer.append("waiting", key, data);
  }

  waitSettled(key: string, outcome: HostOutcome): Promise<boolean> | undefined {
    return this.#settle(key, outcome);
  }

  waitsChanged(): void {
    this.#ready.wake();
  }

  get approvals(): RunApprovals | undefined {
    return this.#waits.approvals;
  }

  // --- the journal

  /** Journals an outcome and queues it for delivery. The promise resolves to true once the outcome is durable. */
  #settle(key: string, outcome: HostOutcome, end?: CallEnd): Promise<boolean> | undefined {
    if (this.isClosed) return undefined;
    this.#waits.timers.resumeDeadlines();
    const settled: SettledOutcome = { key, outcome, at: this.#writer.timeOf(end?.at) };
    const written = this.#writer.settle(settled, end?.record);
    if (written === undefined || isSafeToRepeat(outcome)) {
      this.#ready.add(settled);
      return written?.then(() => true, this.failed);
    }
    const report = this.#ready.reserve(settled);
    return written.then(() => (report(), true), this.failed);
  }

  /**
   * Gives up the run because its journal cannot be written, or belongs to another lease holder. Later outcomes are
   * ignored.
   */
  #fail(error: unknown): false {
    if (this.isClosed) return false;
    this.#ready.fail(error);
    this.releaseNow();
    return false;
  }

  readonly failed = (error: unknown): false => this.#fail(error);
}
