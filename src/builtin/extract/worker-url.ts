/**
 * Where the code of the thread is: beside this file in the source, beside this chunk in a bundle.
 * The name is put together here so that no bundler mistakes it for an asset.
 */
export function workerUrl(): URL {
  const name = import.meta.url.endsWith(".ts") ? "page-worker.ts" : "extract-worker.js";
  return new URL(name, import.meta.url);
}
