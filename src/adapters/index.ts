export { currentOwner } from "./sqlite/owner-process.ts";
export { openIndex } from "./sqlite/open-index.ts";
export { openSqlite } from "./sqlite/open-sqlite.ts";
export type { SqliteStats, SqliteStore } from "./sqlite/sqlite-store.ts";
export { type MemoriesOptions, openMemories } from "./sqlite/memory-store.ts";
export { type TextIndexOptions, openTextIndex } from "./sqlite/text-index.ts";
