import type { RunWait } from "../../store/index.ts";
import type { RunApprovals } from "../approvals/run-approvals.ts";
import type { DecidedOutcome, ExternalWait, HostListener, HostOutcome, Wait } from "../host.ts";
import type { ReplayLog } from "../replay/replay-log.ts";
import { ExternalWaits } from "./external-waits.ts";
import type { JournalHostDeps } from "./journal-host.ts";
import { OrderedKeyMap } from "./ordered-key-map.ts";
import { RunTimers } from "./run-timers.ts";

/** The host, as seen by its waits. */
export interface WaitsOwner {
  readonly isClosed: boolean;
  readonly listener: HostListener | undefined;
  /** Journals the outcome of a wait, and delivers it. The promise resolves to true once the outcome is durable. */
  waitSettled(key: string, outcome: HostOutcome): Promise<boolean> | undefined;
  /** Journals a fact about a wait for the next lease holder. */
  noteWait(key: string, data: unknown): Promise<void> | undefined;
  /** The run may be suspended now. */
  waitsChanged(): void;
  failed(error: unknown): void;
}

/** The waits of one run: timers and deadlines, approvals, external events and times. */
export class HostWaits {
  readonly #parts: JournalHostDeps;
  readonly #owner: WaitsOwner;
  readonly #replayLog: ReplayLog;
  readonly timers: RunTimers;
  #approvals: RunApprovals | undefined = undefined;
  #external: ExternalWaits | undefined = undefined;
  /** Approvals that no approval store can take. */
  readonly #unroutedApprovals = new OrderedKeyMap<true>();

  constructor(parts: JournalHostDeps, replayLog: ReplayLog, owner: WaitsOwner) {
    this.#parts = parts;
    this.#replayLog = replayLog;
    this.#owner = owner;
    this.timers = new RunTimers(parts.clock, {
      fired: (key) => void owner.waitSettled(key, { kind: "fired" }),
      resumed: (key, remainingMs) => this.#note(key, { remaining: Math.ceil(remainingMs) }),
    });
  }

  /** Number of pending approvals and external waits. */
  get open(): number {
    return this.#unroutedApprovals.size + (this.#approvals?.size ?? 0) + (this.#external?.size ?? 0);
  }

  /** Number of waits of all kinds. */
  get size(): number {
    return this.timers.size + this.open;
  }

  /** True if only decisions, external events and their times can end one of the waits. */
  get onlyOpen(): boolean {
    return this.timers.pauses === 0 && this.open > 0;
  }

  /** True if all waits may continue without this process. */
  get canSuspend(): boolean {
    if (this.timers.pauses > 0 || this.#parts.waitForDecisions) return false;
    const [approvals, external] = [this.#approvals, this.#external];
    if (external !== undefined && external.size > 0 && !external.canSuspend) return false;
    if (approvals !== undefined && approvals.size > 0 && !approvals.isSuspended) return false;
    return this.open > 0;
  }

  /** The approvals, events and time that wake the suspended run. Undefined if nothing does. */
  get waitsFor(): RunWait | undefined {
    const approvals = this.#approvals?.waitsFor;
    const external = this.#external;
    if (external === undefined || external.size === 0) return approvals;
    const { events, until: end } = external.waitsFor;
    const until = Math.min(end, approvals?.until ?? Infinity);
    return { approvals: approvals?.approvals ?? [], events, ...(until < Infinity && { until }) };
  }

  /** True if the run has ever requested approvals. */
  get hasApprovals(): boolean {
    return this.#approvals !== undefined || this.#replayLog.hasApprovals;
  }

  begin(key: string, wait: Wait): void {
    const { calls, clock } = this.#parts;
    if (wait.kind === "approval") {
      const { approvals } = this;
      const before = this.#replayLog.approvalOf(key);
      if (approvals !== undefined) return approvals.request(key, wait, before);
      this.#unroutedApprovals.set(key, true);
      if (before !== undefined) this.#owner.listener?.approvalRequested(key, before.approvalId);
    } else if (wait.kind === "external") {
      this.#beginExternal(key, wait);
    } else if (calls === undefined) {
      return;
    } else if (wait.kind === "deadline") {
      const remainingMs = this.#replayLog.remainingMs(key, wait);
      this.timers.set(key, remainingMs, "deadline");
      // The deadline runs down in this process from here on; the time before the claim does not count.
      if (this.#replayLog.seq > 0) this.#note(key, { remaining: Math.ceil(remainingMs) });
    } else {
      const now = clock.now();
      const known = this.#replayLog.due(key);
      const due = known ?? Math.ceil(now + wait.ms);
      this.timers.set(key, Math.max(0, due - now), "pause");
      if (known === undefined) this.#note(key, { due });
    }
  }

  stop(key: string): void {
    this.#approvals?.withdraw(key);
    this.#unroutedApprovals.delete(key);
    this.timers.stop(key);
    this.#external?.stop(key);
  }

  close(): void {
    this.timers.stopAll();
    this.#approvals?.close();
    this.#external?.close();
  }

  /** Checks whether an approval was decided, or an event delivered, in another process. */
  async poll(): Promise<void> {
    await this.#approvals?.poll();
    await this.#external?.poll();
  }

  /** The approvals of the run. Created for the first approval: most runs need none. */
  get approvals(): RunApprovals | undefined {
    const owner = this.#owner;
    this.#approvals ??= this.#parts.approvals?.({
      onRequested: async (key, { id: approvalId, expiresAt: due }, note) => {
        if (owner.isClosed) return;
        if (this.#replayLog.approvalOf(key)?.approvalId !== approvalId) await owner.noteWait(key, { approvalId, due });
        owner.listener?.approvalRequested(key, approvalId, note);
      },
      onDecided: async (key, outcome: DecidedOutcome) =>
        owner.isClosed ? false : ((await owner.waitSettled(key, outcome)) ?? true),
      onSuspended: () => owner.waitsChanged(),
      onError: (error) => owner.failed(error),
    });
    return this.#approvals;
  }

  #beginExternal(key: string, { event, ms, until }: ExternalWait): void {
    const { calls, clock } = this.#parts;
    const isKnown = this.#replayLog.hasBegun(key);
    const end = ms === undefined ? until : Math.ceil(clock.now() + ms);
    const due = isKnown ? this.#replayLog.due(key) : end;
    if (isKnown || calls !== undefined) this.#owner.listener?.waitBegan?.(key, due);
    if (calls === undefined) return;
    if (!isKnown) this.#note(key, { due, event });
    this.#externalWaits().begin(key, { event }, due);
  }

  /** Created for the first external wait: most runs have none. */
  #externalWaits(): ExternalWaits {
    const { clock, journal, lease } = this.#parts;
    const inbox = journal?.inbox?.bind(journal);
    return (this.#external ??= new ExternalWaits({
      clock,
      inbox: inbox && ((after) => inbox(lease.runId, after)),
      consumed: this.#replayLog.consumed,
      settled: (key, outcome) => void this.#owner.waitSettled(key, outcome),
      onError: (error) => this.#owner.failed(error),
    }));
  }

  /** Journals the end of a timer, or the remaining time of a deadline, for the next lease holder. */
  #note(key: string, data: unknown): void {
    this.#owner.noteWait(key, data)?.catch((error: unknown) => this.#owner.failed(error));
  }
}
