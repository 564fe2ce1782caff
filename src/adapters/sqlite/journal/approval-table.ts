import { definedOnly } from "../../../base/index.ts";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import {
  type Approval,
  type ApprovalStatus,
  type Decision,
  approvalStateAt,
  maxApprovals,
  neverExpires,
} from "../../../store/index.ts";
import { inTransaction } from "../database/in-transaction.ts";
import type { ApprovalRequestRow } from "../thread/worker-ops.ts";

type Row = Record<string, SQLOutputValue>;

/** The approvals in the database. Every change is one transaction, so that processes sharing the file agree. */
export class ApprovalTable {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** The open approval with this key, or a new one. */
  request({ id, now, request }: ApprovalRequestRow): Approval {
    return inTransaction(this.#db, () => {
      const open = this.#db
        .prepare(
          `SELECT * FROM approvals
           WHERE key = ? AND status IN ('pending', 'approved', 'rejected') AND expires_at > ?
           ORDER BY number DESC LIMIT 1`,
        )
        .get(request.key, now);
      if (open !== undefined) return approvalOf(open);
      const { key, tool, args, message, callerType, principal = null, expiresAt } = request;
      const { runId = null, step = null, approvers, interrupted = false } = request;
      const allowed = approvers === undefined ? null : JSON.stringify(approvers);
      const made = this.#db
        .prepare(
          `INSERT INTO approvals (id, key, tool, args, message, caller_type, principal, expires_at, status, created_at,
             run_id, step, approvers, interrupted)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?) RETURNING *`,
        )
        .get(
          id,
          key,
          tool,
          args,
          message,
          callerType,
          principal,
          expiresAt,
          now,
          runId,
          step,
          allowed,
          Number(interrupted),
        );
      return approvalOf(made ?? {});
    });
  }

  /** Consumes the approved request with this key, if there is one. */
  consume(key: string, now: number): boolean {
    return inTransaction(this.#db, () => {
      const used = this.#db
        .prepare(
          `UPDATE approvals SET status = 'used' WHERE number =
             (SELECT max(number) FROM approvals WHERE key = ? AND status = 'approved' AND expires_at > ?)`,
        )
        .run(key, now);
      return used.changes === 1;
    });
  }

  /** Restores the approval that was consumed last. */
  restore(key: string): void {
    inTransaction(this.#db, () =>
      this.#db
        .prepare(
          `UPDATE approvals SET status = 'approved' WHERE number =
             (SELECT max(number) FROM approvals WHERE key = ? AND status = 'used')`,
        )
        .run(key),
    );
  }

  /** Decides a pending request; a decided or expired one is unchanged. */
  decide(id: string, decision: Decision, now: number): Approval | undefined {
    const { approved, by = null, note = null, done } = decision;
    const output = done === undefined ? null : JSON.stringify(done.output ?? null);
    return inTransaction(this.#db, () => {
      const decided = this.#db
        .prepare(
          `UPDATE approvals SET status = ?, decided_at = ?, decided_by = ?, note = ?, done = ?
           WHERE id = ? AND status = 'pending' AND expires_at > ?`,
        )
        .run(approved ? "approved" : "rejected", now, by, note, output, id, now);
      if (decided.changes === 1) this.#wake(id);
      return this.get(id, now);
    });
  }

  /** Makes the suspended runs that wait for this approval executable. */
  #wake(id: string): void {
    this.#db
      .prepare(
        `UPDATE runs SET ready = 1
         WHERE status = 'waiting' AND EXISTS (SELECT 1 FROM json_each(waits_for, '$.approvals') WHERE value = ?)`,
      )
      .run(id);
  }

  get(id: string, now: number): Approval | undefined {
    const row = this.#db.prepare("SELECT * FROM approvals WHERE id = ?").get(id);
    return row && approvalStateAt(approvalOf(row), now);
  }

  /** Newest first. */
  list(now: number, status: ApprovalStatus | undefined): Approval[] {
    // Expired approvals are stored with the status they had before they expired.
    const rows = this.#db
      .prepare(
        `SELECT *, CASE WHEN status IN ('pending', 'approved') AND expires_at <= :now THEN 'expired' ELSE status END AS shown
         FROM approvals WHERE :status IS NULL OR shown = :status ORDER BY number DESC LIMIT :limit`,
      )
      .all({ now, status: status ?? null, limit: maxApprovals });
    return rows.map((row) => approvalStateAt(approvalOf(row), now));
  }

  /** Removes approvals that expired before this time, or were decided before it if they do not expire. */
  removeBefore(time: number): void {
    this.#db
      .prepare("DELETE FROM approvals WHERE expires_at < :time OR (expires_at = :never AND decided_at < :time)")
      .run({ time, never: neverExpires });
  }
}

/** An approval of a row of the table. */
export function approvalOf(row: Row): Approval {
  const principal = text(row["principal"]);
  const decidedBy = text(row["decided_by"]);
  const note = text(row["note"]);
  const args = text(row["args"]);
  return {
    id: text(row["id"]) ?? "",
    key: text(row["key"]) ?? "",
    tool: text(row["tool"]) ?? "",
    args: args === undefined ? undefined : JSON.parse(args),
    message: text(row["message"]) ?? "",
    callerType: text(row["caller_type"]) ?? "",
    ...(principal !== undefined && { principal }),
    expiresAt: Number(row["expires_at"]),
    ...waitingOf(row),
    // Only this class writes the column.
    status: row["status"] as ApprovalStatus,
    createdAt: Number(row["created_at"]),
    ...(row["decided_at"] !== null && { decidedAt: Number(row["decided_at"]) }),
    ...definedOnly({ decidedBy, note }),
    ...doneOf(row),
  };
}

/**
 * Sets `interrupted` if the call was running when its process ended, and the output that an approver then recorded for
 * it.
 */
function doneOf(row: Row): Pick<Approval, "interrupted" | "done"> {
  const done = text(row["done"]);
  return {
    ...(row["interrupted"] === 1 && { interrupted: true as const }),
    ...(done !== undefined && { done: { output: JSON.parse(done) as unknown } }),
  };
}

/** The run and step that wait for the approval, and its named approvers. */
function waitingOf(row: Row): Pick<Approval, "runId" | "step" | "approvers"> {
  const runId = text(row["run_id"]);
  const step = text(row["step"]);
  const approvers = text(row["approvers"]);
  return {
    ...definedOnly({ runId, step }),
    // Written by `request` from such a list.
    ...(approvers !== undefined && { approvers: JSON.parse(approvers) as string[] }),
  };
}

function text(value: SQLOutputValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
