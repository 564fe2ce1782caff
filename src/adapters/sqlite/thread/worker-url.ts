/** The source file of each thread of the SQLite stores. */
const sources = {
  writer: "../journal/writer.ts",
  reader: "../journal/reader.ts",
  "text-index-worker": "../index/worker.ts",
  "memory-worker": "../memory/memory-worker.ts",
  "page-cache-worker": "../pages/page-cache-worker.ts",
} as const;

/** A thread of the SQLite stores. */
export type WorkerRole = keyof typeof sources;

/**
 * The location of a thread's code: its source file, or in a bundle a file beside this chunk.
 * The name is built here so that no bundler mistakes it for an asset.
 */
export function workerUrl(role: WorkerRole): URL {
  const name = import.meta.url.endsWith(".ts") ? sources[role] : `sqlite-${role}.cjs`;
  return new URL(name, import.meta.url);
}
