import { type FSWatcher, watch as watchFile } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Clock, type Timer, isFailureError, systemErrorCode } from "../../base/index.ts";
import type { FileAccess } from "../../file/index.ts";

/** A watch on the files of a vault. */
export interface VaultWatch {
  /** All folders are watched at this moment. */
  readonly complete: boolean;
  close(): Promise<void>;
}

/** Dependencies of {@link watchVault}. */
export interface WatchVaultDeps {
  /** The folder as it really is. */
  readonly root: string;
  readonly files: FileAccess;
  readonly clock: Clock;
  /**
   * Called with the changed paths, shortly after the last change; some of them may be gone. undefined if anything may
   * have changed.
   */
  readonly onChange: (paths: readonly string[] | undefined) => void;
  /** Called if folders cannot be watched, for example because the system's limit of watches is reached. */
  readonly onError: (error: unknown) => void;
}

/** Changes are reported when none came for this long… */
const debounceMs = 200;
/** …and after this long in any case: some files change constantly. */
const maxDebounceMs = 2000;
/** Interval for checking whether a removed folder is back. */
const awayMs = 1000;
/** More changes than this are reported as "anything". */
const maxPaths = 500;
const maxEntries = 2_000_000;

/**
 * Watches the folders of a vault, one watch for each: watching every file would cost a large vault thousands of times
 * as much. Never keeps the process alive, and continues if the whole folder is removed and comes back.
 */
export async function watchVault(parts: WatchVaultDeps): Promise<VaultWatch> {
  const watch = new FolderWatches(parts);
  await watch.begin();
  return watch;
}

class FolderWatches implements VaultWatch {
  readonly #parts: WatchVaultDeps;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #changed = new Set<string>();
  #firstAt = 0;
  #timer: Timer | undefined;
  #notifying: Promise<void> = Promise.resolve();
  #closed = false;
  #failed = false;

  constructor(parts: WatchVaultDeps) {
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
    await this.#notifying;
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
      // Removed in the meantime, or no longer a folder: its replacement causes its own event.
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
      if (!["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) this.#fail(error);
    }
  }

  /** Reported once: if the system has no more watches, thousands of folders would fail. */
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
    // A removed folder emits an event with its own name; for all but the root, the parent folder does too.
    const whole = folder === "" && (name === null || name === basename(this.#parts.root));
    const path = whole ? "" : [folder, name].filter((part) => part !== null && part !== "").join("/");
    const { clock } = this.#parts;
    if (this.#changed.size === 0) this.#firstAt = clock.elapsed();
    this.#changed.add(path);
    const left = this.#firstAt + maxDebounceMs - clock.elapsed();
    this.#after(Math.max(0, Math.min(debounceMs, left)), () => this.#notify());
  }

  #after(ms: number, work: () => Promise<void>): void {
    this.#timer?.cancel();
    this.#timer = this.#parts.clock.after(ms, () => {
      this.#notifying = this.#notifying.then(work).catch(this.#parts.onError);
    });
    this.#timer.hold(false);
  }

  async #notify(): Promise<void> {
    const paths = [...this.#changed];
    this.#changed.clear();
    if (await this.#isAway()) return;
    // Rules that changed may let in, or leave out, anything.
    const anything = paths.length > maxPaths || paths.some((path) => path === "" || /(?:^|\/)\.gitignore$/.test(path));
    if (anything) {
      this.#unwatch("");
      await this.#watchBelow("");
    } else {
      for (const path of paths) await this.#follow(path);
    }
    if (!this.#closed) this.#parts.onChange(anything ? undefined : paths);
  }

  /** Watches a new folder, and stops watching a removed one. */
  async #follow(path: string): Promise<void> {
    const stats = await lstat(join(this.#parts.root, path)).catch(() => undefined);
    if (stats?.isDirectory() !== true) return this.#unwatch(path);
    // Even if it is watched: it may be another folder with the same name.
    this.#unwatch(path);
    await this.#watchBelow(path);
  }

  /** Waits for the root folder if it is gone; everything is checked when it is back. */
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
