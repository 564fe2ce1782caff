/** A thread of the SQLite store. */
export type WorkerRole = "writer" | "reader" | "text-index-worker" | "memory-worker" | "page-cache-worker";

/**
 * Where the code of a thread is: beside this file in the source, beside this chunk in a bundle.
 * The name is put together here so that no bundler mistakes it for an asset.
 */
export function workerUrl(role: WorkerRole): URL {
  const name = import.meta.url.endsWith(".ts") ? `${role}.ts` : `sqlite-${role}.js`;
  return new URL(name, import.meta.url);
}
