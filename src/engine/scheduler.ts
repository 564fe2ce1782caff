import type { Clock, Deadlines } from "../base/index.ts";
import { Bucket } from "./bucket.ts";
import { type ConcurrencyOptions, type ConcurrencySettings, concurrencySettings } from "./concurrency.ts";
import { type BucketMetrics, type ConcurrencyMetrics, bucketMetrics } from "./concurrency-metrics.ts";
import { RateWindow } from "./rate-window.ts";
import { type AdmissionRequest, type SlotHolder, Ticket } from "./admission-ticket.ts";

/** The slots that a call needs. */
type Needs = Pick<SlotHolder, "global" | "slot">;

/** Composites take a global slot but no bucket slot; they queue here. */
const compositeBucket = "\0composite";

/**
 * Decides which call may start. Root calls need a global slot; tools need a slot in their bucket, acquired together
 * with the global one, and no call holds a bucket slot while it waits, so nested calls cannot deadlock. If the global
 * limit is the bottleneck, buckets take turns, so a short call never waits behind the long queue of another bucket.
 */
export class Scheduler {
  readonly settings: ConcurrencySettings;
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  readonly #buckets = new Map<string, Bucket>();
  #active = 0;
  #queued = 0;
  #sequence = 0;
  #turn = 0;
  readonly #totals = {
    acquired: 0,
    released: 0,
    rejected: 0,
    timedOut: 0,
    cancelled: 0,
    bypassed: 0,
    heldMs: 0,
    waitedMs: 0,
  };

  constructor(options: ConcurrencyOptions, clock: Clock, deadlines: Deadlines) {
    this.settings = concurrencySettings(options);
    this.#clock = clock;
    this.#deadlines = deadlines;
    for (const name of [...this.settings.bucketLimits.keys(), ...this.settings.rateLimits.keys()]) this.bucket(name);
  }

  bucket(name: string): Bucket {
    return this.#buckets.get(name) ?? this.#addBucket(name);
  }

  /** Acquires the slots of a call if they are free and no other call is ahead. Returns the bucket, for `release`. */
  acquireFree(owner: AdmissionRequest, now: number): Bucket | undefined {
    const bucket = this.#bucketOf(owner);
    if (!this.#isFree(owner, bucket, now)) return undefined;
    this.#take(owner, bucket, now);
    return bucket;
  }

  /** Releases the slots that {@link acquireFree} acquired. */
  release(holder: SlotHolder, bucket: Bucket, now: number): void {
    this.#totals.released++;
    this.#totals.heldMs += now - holder.since;
    if (holder.global) this.#active--;
    if (holder.slot) {
      bucket.active--;
      if (bucket.inner.size > 0) this.#serveInner(bucket, now);
    }
    if (this.#queued > 0) this.#serveRoots(now);
  }

  /** Counts a chain step, which bypasses the global limit. */
  countBypass(): void {
    this.#totals.bypassed++;
  }

  /** Admits a call that may have to wait, queues it, or rejects it: then its ticket is done. Only a queued one is called back. */
  enter(owner: AdmissionRequest, now: number = this.#clock.elapsed()): Ticket {
    const bucket = this.#bucketOf(owner);
    // NaN counts as 0: a queue could never find it again.
    const ticket = new Ticket(owner, bucket, this.settings.strategy === "priority" ? owner.priority || 0 : 0);
    if (this.#isFree(ticket, bucket, now)) {
      this.#assignSlot(ticket, now);
      return ticket;
    }
    if (ticket.global && this.#isRefused(ticket)) {
      ticket.state = "done";
      this.#totals.rejected++;
      return ticket;
    }
    ticket.since = now;
    ticket.sequence = ++this.#sequence;
    const patienceMs = ticket.owner.queueTimeoutMs ?? this.settings.queueTimeoutMs;
    if (patienceMs < Infinity) ticket.deadline = this.#deadlines.set(patienceMs, ticket);
    (ticket.global ? bucket.roots : bucket.inner).push(ticket);
    if (ticket.global) this.#queued++;
    this.#awaitRate(bucket, now);
    return ticket;
  }

  /** Ends a ticket: releases its slots, or removes it from its queue. Idempotent. */
  endTicket(ticket: Ticket, now: number = this.#clock.elapsed()): void {
    if (ticket.state === "queued") {
      this.#totals.cancelled++;
      this.#unqueue(ticket);
      ticket.state = "done";
    } else if (ticket.state === "held") {
      ticket.state = "done";
      this.release(ticket, ticket.bucket, now);
    } else {
      ticket.state = "done";
    }
  }

  /** @internal Called when a ticket has waited too long. */
  timeOut(ticket: Ticket): void {
    if (ticket.state !== "queued") return;
    this.#totals.timedOut++;
    this.#unqueue(ticket);
    ticket.state = "done";
    ticket.owner.refused(ticket, "queue_timeout");
  }

  metrics(): ConcurrencyMetrics {
    const { heldMs, waitedMs, ...totals } = this.#totals;
    return {
      currentConcurrent: this.#active,
      queueLength: this.#queued,
      totalAcquired: totals.acquired,
      totalReleased: totals.released,
      totalRejected: totals.rejected,
      totalTimeout: totals.timedOut,
      totalCancelled: totals.cancelled,
      totalBypassed: totals.bypassed,
      averageExecutionMs: totals.released === 0 ? 0 : heldMs / totals.released,
      averageWaitMs: totals.acquired === 0 ? 0 : waitedMs / totals.acquired,
    };
  }

  bucketMetrics(): Record<string, BucketMetrics> {
    return bucketMetrics([...this.#buckets.values()].filter((bucket) => bucket.name !== compositeBucket));
  }

  #addBucket(name: string): Bucket {
    const rate = this.settings.rateLimits.get(name);
    const limit = this.settings.bucketLimits.get(name) ?? Infinity;
    const bucket = new Bucket({ name, limit, rate: rate && new RateWindow(rate), scheduler: this });
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #bucketOf(owner: AdmissionRequest): Bucket {
    return this.bucket(owner.slot ? owner.category : compositeBucket);
  }

  #isFree({ global, slot }: Needs, bucket: Bucket, now: number): boolean {
    // A nested call overtakes the roots that wait for a global slot; a root overtakes no one.
    if ((global ? bucket.waiting : bucket.inner.size) > 0) return false;
    if (global && this.#active >= this.settings.maxConcurrent) return false;
    return !slot || bucket.hasFreeSlot(now);
  }

  /**
   * True if the queue is full, or the strategy is reject. A call with its own queue timeout is queued even if the queue
   * is full.
   */
  #isRefused({ owner }: Ticket): boolean {
    const { strategy, queueSize } = this.settings;
    return strategy === "reject" || (this.#queued >= queueSize && owner.queueTimeoutMs === undefined);
  }

  #assignSlot(ticket: Ticket, now: number): void {
    ticket.state = "held";
    ticket.since = now;
    this.#take(ticket, ticket.bucket, now);
  }

  #take({ global, slot }: Needs, bucket: Bucket, now: number): void {
    this.#totals.acquired++;
    if (global) {
      this.#active++;
      bucket.turn = ++this.#turn;
    }
    if (!slot) return;
    bucket.active++;
    bucket.acquired++;
    if (bucket.rate === undefined) return;
    bucket.rate.take(now);
    this.#awaitRate(bucket, now);
  }

  /**
   * Admits nested calls and chain steps, which need no global slot. A root that came earlier is admitted first if it is
   * its turn.
   */
  #serveInner(bucket: Bucket, now: number): void {
    for (let head = bucket.inner.head; head && bucket.hasFreeSlot(now); head = bucket.inner.head) {
      const root = bucket.roots.size > 0 ? this.#nextRoot(now) : undefined;
      this.#admit(root?.bucket === bucket && before(root, head) ? root : head, now);
    }
  }

  #serveRoots(now: number): void {
    while (this.#queued > 0) {
      const head = this.#nextRoot(now);
      if (head === undefined) return;
      this.#admit(head, now);
    }
  }

  /**
   * Returns the root with the highest priority that could start; within a priority, that of the bucket whose turn was
   * longest ago.
   */
  #nextRoot(now: number): Ticket | undefined {
    if (this.#active >= this.settings.maxConcurrent) return undefined;
    let best: Ticket | undefined;
    for (const bucket of this.#buckets.values()) {
      const head = bucket.roots.head;
      if (head === undefined || (head.slot && !bucket.hasFreeSlot(now))) continue;
      const sooner = best === undefined || head.priority > best.priority;
      if (sooner || (head.priority === best?.priority && bucket.turn < best.bucket.turn)) best = head;
    }
    return best;
  }

  #admit(ticket: Ticket, now: number): void {
    this.#totals.waitedMs += now - ticket.since;
    this.#unqueue(ticket);
    this.#assignSlot(ticket, now);
    ticket.owner.admitted(ticket);
  }

  #unqueue(ticket: Ticket): void {
    (ticket.global ? ticket.bucket.roots : ticket.bucket.inner).remove(ticket);
    if (ticket.global) this.#queued--;
    if (ticket.deadline) this.#deadlines.cancel(ticket.deadline);
    ticket.deadline = undefined;
    if (ticket.bucket.waiting > 0) return;
    // A window may be an hour long, and no call waits for it any more.
    ticket.bucket.timer?.cancel();
    ticket.bucket.timer = undefined;
  }

  /**
   * Sets a timer while calls wait and the rate is used up, since no release event frees a rate. Called whenever either
   * becomes true.
   */
  #awaitRate(bucket: Bucket, now: number): void {
    if (bucket.rate === undefined || bucket.timer !== undefined || bucket.waiting === 0) return;
    const waitMs = bucket.rate.waitMs(now);
    if (waitMs === 0) return;
    bucket.timer = this.#clock.after(Math.ceil(waitMs), () => {
      bucket.timer = undefined;
      const then = this.#clock.elapsed();
      this.#serveInner(bucket, then);
      this.#serveRoots(then);
      this.#awaitRate(bucket, then);
    });
  }
}

function before(a: Ticket, b: Ticket): boolean {
  return a.priority > b.priority || (a.priority === b.priority && a.sequence < b.sequence);
}
