/** A message that is to leave the workspace: the end of a run, or a waiting approval. */
export interface NewDelivery {
  /** The configured receiver, such as `callback/orders`. */
  readonly channel: string;
  /** The subject, such as `RUN/EPOCH`. A channel has one delivery for each. */
  readonly subject: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** State of a delivery. `failed`: it is not attempted any more. */
export type DeliveryStatus = "pending" | "delivered" | "failed";

/** A stored delivery. */
export interface Delivery extends NewDelivery {
  readonly status: DeliveryStatus;
  /** Number of attempts that have begun. */
  readonly attempts: number;
  /** Time of the next attempt of a pending delivery. While an attempt is running: the time at which it counts as lost. */
  readonly nextAt: number;
  /** Why the last attempt failed; absent if that attempt has no result, because its process ended. */
  readonly error?: string;
}

/** Result of an attempt. */
export interface DeliveryResult {
  readonly status: DeliveryStatus;
  /** Of a pending delivery: the time of the next attempt. */
  readonly nextAt: number;
  readonly error?: string;
}

/** Which deliveries to claim. */
export interface DeliveryClaim {
  readonly channels: readonly string[];
  readonly now: number;
  /** An attempt without a result by then counts as lost, and another one may begin. */
  readonly lostAt: number;
}

/** Filter for deliveries; the newest first. */
export interface DeliveryQuery {
  readonly status?: DeliveryStatus;
  /** Maximum number. Default: 100. */
  readonly limit?: number;
}

/**
 * Messages to be sent, and their results, so that each is sent although a process ends, and by one process at a time.
 * Every implementation passes `test/conformance/delivery-store.ts`.
 */
export interface DeliveryStore {
  /** Adds those that do not exist yet; durable when it resolves. */
  add(deliveries: readonly NewDelivery[]): Promise<void>;
  /** Begins the next attempt that is due, of the oldest delivery. */
  claim(claim: DeliveryClaim): Promise<Delivery | undefined>;
  /** Stores the result of an attempt, unless a later one has begun. */
  settle(delivery: Pick<Delivery, "channel" | "subject" | "attempts">, result: DeliveryResult): Promise<void>;
  list(query?: DeliveryQuery): Promise<readonly Delivery[]>;
}

/** Stores deliveries in memory, for one process. */
export function createInMemoryDeliveries(): DeliveryStore {
  return new InMemoryDeliveries();
}

class InMemoryDeliveries implements DeliveryStore {
  /** Oldest first. */
  readonly #deliveries = new Map<string, Delivery>();

  async add(deliveries: readonly NewDelivery[]): Promise<void> {
    for (const { channel, subject, createdAt } of deliveries) {
      const key = keyOf({ channel, subject });
      if (this.#deliveries.has(key)) continue;
      this.#deliveries.set(key, { channel, subject, createdAt, status: "pending", attempts: 0, nextAt: createdAt });
    }
  }

  async claim({ channels, now, lostAt }: DeliveryClaim): Promise<Delivery | undefined> {
    for (const [key, delivery] of this.#deliveries) {
      const { status, nextAt, attempts, channel } = delivery;
      if (status !== "pending" || nextAt > now || !channels.includes(channel)) continue;
      const claimed = { ...delivery, attempts: attempts + 1, nextAt: lostAt };
      const { error: _, ...stored } = claimed;
      this.#deliveries.set(key, stored);
      return claimed;
    }
    return undefined;
  }

  async settle(
    { attempts, ...of }: Pick<Delivery, "channel" | "subject" | "attempts">,
    { status, nextAt, error }: DeliveryResult,
  ): Promise<void> {
    const stored = this.#deliveries.get(keyOf(of));
    if (stored === undefined || stored.attempts !== attempts || stored.status !== "pending") return;
    const { error: _, ...rest } = stored;
    this.#deliveries.set(keyOf(of), { ...rest, status, nextAt, ...(error !== undefined && { error }) });
  }

  async list({ status, limit = 100 }: DeliveryQuery = {}): Promise<readonly Delivery[]> {
    const found = [...this.#deliveries.values()].filter((one) => status === undefined || one.status === status);
    return found.reverse().slice(0, limit);
  }
}

function keyOf({ channel, subject }: Pick<Delivery, "channel" | "subject">): string {
  return JSON.stringify([channel, subject]);
}
