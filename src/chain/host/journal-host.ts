import { fail } from "../../base/index.ts";
import type { Approver, CallStep } from "../../engine/index.ts";
import type { CallRecord, JournalEvent } from "../../store/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import { CallsUnderWay } from "./calls-under-way.ts";
import { EventWriter, type EventWriterParts } from "./event-writer.ts";
import type { StepExecutor } from "./executor.ts";
import {
  type Host,
  type HostListener,
  type Outcome,
  type PendingKeys,
  type Settled,
  type StepWork,
  type Wait,
  cancelKey,
} from "./host.ts";
import { changesNothing, journalable } from "./journaled.ts";
import { KeyTable } from "./key-table.ts";
import { Past } from "./past.ts";
import { ReadyQueue, parked } from "./ready-queue.ts";
import type { RunApprovals, RunApprovalsParts } from "./run-approvals.ts";
import { RunTimers } from "./run-timers.ts";
import { StepCall, type StepCallOwner } from "./step-call.ts";
import { stuck } from "./stuck.ts";
import { unheard } from "./unheard.ts";

/** What a {@link JournalHost} is made of. */
export interface JournalHostParts extends EventWriterParts {
  /** What happened to the run before. */
  readonly events: readonly JournalEvent[];
  /** Absent for a look at what happened: nothing is started. */
  readonly executor: StepExecutor | undefined;
  /** The questions of the run, told where to put the answers; where absent, a run with a question parks. */
  readonly approvals:
    | ((sinks: Pick<RunApprovalsParts, "onAsked" | "onDecided" | "onParked" | "onError">) => RunApprovals)
    | undefined;
  /** Stay and wait for people's decisions, instead of leaving the run until there is one. */
  readonly stay: boolean;
  /** The call of another run that this one is executed for. */
  readonly step?: CallStep | undefined;
}

/**
 * Runs steps in this process and writes down what happens, in one order that never changes: what has happened before is
 * told again from the journal as soon as it is asked for, and only then does anything start. What changes the world
 * starts when the journal has it, and is told when the journal has that it ended; what only reads is told at once, since
 * it may be done again.
 */
export class JournalHost implements Host, StepCallOwner {
  readonly runId: string;
  readonly startedAt: number;
  readonly isKept: boolean;
  readonly isPart: boolean;
  readonly #parts: JournalHostParts;
  /** Made for the first question: most runs have none. */
  #asking: RunApprovals | undefined;
  readonly #past: Past;
  #replaying: boolean;
  /** Something of the past was asked for, perhaps, and not told yet. */
  #recalls: boolean;
  readonly #writer: EventWriter;
  /** Begun while nothing may begin: while the past is told, while leaving, and once the run is to be cancelled. */
  readonly #deferred = new KeyTable<StepWork | Wait>();
  readonly #cancelledBefore = new KeyTable<true>();
  readonly #running = new CallsUnderWay();
  readonly #timers: RunTimers;
  /** Questions, where there is nobody to put them to. */
  readonly #unasked = new KeyTable<true>();
  readonly #ready: ReadyQueue;
  #listener: HostListener | undefined;
  #cancelled = false;
  #leaving = false;
  /** Whether somebody decided meanwhile has been looked at. */
  #looked = false;
  /** Nothing that happens counts any more. */
  #deaf = false;

