import type { DatabaseSync, StatementSync } from "node:sqlite";
import { inTransaction } from "./in-transaction.ts";
import { recordColumns } from "./record-columns.ts";
import type { Refusal, RunWrites } from "./run-writes.ts";
import type { Answer, Batch, Write } from "./worker-ops.ts";

/** Commits batches: all of one or nothing of it, and a batch that is sent again only once. */
export class BatchCommitter {
  readonly #db: DatabaseSync;
  readonly #runs: RunWrites;
  readonly #mark: StatementSync;
  readonly #keepAnswers: StatementSync;
  readonly #readAnswers: StatementSync;
  readonly #insertRecord: StatementSync;

  constructor(db: DatabaseSync, runs: RunWrites) {
    this.#db = db;
    this.#runs = runs;
    this.#mark = db.prepare(
      `INSERT INTO writers (id, batch, at) VALUES (?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, at = excluded.at, answers = NULL WHERE excluded.batch > batch`,
    );
    this.#keepAnswers = db.prepare("UPDATE writers SET answers = ? WHERE id = ?");
    this.#readAnswers = db.prepare("SELECT answers FROM writers WHERE id = ?");
    const places = recordColumns.map(() => "?").join(", ");
    this.#insertRecord = db.prepare(`INSERT INTO records (${recordColumns.join(", ")}) VALUES (${places})`);
  }

  /** Says which writes were refused; all others are done. */
  commit(batch: Batch): readonly Answer[] {
    try {
      return inTransaction(this.#db, () => this.#write(batch));
    } catch (error) {
      this.#runs.undo();
      throw error;
    }
  }

  #write({ writer, number, now, writes }: Batch): readonly Answer[] {
    // The thread may have died after a commit and before it could say so.
    const isNew = this.#mark.run(writer, number, now).changes === 1;
    if (!isNew) return this.#answersOf(writer);
    this.#runs.begin();
    const answers: Answer[] = [];
    for (const [index, write] of writes.entries()) {
      const refusal = this.#one(write, now);
      if (refusal !== undefined) answers.push([index, ...refusal]);
    }
    if (answers.length > 0) this.#keepAnswers.run(JSON.stringify(answers), writer);
    return answers;
  }

  #one(write: Write, now: number): Refusal | undefined {
    switch (write[0]) {
      case "record": {
        const [, ...values] = write;
        this.#insertRecord.run(...values);
        return undefined;
      }
      case "run":
        return this.#runs.run(write, now);
      case "event":
        return this.#runs.event(write);
      case "end":
        return this.#runs.end(write);
    }
  }

  #answersOf(writer: string): readonly Answer[] {
    const kept = this.#readAnswers.get(writer)?.["answers"];
    // Written above.
    return typeof kept === "string" ? (JSON.parse(kept) as Answer[]) : [];
  }
}
