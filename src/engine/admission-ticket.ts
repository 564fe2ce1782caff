import type { Deadline, Expiring, Linked } from "../base/index.ts";
import type { Bucket } from "./bucket.ts";

/** Reason why a call was not admitted. */
export type AdmissionRefusal = "rejected" | "queue_timeout";

/**
 * A call that requests admission: the slots it needs, and the callbacks that report the decision. Neither `admitted`
 * nor `refused` may throw or do the work itself.
 */
export interface AdmissionRequest {
  readonly category: string;
  readonly priority: number;
  /** Needs a slot under `maxConcurrent`: root calls that are not chain steps. */
  readonly global: boolean;
  /** Needs a slot in its bucket: tools that are not composites. They hold it without ever waiting for another call. */
  readonly slot: boolean;
  /** Maximum wait in milliseconds. Default: `queueTimeoutMs` of the settings. */
  readonly queueTimeoutMs?: number | undefined;
  admitted(ticket: Ticket): void;
  refused(ticket: Ticket, why: AdmissionRefusal): void;
}

/** Holder of slots: a ticket, or a call that found a free slot and needs no ticket. */
export interface SlotHolder {
  /** Holds a slot under `maxConcurrent`. */
  readonly global: boolean;
  /** One in the bucket. */
  readonly slot: boolean;
  /** Clock time at which it got the slots. */
  readonly since: number;
}

/**
 * The state of a call that may have to wait for admission.
 *
 * ```
 *   queued ──► held ──► done
 *     └── refused, or cancelled ──▲
 * ```
 */
export class Ticket implements Linked<Ticket>, Expiring, SlotHolder {
  previous: Ticket | undefined = undefined;
  next: Ticket | undefined = undefined;
  linked = false;
  state: "queued" | "held" | "done" = "queued";
  readonly bucket: Bucket;
  readonly owner: AdmissionRequest;
  readonly priority: number;
  readonly global: boolean;
  readonly slot: boolean;
  /** Clock time at which the current state began. */
  since = 0;
  sequence = 0;
  deadline: Deadline | undefined = undefined;

  constructor(owner: AdmissionRequest, bucket: Bucket, priority: number) {
    this.bucket = bucket;
    this.owner = owner;
    this.priority = priority;
    this.global = owner.global;
    this.slot = owner.slot;
  }

  /** The queue timeout. */
  expire(): void {
    this.bucket.scheduler.timeOut(this);
  }
}
