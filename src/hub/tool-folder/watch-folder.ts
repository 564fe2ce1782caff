import type { Clock, Timer } from "../../base/index.ts";

/** A folder under watch. */
export interface FolderWatch {
  /** Watches more files. */
  add(paths: readonly string[]): void;
  close(): Promise<void>;
}

/** Editors write a file in several steps; they are done when nothing happened for this long. */
const settleMs = 50;

/** Reports changes in a folder, even if it does not exist yet. Never keeps the process alive. */
export function watchFolder(
  dir: string,
  { clock, onChange }: { readonly clock: Clock; readonly onChange: () => void },
): FolderWatch {
  let settle: Timer | undefined;
  let closed = false;
  const changed = (): void => {
    settle?.cancel();
    if (closed) return;
    settle = clock.after(settleMs, onChange);
    settle.hold(false);
  };
  const watcher = open(dir, changed);
  return {
    add: (paths) => {
      if (paths.length > 0) void watcher.then((opened) => opened?.add([...paths]));
    },
    async close() {
      closed = true;
      settle?.cancel();
      await (await watcher)?.close();
    },
  };
}

async function open(dir: string, changed: () => void) {
  const { watch } = await import("chokidar");
  const watcher = watch(dir, {
    ignoreInitial: true,
    persistent: false,
    ignored: (path) => /[/\\](?:node_modules|\.git)(?:[/\\]|$)/.test(path),
  });
  // A check finds the changes between the first load and now; the same applies after an error of the watcher.
  watcher.on("all", changed).on("ready", changed).on("error", changed);
  return watcher;
}
