import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { AuditEntry, AuditQuery, NewAuditEntry } from "../../../store/index.ts";

/** Operations on the audit log. */
export interface AuditOps {
  readonly addAuditEntry: (entry: NewAuditEntry) => void;
  readonly listAuditEntries: (query: AuditQuery) => readonly AuditEntry[];
}

/** The audit log in the database. */
export function createAuditOps(db: () => DatabaseSync): AuditOps {
  return {
    addAuditEntry({ at, by, action, target = null, outcome, detail = null, requestId = null }) {
      db()
        .prepare(
          `INSERT INTO audit_log (at, principal, action, target, outcome, detail, request_id)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(at, by, action, target, outcome, detail, requestId);
    },
    listAuditEntries: ({ action = null, by = null, target = null, since = null, before = null, limit }) =>
      db()
        .prepare(
          `SELECT * FROM audit_log
           WHERE (:action IS NULL OR action = :action) AND (:by IS NULL OR principal = :by)
             AND (:target IS NULL OR target = :target) AND (:since IS NULL OR at >= :since)
             AND (:before IS NULL OR number < :before)
           ORDER BY number DESC LIMIT :limit`,
        )
        .all({ action, by, target, since, before, limit })
        .map(entryOf),
  };
}

/** Removes entries of before this time. */
export function removeAuditEntriesBefore(db: DatabaseSync, time: number): void {
  db.prepare("DELETE FROM audit_log WHERE at < ?").run(time);
}

function entryOf(row: Record<string, SQLOutputValue>): AuditEntry {
  const { target, detail, request_id: requestId } = row;
  return {
    number: Number(row["number"]),
    at: Number(row["at"]),
    by: String(row["principal"]),
    action: String(row["action"]),
    outcome: String(row["outcome"]),
    ...(typeof target === "string" && { target }),
    ...(typeof detail === "string" && { detail }),
    ...(typeof requestId === "string" && { requestId }),
  };
}
