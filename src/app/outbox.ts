import { type Clock, backoffMs, sleep, systemClock } from "../base/index.ts";
import type { Engine } from "../engine/index.ts";
import { secretName } from "../model/index.ts";
import type { RunService } from "../run/index.ts";
import type { ApprovalStore, Delivery, DeliveryStore } from "../store/index.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";
import { type CallbackSenderDeps, CallbackSender, callbackChannels } from "./callbacks.ts";
import { isFinalFailure } from "./final-failure.ts";
import type { WorkspaceJournal } from "./open-journal.ts";
import type { Opening } from "./opening.ts";
import { type ApprovalNotifierDeps, ApprovalNotifier, approvalChannel } from "./notify-approval.ts";

/** Dependencies of an {@link Outbox}. */
export interface OutboxDeps extends CallbackSenderDeps, Pick<ApprovalNotifierDeps, "engine"> {
  readonly config: Pick<WorkspaceConfig, "callbacks" | "approvals" | "server">;
  readonly approvals: Pick<ApprovalStore, "get" | "list">;
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
  /** Random numbers between 0 and 1, for the pauses between attempts. */
  readonly random: () => number;
  /** Pause after the first failed attempt; the following ones double. Default: 5 s. */
  readonly firstRetryMs?: number;
}

/** Interval at which new messages are sent. */
const pollMs = 1000;
/** Longer than any attempt takes. */
const lostMs = 60_000;
const maxRetryMs = 6 * 3_600_000;
/** The last one is made after about three days. */
const maxAttempts = 20;
/** Attempts under way at the same time. */
const maxInFlight = 8;

interface Sender {
  send(delivery: Delivery, at: number, signal: AbortSignal): Promise<void>;
}

/**
 * The messages that leave a workspace: ends of runs go to the URLs of `callbacks`, and waiting approvals through the tool
 * of `approvals: { notify }`. Each is stored before it is sent, retried with growing pauses, and sent by one process at a
 * time; a message of a process that died is sent by another one.
 *
 * @see docs/guide/waiting.md
 */
export class Outbox {
  readonly #parts: OutboxDeps;
  readonly #senders: ReadonlyMap<string, Sender>;
  readonly #notifies: boolean;
  readonly #inFlight = new Set<Promise<void>>();
  /** Approvals that have been stored as messages. */
  #announced: ReadonlySet<string> = new Set();

  constructor(parts: OutboxDeps) {
    const { config, engine, approvals } = parts;
    const { notify: tool } = config.approvals;
    const callbacks = new CallbackSender(parts);
    const senders = new Map<string, Sender>(callbackChannels(config).map((channel) => [channel, callbacks]));
    if (tool !== undefined) {
      const notifier = new ApprovalNotifier({ tool, engine, approvals, publicUrl: config.server.publicUrl });
      senders.set(approvalChannel, notifier);
    }
    this.#parts = parts;
    this.#senders = senders;
    this.#notifies = tool !== undefined;
  }

  /** Sends messages until the signal is aborted, and the attempts under way have ended. */
  async serve(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    let reported: string | undefined;
    while (this.#senders.size > 0 && !signal.aborted) {
      try {
        await this.#sendDue(signal);
        reported = undefined;
      } catch (error) {
        // The database cannot be written; the next attempt may succeed.
        if (String(error) !== reported) process.emitWarning(`messages cannot be sent: ${String(error)}`);
        reported = String(error);
      }
      await sleep(clock, pollMs, signal, () => new Error("stopped")).catch(() => {});
    }
    await Promise.all(this.#inFlight);
  }

  async #sendDue(signal: AbortSignal): Promise<void> {
    const { deliveries, clock } = this.#parts;
    if (this.#notifies) await this.#announce();
    const channels = [...this.#senders.keys()];
    while (this.#inFlight.size < maxInFlight && !signal.aborted) {
      const now = clock.now();
      const delivery = await deliveries.claim({ channels, now, lostAt: now + lostMs });
      if (delivery === undefined) return;
      const attempt = this.#attempt(delivery, signal).finally(() => this.#inFlight.delete(attempt));
      this.#inFlight.add(attempt);
    }
  }

  /** Stores a message for each approval that is pending. */
  async #announce(): Promise<void> {
    const { approvals, deliveries, clock } = this.#parts;
    const createdAt = clock.now();
    const pending = await approvals.list(createdAt, "pending");
    const added = pending.filter(({ id }) => !this.#announced.has(id));
    if (added.length > 0)
      await deliveries.add(added.map(({ id: subject }) => ({ channel: approvalChannel, subject, createdAt })));
    this.#announced = new Set(pending.map(({ id }) => id));
  }

  async #attempt(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { deliveries, clock, random, firstRetryMs: firstMs = 5000, redactor } = this.#parts;
    const { channel, attempts } = delivery;
    try {
      await this.#senders.get(channel)?.send(delivery, clock.now(), signal);
      await deliveries.settle(delivery, { status: "delivered", nextAt: clock.now() });
    } catch (error) {
      const isOver = isFinalFailure(error) || attempts >= maxAttempts;
      const pause = signal.aborted ? 0 : backoffMs(attempts - 1, { firstMs, maxMs: maxRetryMs, random });
      const nextAt = clock.now() + pause;
      const why = redactor.text(error instanceof Error ? error.message : String(error)).slice(0, 1000);
      const result = { status: isOver ? "failed" : "pending", nextAt, error: why } as const;
      // If even that cannot be stored, the attempt counts as lost.
      await deliveries.settle(delivery, result).catch(() => {});
    }
  }
}

/** The outbox of a workspace; it sends nothing before the workspace is served. */
export function openOutbox(
  { config, secrets, http, redactor }: Opening,
  parts: { readonly engine: Engine; readonly journal: WorkspaceJournal; readonly service: RunService },
): Outbox {
  const { engine, journal, service: runs } = parts;
  const { approvals, deliveries } = journal;
  // It may be written as the name of a secret or as a reference to it.
  const secret = (key: string): string | undefined => secrets.values[secretName(key)];
  const ports = { approvals, deliveries, runs, http, clock: systemClock, random: Math.random };
  return new Outbox({ ...ports, config, engine, secret, redactor });
}
