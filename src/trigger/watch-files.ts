import { join } from "node:path";
import { type Clock, isFailureError, nodeCrypto } from "../base/index.ts";
import type { Trigger } from "../chain/index.ts";
import { type FileAccess, type WalkEntry, readPathGlob } from "../file/index.ts";
import { type FolderWatch, watchFolder } from "../hub/index.ts";
import type { NewFiring, TriggerState, TriggerStore } from "../store/index.ts";
import { firingOf, runIdOf } from "./read-event.ts";

/** A file that has not changed for this time is complete. */
const settledMs = 1_000;
/** The watcher of the system may miss a change. */
const rescanMs = 60_000;
/** Larger files are identified by their size and time. */
const maxDigestBytes = 64 * 1_048_576;
const maxEntries = 10_000;
/** Files waiting for earlier runs; more are found again later. */
const maxWaiting = 100;

interface KnownFile {
  readonly stamp: string;
  /** Elapsed time at which it had this stamp first. */
  readonly since: number;
  /** It was fired, or was there before. */
  readonly isDone: boolean;
}

/** Parts of a workspace that watched files need. */
export interface WatchDeps {
  readonly store: TriggerStore;
  readonly clock: Clock;
  readonly dir: string;
  readonly files: Pick<FileAccess, "walk">;
}

/** Watches the files of one trigger, and stores a firing for each new or changed one. */
export class FileTriggerWatch {
  readonly #trigger: Trigger;
  readonly #deps: WatchDeps;
  readonly #folder: string;
  readonly #matches: (path: string) => boolean;
  readonly #watch: FolderWatch;
  #known = new Map<string, KnownFile>();
  #isDirty = true;
  #lookedAt = -Infinity;

  constructor(trigger: Trigger, deps: WatchDeps) {
    this.#trigger = trigger;
    this.#deps = deps;
    this.#matches = readPathGlob(trigger.expression) ?? (() => false);
    this.#folder = fixedFolder(trigger.expression);
    const { clock, dir } = deps;
    this.#watch = watchFolder(join(dir, this.#folder), { clock, onChange: () => void (this.#isDirty = true) });
  }

  close(): Promise<void> {
    return this.#watch.close();
  }

  /** Searches for files if something may have changed. True if there are new firings. */
  async look(state: TriggerState): Promise<boolean> {
    const { clock, store } = this.#deps;
    const isPending = this.#known.values().some(({ isDone }) => !isDone);
    if (!this.#isDirty && !isPending && clock.elapsed() - this.#lookedAt < rescanMs) return false;
    this.#isDirty = false;
    this.#lookedAt = clock.elapsed();
    const baseline = `there before ${this.#trigger.digest}`;
    const [hasBaseline] = await store.known(this.#trigger.id, [baseline]);
    return hasBaseline === undefined ? this.#noteExisting(state, baseline) : this.#fireSettled();
  }

  /** Files that are there before the trigger do not fire. */
  async #noteExisting({ cursor, id }: TriggerState, key: string): Promise<boolean> {
    const at = this.#deps.clock.now();
    const about = { at, status: "seen", tainted: false, isLasting: true } as const;
    const firings: NewFiring[] = [{ ...about, key, runId: runIdOf(this.#trigger, key) }];
    for await (const entry of this.#entries()) {
      const found = await digestOf(entry);
      if (found === undefined) continue;
      const file = fileKey(entry.path, found.digest);
      firings.push({ ...about, key: file, runId: runIdOf(this.#trigger, file) });
      this.#known.set(entry.path, { stamp: found.stamp, since: 0, isDone: true });
    }
    if (!(await this.#deps.store.advance(id, { from: cursor, to: cursor, firings }))) this.#isDirty = true;
    return false;
  }

  async #fireSettled(): Promise<boolean> {
    const now = this.#deps.clock.elapsed();
    const known = new Map<string, KnownFile>();
    let isNew = false;
    for await (const entry of this.#entries()) {
      const stamp = await stampOf(entry);
      if (stamp === undefined) continue;
      const before = this.#known.get(entry.path);
      const { since } = before?.stamp === stamp ? before : { since: now };
      let isDone = before?.stamp === stamp && before.isDone;
      if (!isDone && now - since >= settledMs) {
        const outcome = await this.#fire(entry, stamp);
        isDone = outcome === "added" || outcome === "known";
        isNew ||= outcome === "added";
      }
      known.set(entry.path, { stamp, since, isDone });
    }
    this.#known = known;
    return isNew;
  }

  async #fire(entry: WalkEntry, stamp: string): Promise<"added" | "known" | "full" | "changed"> {
    const found = await digestOf(entry);
    // It was written to while it was read.
    if (found?.stamp !== stamp) return "changed";
    const { digest } = found;
    const { path } = entry;
    const at = this.#deps.clock.now();
    const event = { key: fileKey(path, digest), at, event: { path, digest }, isLasting: true };
    return this.#deps.store.add(this.#trigger.id, firingOf(this.#trigger, event), maxWaiting);
  }

  async *#entries(): AsyncGenerator<WalkEntry> {
    try {
      const options = { maxEntries, gitignore: false };
      for await (const entry of this.#deps.files.walk(this.#folder, options))
        if (entry.type === "file" && this.#matches(entry.path)) yield entry;
    } catch (error) {
      // The folder may not exist yet.
      if (!isFailureError(error) || error.reason !== "not_found") throw error;
    }
  }
}

/** The folder above the first wildcard of a pattern. */
function fixedFolder(pattern: string): string {
  const parts = pattern
    .trim()
    .replace(/^(?:\.?\/)+/u, "")
    .split("/");
  const wild = parts.findIndex((part) => /[*?]/.test(part));
  // A pattern without a slash matches in every folder.
  if (parts.length === 1) return ".";
  const fixed = parts.slice(0, wild === -1 ? parts.length - 1 : wild);
  return fixed.length === 0 ? "." : fixed.join("/");
}

function fileKey(path: string, digest: string): string {
  return `${path}\n${digest}`;
}

async function stampOf(entry: WalkEntry): Promise<string | undefined> {
  const facts = await entry.facts();
  return facts && `${facts.size} ${facts.modifiedMs}`;
}

async function digestOf(entry: WalkEntry): Promise<{ readonly digest: string; readonly stamp: string } | undefined> {
  try {
    const { bytes, truncated } = await entry.read({ maxBytes: maxDigestBytes });
    const stamp = await stampOf(entry);
    if (stamp === undefined) return undefined;
    const digest = nodeCrypto()
      .createHash("sha256")
      .update(truncated ? stamp : bytes)
      .digest("hex");
    return { digest, stamp };
  } catch (error) {
    // It was removed, or cannot be read.
    if (isFailureError(error)) return undefined;
    throw error;
  }
}
