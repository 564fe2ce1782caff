import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { type Clock, FailureError, importModule, nodeCrypto, raceLimits } from "../base/index.ts";
import { stripUnsafe } from "../text/index.ts";

/** Options of {@link importFresh} besides the path. */
export interface ImportOptions {
  readonly clock: Clock;
  /** A module that is still loading after this time is abandoned. Default: 10 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Number of failed imports per version: a module that it needs may have been fixed since. */
const failures = new Map<string, number>();

/**
 * Imports a module in the current version of its file. ESM modules are never unloaded: every changed version stays in
 * memory until the process ends, which is the price of reloading code. Modules that it imports keep their first
 * version; only the file itself is reloaded.
 */
export async function importFresh(path: string, options: ImportOptions): Promise<Readonly<Record<string, unknown>>> {
  const hash = nodeCrypto()
    .createHash("sha256")
    .update(await readFile(path))
    .digest("hex")
    .slice(0, 16);
  const version = `${path}?${hash}`;
  const attempt = failures.get(version) ?? 0;
  const url = `${pathToFileURL(path).href}?v=${hash}${attempt === 0 ? "" : `-${attempt}`}`;
  try {
    const module = await inTime(importModule(url), path, options);
    failures.delete(version);
    // A module namespace is an object of its exports.
    return module as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (failures.size > 1_000) failures.clear();
    failures.set(version, attempt + 1);
    throw error;
  }
}

function inTime<T>(work: Promise<T>, path: string, { clock, timeoutMs = 10_000, signal }: ImportOptions): Promise<T> {
  const message = `the module ${path} did not finish loading within ${timeoutMs / 1000} s`;
  const late = (): FailureError => new FailureError(message, { code: "file_invalid", reason: "import_timeout" });
  const cancelled = (): FailureError => new FailureError("loading was cancelled", { code: "cancelled" });
  return raceLimits({ clock, ms: timeoutMs, late, signal, cancelled }, () => work);
}

/** The error of a failed import; the first lines are enough. */
export function describeError(error: unknown): string {
  const text =
    error instanceof Error
      ? error.message
      : typeof error === "string"
        ? error
        : "it threw a value that is not an error";
  return stripUnsafe(text).trim().split("\n").slice(0, 3).join(" ").slice(0, 500);
}
