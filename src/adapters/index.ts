export { currentOwner } from "./sqlite/owner-process.ts";
export { type Index, type IndexOptions, openIndex } from "./sqlite/open-index.ts";
export { openSqlite } from "./sqlite/open-sqlite.ts";
export type { SqliteStats, SqliteStore } from "./sqlite/sqlite-store.ts";
