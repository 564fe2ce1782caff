import { createHash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Large texts, each kept once however many refer to it. */
export class BlobTable {
  readonly #find: StatementSync;
  readonly #insert: StatementSync;

  constructor(db: DatabaseSync) {
    this.#find = db.prepare("SELECT number FROM blobs WHERE hash = ?");
    this.#insert = db.prepare("INSERT INTO blobs (hash, data) VALUES (?, ?) RETURNING number");
  }

  /** The number of this text. Whoever refers to it does so in the same transaction. */
  keep(text: string): number {
    const hash = createHash("sha256").update(text).digest("base64url");
    return Number((this.#find.get(hash) ?? this.#insert.get(hash, text))?.["number"]);
  }
}
