export { openSqlite } from "./sqlite/open-sqlite.ts";
export type { SqliteStats, SqliteStore } from "./sqlite/sqlite-store.ts";
