import type { DatabaseSync, StatementSync } from "node:sqlite";
import { inTransaction } from "./in-transaction.ts";
import { recordColumns } from "./record-columns.ts";
import type { Batch, Write } from "./worker-ops.ts";

/** Commits batches: all of one or nothing of it, and a batch that is sent again only once. */
export class BatchCommitter {
  readonly #db: DatabaseSync;
  readonly #mark: StatementSync;
  readonly #inserts: Readonly<Record<Write[0], StatementSync>>;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#mark = db.prepare(
      `INSERT INTO writers (id, batch, at) VALUES (?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, at = excluded.at WHERE excluded.batch > batch`,
    );
    const places = recordColumns.map(() => "?").join(", ");
    this.#inserts = { record: db.prepare(`INSERT INTO records (${recordColumns.join(", ")}) VALUES (${places})`) };
  }

  commit(batch: Batch): void {
    inTransaction(this.#db, () => {
      // The thread may have died after a commit and before it could say so.
      const isNew = this.#mark.run(batch.writer, batch.number, batch.now).changes === 1;
      if (!isNew) return;
      for (const [kind, ...values] of batch.writes) this.#inserts[kind].run(...values);
    });
  }
}
