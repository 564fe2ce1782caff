import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type {
  Delivery,
  DeliveryClaim,
  DeliveryQuery,
  DeliveryResult,
  DeliveryStatus,
  DeliveryStore,
  NewDelivery,
} from "../../../store/index.ts";
import { inTransaction } from "../database/in-transaction.ts";
import type { WriterThread } from "./writer-thread.ts";

/** The result of one attempt. */
interface SettledDelivery extends DeliveryResult, Pick<Delivery, "channel" | "subject" | "attempts"> {}

/** Operations on deliveries. */
export interface DeliveryOps {
  readonly addDeliveries: (deliveries: readonly NewDelivery[]) => void;
  readonly claimDelivery: (claim: DeliveryClaim) => Delivery | undefined;
  readonly settleDelivery: (settled: SettledDelivery) => void;
  readonly listDeliveries: (query: DeliveryQuery) => readonly Delivery[];
}

/** The deliveries in the database. Each change is one transaction, so that processes sharing the file agree. */
export function createDeliveryOps(db: () => DatabaseSync): DeliveryOps {
  return {
    addDeliveries: (deliveries) =>
      inTransaction(db(), () => {
        const insert = db().prepare(
          `INSERT OR IGNORE INTO deliveries (channel, subject, created_at, status, attempts, next_at)
           VALUES (:channel, :subject, :at, 'pending', 0, :at)`,
        );
        for (const { channel, subject, createdAt: at } of deliveries) insert.run({ channel, subject, at });
      }),
    claimDelivery: ({ channels, now, lostAt }) =>
      inTransaction(db(), () => {
        const row = db()
          .prepare(
            `SELECT * FROM deliveries WHERE status = 'pending' AND next_at <= :now
               AND channel IN (SELECT value FROM json_each(:channels)) ORDER BY number LIMIT 1`,
          )
          .get({ channels: JSON.stringify(channels), now });
        if (row === undefined) return undefined;
        db()
          .prepare("UPDATE deliveries SET attempts = attempts + 1, next_at = ?, error = NULL WHERE number = ?")
          .run(lostAt, row["number"] ?? null);
        const before = deliveryOf(row);
        return { ...before, attempts: before.attempts + 1, nextAt: lostAt };
      }),
    settleDelivery({ channel, subject, attempts, status, nextAt, error = null }) {
      db()
        .prepare(
          `UPDATE deliveries SET status = ?, next_at = ?, error = ?
           WHERE channel = ? AND subject = ? AND attempts = ? AND status = 'pending'`,
        )
        .run(status, nextAt, error, channel, subject, attempts);
    },
    listDeliveries: ({ status = null, limit = 100 }) =>
      db()
        .prepare("SELECT * FROM deliveries WHERE :status IS NULL OR status = :status ORDER BY number DESC LIMIT :limit")
        .all({ status, limit })
        .map(deliveryOf),
  };
}

/** Removes deliveries that have ended and were created before this time. */
export function removeDeliveriesBefore(db: DatabaseSync, time: number): void {
  db.prepare("DELETE FROM deliveries WHERE status <> 'pending' AND created_at < ?").run(time);
}

/** Deliveries in SQLite. */
export function sqliteDeliveries(thread: Pick<WriterThread, "call">): DeliveryStore {
  return {
    add: (deliveries) => thread.call("addDeliveries", deliveries),
    claim: (claim) => thread.call("claimDelivery", claim),
    settle: (delivery, result) => thread.call("settleDelivery", { ...delivery, ...result }),
    list: (query = {}) => thread.call("listDeliveries", query),
  };
}

function deliveryOf(row: Record<string, SQLOutputValue>): Delivery {
  const { error } = row;
  return {
    channel: String(row["channel"]),
    subject: String(row["subject"]),
    createdAt: Number(row["created_at"]),
    // Only this file writes the column.
    status: String(row["status"]) as DeliveryStatus,
    attempts: Number(row["attempts"]),
    nextAt: Number(row["next_at"]),
    ...(typeof error === "string" && { error }),
  };
}
