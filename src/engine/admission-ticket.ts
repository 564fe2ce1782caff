import type { Deadline, Expiring, Linked } from "../base/index.ts";
import type { Bucket } from "./bucket.ts";

/** Why a call did not get in. */
export type Refusal = "rejected" | "queue_timeout";

/**
 * A call that wants to start: what it needs, and how it is told. Neither `admitted` nor `refused` may throw, and
 * neither may do the work itself.
 */
export interface Admitted {
  readonly category: string;
  readonly priority: number;
  /** Needs a place under `maxConcurrent`: root calls that are not chain steps. */
  readonly global: boolean;
  /** Needs a place in its bucket: tools that are not composites, since they hold it while they wait for nobody. */
  readonly slot: boolean;
  /** How long it waits, in milliseconds; as long as `queueTimeoutMs` says where absent. */
  readonly patienceMs?: number | undefined;
  admitted(ticket: Ticket): void;
  refused(ticket: Ticket, why: Refusal): void;
}

/** Whatever holds places: a ticket, or a call that found one free and needs no ticket. */
export interface Holder {
  /** One under `maxConcurrent`. */
  readonly global: boolean;
  /** One in the bucket. */
  readonly slot: boolean;
  /** Clock time since which it holds them. */
  readonly since: number;
}

/** The way of a call through admission that may have to wait: new, then queued or held, then done. */
export class Ticket implements Linked<Ticket>, Expiring, Holder {
  previous: Ticket | undefined = undefined;
  next: Ticket | undefined = undefined;
  linked = false;
  state: "new" | "queued" | "held" | "done" = "new";
  readonly bucket: Bucket;
  readonly owner: Admitted;
  readonly priority: number;
  readonly global: boolean;
  readonly slot: boolean;
  /** Clock time since which the present state lasts. */
  since = 0;
  sequence = 0;
  deadline: Deadline | undefined = undefined;

  constructor(owner: Admitted, bucket: Bucket, priority: number) {
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
