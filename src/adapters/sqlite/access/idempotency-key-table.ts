import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { KeyedRequest, NewKeyedRequest, StoredResponse } from "../../../store/index.ts";
import { inTransaction } from "../database/in-transaction.ts";

/** Names the work of a key. */
interface WorkOfKey {
  readonly id: string;
  readonly workId: string;
}

/** Operations on requests with idempotency keys. */
export interface IdempotencyKeyOps {
  readonly beginRequest: (request: NewKeyedRequest) => { readonly request: KeyedRequest; readonly isNew: boolean };
  readonly requestStarted: (which: WorkOfKey) => void;
  readonly completeRequest: (which: WorkOfKey & { readonly response: StoredResponse }) => void;
}

/** Few enough rows that a request is hardly delayed; more than it adds. */
const removedAtOnce = 100;

/** The idempotency keys in the database. Each operation is one transaction, so that processes sharing the file agree. */
export function createIdempotencyKeyOps(db: () => DatabaseSync): IdempotencyKeyOps {
  return {
    beginRequest: (request) =>
      inTransaction(db(), () => {
        const { id, fingerprint, workId, createdAt, expiresAt } = request;
        db().prepare("DELETE FROM idempotency_keys WHERE id = ? AND expires_at <= ?").run(id, createdAt);
        db()
          .prepare(
            `DELETE FROM idempotency_keys WHERE id IN
               (SELECT id FROM idempotency_keys WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
          )
          .run(createdAt, removedAtOnce);
        const added = db()
          .prepare(
            `INSERT INTO idempotency_keys (id, fingerprint, work_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (id) DO NOTHING`,
          )
          .run(id, fingerprint, workId, createdAt, expiresAt);
        const row = db().prepare("SELECT * FROM idempotency_keys WHERE id = ?").get(id);
        return {
          request: row === undefined ? { ...request, isStarted: false } : requestOf(row),
          isNew: added.changes === 1,
        };
      }),
    requestStarted({ id, workId }) {
      db().prepare("UPDATE idempotency_keys SET started = 1 WHERE id = ? AND work_id = ?").run(id, workId);
    },
    completeRequest({ id, workId, response: { status, headers, body } }) {
      db()
        .prepare(
          `UPDATE idempotency_keys SET started = 1, status = ?, headers = ?, body = ?
           WHERE id = ? AND work_id = ? AND status IS NULL`,
        )
        .run(status, JSON.stringify(headers), body, id, workId);
    },
  };
}

function requestOf(row: Record<string, SQLOutputValue>): KeyedRequest {
  const { status } = row;
  return {
    id: String(row["id"]),
    fingerprint: String(row["fingerprint"]),
    workId: String(row["work_id"]),
    createdAt: Number(row["created_at"]),
    expiresAt: Number(row["expires_at"]),
    isStarted: row["started"] === 1,
    ...(typeof status === "number" && {
      response: {
        status,
        // Written by `completeRequest`.
        headers: JSON.parse(String(row["headers"])) as Record<string, string>,
        body: String(row["body"]),
      },
    }),
  };
}