  constructor(parts: JournalHostParts) {
    this.#parts = parts;
    this.runId = parts.lease.runId;
    this.startedAt = parts.startedAt;
    this.isKept = parts.journal !== undefined;
    this.isPart = !this.isKept && parts.step !== undefined;
    this.#past = Past.of(parts.events);
    this.#replaying = this.#past.outcomes.untold > 0;
    this.#recalls = this.#replaying;
    this.#writer = new EventWriter(parts, this.#past);
    this.#ready = new ReadyQueue(
      () => this.#isParked,
      () => this.#listener?.wake(),
    );
    this.#timers = new RunTimers(parts.clock, (key) => void this.#settle(key, { kind: "fired" }));
  }

  attach(listener: HostListener): void {
    this.#listener = listener;
  }

  get replaying(): boolean {
    return this.#replaying;
  }

  get opensAll(): boolean {
    return this.#recalls || this.#past.outcomes.untold > 0;
  }

  get hasNews(): boolean {
    return this.#recalls || this.#ready.hasNext;
  }

  /** It was left before its end, and somebody else can go on. */
  get left(): boolean {
    return this.#leaving;
  }

  knows(key: string): boolean {
    return this.#past.outcomes.has(key);
  }

  start(key: string, work: StepWork): void {
    if (this.#isKnown(key)) return;
    if (this.#mustDefer) this.#deferred.set(key, work);
    else this.#begin(key, work);
  }

  wait(key: string, what: Wait): void {
    if (this.#isKnown(key)) return;
    if (this.#mustDefer) this.#deferred.set(key, what);
    else this.#await(key, what);
  }

  cancel(key: string): void {
    const deferred = this.#deferred.get(key);
    if (deferred !== undefined && "kind" in deferred) this.#deferred.delete(key);
    else if (deferred !== undefined) this.#cancelledBefore.set(key, true);
    this.#running.abort(key);
    this.#asking?.withdraw(key);
    this.#unasked.delete(key);
    this.#timers.stop(key);
  }

  next(pending: PendingKeys): Settled | undefined {
    const before = this.#recalls ? this.#recall(pending) : undefined;
    if (before !== undefined) return before;
    if (this.#deferred.size > 0 && !this.#leaving && !this.#isCancelling) this.#goLive();
    if (this.#waitsForPeople) this.#timers.pauseDeadlines();
    const next = this.#ready.take();
    if (next === undefined) this.#checkMoving();
    if (next === parked && this.#waitsForPeople && !this.#leaving && !this.#looked) return this.#lookOnceMore();
    this.#looked = false;
    return next;
  }

  /** Somebody wants the run to stop. */
  cancelRun(by: string | undefined): void {
    if (this.#cancelled || this.#past.outcomes.has(cancelKey)) return;
    this.#cancelled = true;
    void this.#settle(cancelKey, { kind: "cancel", by });
  }

  /** Looks whether a question was answered elsewhere. */
  async poll(): Promise<void> {
    if (!this.#deaf) await this.#asking?.poll();
  }

  /** Starts nothing more; `next` says `parked` when nothing runs any longer. */
  leave(): void {
    this.#leaving = true;
    this.#ready.wake();
  }

  /** Stops what runs and does not write down how: the process is about to end. */
  abandon(): void {
    this.close("left");
    this.leave();
  }

  /** The run is over here, or goes on elsewhere: nothing of it stays behind, and nothing that comes late counts. */
  close(how: "over" | "left" = "over"): void {
    this.#deaf = true;
    this.#running.end(how);
    this.#ready.clear();
    this.#timers.stopAll();
    this.#asking?.close();
  }

  /** The run is over for good: what it still asked for needs no answer. Undefined when it asked for nothing. */
  endQuestions(): Promise<void> | undefined {
    if (this.#asking === undefined && !this.#past.hasAsked) return undefined;
    return this.#approvals()?.rejectOpen();
  }

  /** How it ended is known from before, and is told when it is its turn. */
  #isKnown(key: string): boolean {
    if (!this.#past.outcomes.ask(key)) return false;
    this.#recalls = true;
    return true;
  }

  /** What is told again comes before anything new: then it comes in the same order after a crash, too. */
  #recall(pending: PendingKeys): Settled | undefined {
    const before = this.#past.outcomes.next(pending);
    this.#recalls = before !== undefined;
    this.#replaying = this.#recalls;
    return before;
  }

  /** Nothing of what is waited for has happened before: now what was begun meanwhile begins. */
  #goLive(): void {
    const deferred = this.#deferred.entries();
    this.#deferred.clear();
    for (const [key, what] of deferred) {
      if ("kind" in what) this.#await(key, what);
      else if (this.#cancelledBefore.has(key))
        void this.#settle(key, unheard(what, this.#past.started(key), this.#writer.now()));
      else this.#begin(key, what);
    }
  }

  get #mustDefer(): boolean {
    return this.#replaying || this.#leaving || this.#isCancelling;
  }

  /** The cancellation is on its way: until it is told, nothing new begins. */
  get #isCancelling(): boolean {
    return this.#cancelled && this.#ready.has(cancelKey);
  }

  /** Nothing moves but by a person's decision. */
  get #waitsForPeople(): boolean {
    if (this.#running.size > 0 || this.#timers.pauses > 0) return false;
    return this.#unasked.size > 0 || (this.#asking?.size ?? 0) > 0;
  }

  /** Where nothing is under way and nobody is asked, the run would be waited for without end. */
  #checkMoving(): void {
    if (this.#running.size > 0 || !this.#ready.isEmpty || this.#timers.size > 0 || this.#deferred.size > 0) return;
    if (this.#unasked.size === 0 && (this.#asking?.size ?? 0) === 0) throw stuck(this.runId);
  }

  get #isParked(): boolean {
    if (this.#running.size > 0) return false;
    if (this.#leaving || this.#parts.executor === undefined) return true;
    if (this.#timers.pauses > 0 || this.#parts.stay) return false;
    return this.#unasked.size > 0 || this.#asking?.parked === true;
  }

  /** Before the run is left to wait for people: somebody may have decided while other steps ran. */
  #lookOnceMore(): undefined {
    const looking = this.poll().catch((error: unknown) => this.#ready.fail(error));
    void looking.then(() => {
      this.#looked = true;
      this.#listener?.wake();
    });
  }

  // --- calls

  #begin(key: string, work: StepWork): void {
    const { executor } = this.#parts;
    if (executor === undefined) return;
    const before = this.#past.started(key);
    if (before?.effect === "once") {
      void this.#settle(key, { kind: "interrupted", startedAt: before.at });
      return;
    }
    const call = new StepCall(this, key, work);
    // Most calls of quick tools are over when they have begun.
    if (!call.begin(executor)) return;
    this.#running.add(call);
    if (this.#deaf) this.close(this.#leaving ? "left" : "over");
  }

  started({ key, effect }: StepCall): Promise<void> | undefined {
    if (this.#deaf) return Promise.reject(fail("the run is no longer executed here", { code: "run_lost" }));
    return this.#writer.append("started", key, { effect })?.catch((error: unknown) => {
      this.#fail(error);
      throw error;
    });
  }

  ended(call: StepCall, result: ToolResult): void {
    const { key, effect, kept, asked, isLeft } = call;
    this.#running.remove(call);
    // Whoever goes on with the run makes it again, if anybody can; a part is begun again with the whole.
    if (this.isPart ? this.#parts.step?.isMadeAgain === true : isLeft && this.isKept) return this.leave();
    try {
      const outcome = { kind: "call" as const, result: journalable(result), effect };
      void this.#settle(key, asked === undefined ? outcome : { ...outcome, ...asked }, kept);
    } catch (error) {
      // It is the engine that tells, and has nothing to do with it.
      this.#fail(error);
    }
  }

  progress(key: string, value: unknown): void {
    this.#listener?.progress(key, value);
  }

  approverOf(call: StepCall): Approver | undefined {
    return this.#approvals()?.approverFor(call);
  }

  innerApproverOf(call: StepCall): Approver | undefined {
    return this.#approvals()?.innerApproverFor(call);
  }

  // --- waits

  #await(key: string, what: Wait): void {
    const { executor, clock } = this.#parts;
    if (what.kind === "approval") {
      const approvals = this.#approvals();
      const before = this.#past.asked(key);
      if (approvals !== undefined) return approvals.ask(key, what, before);
      this.#unasked.set(key, true);
      if (before !== undefined) this.#listener?.asked(key, before.approvalId);
    } else if (executor === undefined) {
      return;
    } else if (what.kind === "deadline") {
      const left = this.#past.left(key, what);
      this.#timers.set(key, left, "deadline");
      // From here on it counts in this process; what passed before it came does not.
      if (this.#past.seq > 0) this.#noteLeft(key, left);
    } else {
      const now = clock.now();
      const known = this.#past.due(key);
      const due = known ?? now + what.ms;
      this.#timers.set(key, Math.max(0, due - now), "pause");
      if (known !== undefined) return;
      this.#writer.append("waiting", key, { due })?.catch((error: unknown) => this.#fail(error));
    }
  }

  /** For whoever takes the run over: so much of the deadline was left at this moment. */
  #noteLeft(key: string, left: number): void {
    this.#writer.append("waiting", key, { left })?.catch((error: unknown) => this.#fail(error));
  }

  #approvals(): RunApprovals | undefined {
    this.#asking ??= this.#parts.approvals?.({
      onAsked: async (key, { id: approvalId, expiresAt: due }, note) => {
        if (this.#deaf) return;
        if (this.#past.asked(key)?.approvalId !== approvalId)
          await this.#writer.append("waiting", key, { approvalId, due });
        this.#listener?.asked(key, approvalId, note);
      },
      onDecided: async (key, outcome) => (this.#deaf ? false : ((await this.#settle(key, outcome)) ?? true)),
      onParked: () => this.#ready.wake(),
      onError: (error) => this.#fail(error),
    });
    return this.#asking;
  }

  // --- the journal

  /** Writes an outcome down and puts it in line; who awaits this knows whether it is durable. */
  #settle(key: string, outcome: Outcome, record?: CallRecord): Promise<boolean> | undefined {
    if (this.#deaf) return undefined;
    if (this.#timers.paused) for (const [which, left] of this.#timers.resumeDeadlines()) this.#noteLeft(which, left);
    const settled: Settled = { key, outcome, at: this.#writer.timeOf(outcome) };
    const kept = this.#writer.settle(settled, record);
    if (kept === undefined || changesNothing(outcome)) {
      this.#ready.add(settled);
      return kept?.then(yes, (error: unknown) => this.#fail(error));
    }
    const tell = this.#ready.hold(settled);
    return kept.then(
      () => (tell(), true),
      (error: unknown) => this.#fail(error),
    );
  }

  /** The journal cannot be written, or is somebody else's: nothing that happens here counts any more. */
  #fail(error: unknown): false {
    if (this.#deaf) return false;
    this.#ready.fail(error);
    this.abandon();
    return false;
  }
}

const yes = (): true => true;
