import { type FSWatcher, watch as watchFile } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Clock, type Timer, isFailureError } from "../../base/index.ts";
import type { FileDoor } from "../../file/index.ts";

/** A watch on the files of a vault. */
export interface VaultWatch {
  /** All folders are watched at this moment. */
  readonly complete: boolean;
  close(): Promise<void>;
}

/** What watching needs. */
export interface WatchParts {
  /** The folder as it really is. */
  readonly root: string;
  readonly files: FileDoor;
  readonly clock: Clock;
  /**
   * Told of the paths that changed, a moment after they came to rest, and perhaps of some that are gone; undefined when
   * anything may have changed.
   */
  readonly onChange: (paths: readonly string[] | undefined) => void;
  /** Told when folders cannot be watched, such as when the system allows no more watches. */
  readonly onError: (error: unknown) => void;
}

/** Changes are told when none came for this long… */
const restMs = 200;
/** …and after this long in any case: some files never rest. */
const longestMs = 2000;
/** A folder that is gone is looked for this often: it may come back. */
const awayMs = 1000;
/** More changes than this are told as "anything". */
const mostPaths = 500;
const maxEntries = 2_000_000;

/**
 * Watches the folders of a vault, one watch for each: watching every file would take a large vault thousands of times
 * as much. Never keeps the process alive, and goes on when the whole folder was removed and comes back.
 */
export async function watchVault(parts: WatchParts): Promise<VaultWatch> {
  const watch = new FolderWatches(parts);
  await watch.begin();
  return watch;
}

class FolderWatches implements VaultWatch {
  readonly #parts: WatchParts;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed = new Set<string>();
  #firstAt = 0;
  #timer: Timer | undefined;
  #telling: Promise<void> = Promise.resolve();
  #closed = false;
  #failed = false;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  get complete(): boolean {
    return !this.#failed && this.#watchers.size > 0;
  }

  async begin(): Promise<void> {
    await this.#watchBelow("");
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    this.#unwatch("");
    await this.#telling;
  }

  /** Watches a folder and all in it that the vault shows. Each before its content is listed: nothing comes in unseen. */
  async #watchBelow(path: string): Promise<void> {
    this.#watch(path);
    try {
      for await (const entry of this.#parts.files.walk(path === "" ? "." : path, { maxEntries })) {
        if (this.#closed) return;
        if (entry.type === "folder" && entry.name !== "node_modules") this.#watch(entry.path);
      }
    } catch (error) {
      // Gone again, or no folder any longer: whatever is there instead tells of itself.
      if (!isFailureError(error)) throw error;
    }
  }

  #watch(path: string): void {
    if (this.#closed) return;
    this.#watchers.get(path)?.close();
    try {
      const options = { persistent: false, encoding: "utf8" } as const;
      const watcher = watchFile(join(this.#parts.root, path), options, (_event, name) => this.#note(path, name));
      watcher.on("error", () => this.#note(path, null));
      this.#watchers.set(path, watcher);
    } catch (error) {
      this.#watchers.delete(path);
      if (!isGone(error)) this.#fail(error);
    }
  }

  /** Told once: where the system has no more watches, thousands of folders would fail. */
  #fail(error: unknown): void {
    if (!this.#failed) this.#parts.onError(error);
    this.#failed = true;
  }

  #unwatch(path: string): void {
    for (const [folder, watcher] of this.#watchers) {
      if (path !== "" && folder !== path && !folder.startsWith(`${path}/`)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
  }

  #note(folder: string, name: string | null): void {
    if (this.#closed) return;
    if (name !== null && name.startsWith(".") && name !== ".gitignore") return;
    // A folder that is taken away tells of it by its own name; for all but the whole, the folder around it does too.
    const whole = folder === "" && (name === null || name === basename(this.#parts.root));
    const path = whole ? "" : [folder, name].filter((part) => part !== null && part !== "").join("/");
    const { clock } = this.#parts;
    if (this.#changed.size === 0) this.#firstAt = clock.elapsed();
    this.#changed.add(path);
    const left = this.#firstAt + longestMs - clock.elapsed();
    this.#after(Math.max(0, Math.min(restMs, left)), () => this.#tell());
  }

  #after(ms: number, work: () => Promise<void>): void {
    this.#timer?.cancel();
    this.#timer = this.#parts.clock.after(ms, () => {
      this.#telling = this.#telling.then(work).catch(this.#parts.onError);
    });
    this.#timer.hold(false);
  }

  async #tell(): Promise<void> {
    const paths = [...this.#changed];
    this.#changed.clear();
    if (await this.#isAway()) return;
    // Rules that changed may let in, or leave out, anything.
    const anything = paths.length > mostPaths || paths.some((path) => path === "" || /(?:^|\/)\.gitignore$/.test(path));
    if (anything) {
      this.#unwatch("");
      await this.#watchBelow("");
    } else {
      for (const path of paths) await this.#follow(path);
    }
    if (!this.#closed) this.#parts.onChange(anything ? undefined : paths);
  }

  /** A folder that is new is watched; what is gone is not any longer. */
  async #follow(path: string): Promise<void> {
    const stats = await lstat(join(this.#parts.root, path)).catch(() => undefined);
    if (stats?.isDirectory() !== true) {
      this.#unwatch(path);
      return;
    }
    // Even where it is watched: it may be another one with the same name.
    this.#unwatch(path);
    await this.#watchBelow(path);
  }

  /** Waits for the whole folder where it is gone; all is looked at when it is back. */
  async #isAway(): Promise<boolean> {
    const there = await stat(this.#parts.root).catch(() => undefined);
    if (there?.isDirectory() === true) return false;
    this.#unwatch("");
    if (!this.#closed) this.#after(awayMs, () => this.#comeBack());
    return true;
  }

  async #comeBack(): Promise<void> {
    if (await this.#isAway()) return;
    await this.#watchBelow("");
    if (!this.#closed) this.#parts.onChange(undefined);
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR"].includes(String(error.code));
}
