import type { DatabaseSync } from "node:sqlite";
import type { Served } from "../thread/serve-ops.ts";
import type { Ops } from "../thread/worker-ops.ts";
import { storeFailure } from "./store-failure.ts";

/** Prepares an opened database for use; closes it if that fails. */
export function setUp(db: DatabaseSync, work: (db: DatabaseSync) => void): DatabaseSync {
  try {
    work(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Operations on a file that `open` sets; it is opened on first use. */
export function serveFile<O extends Ops<O>>(
  open: (file: string) => DatabaseSync,
  operations: (database: () => DatabaseSync) => Omit<O, "open" | "close">,
): Served<O> {
  let file = "";
  let opened: DatabaseSync | undefined;
  const own = { open: (at: { readonly file: string }) => void (file = at.file), close: () => opened?.close() };
  // The operations of O that are not given are these.
  const ops = { ...operations(() => (opened ??= open(file))), ...own } as unknown as O;
  return { ops, explain: (error) => storeFailure(error, file) };
}
