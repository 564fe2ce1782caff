import { relative, sep } from "node:path";
import type { Clock, Timer } from "../../base/index.ts";

/** A watch on the files of a vault. */
export interface VaultWatch {
  close(): Promise<void>;
}

/** What watching needs. */
export interface WatchParts {
  /** The folder as it really is. */
  readonly root: string;
  readonly clock: Clock;
  /** Told of the paths that changed, some time after they came to rest; may be told of paths that are gone. */
  readonly onChange: (paths: readonly string[]) => void;
  /** Told when watching fails, such as when the system allows no more watches. */
  readonly onError: (error: unknown) => void;
}

/** Changes that come within this are told together. */
const restMs = 200;

/** Watches the files of a vault from now on. */
export async function watchVault({ root, clock, onChange, onError }: WatchParts): Promise<VaultWatch> {
  const { watch } = await import("chokidar");
  const changed = new Set<string>();
  let timer: Timer | undefined;
  const tell = (): void => {
    timer = undefined;
    const paths = [...changed];
    changed.clear();
    onChange(paths);
  };
  const note = (file: string): void => {
    changed.add(relative(root, file).split(sep).join("/"));
    timer?.cancel();
    timer = clock.after(restMs, tell);
    timer.hold(false);
  };
  const isHidden = (file: string): boolean =>
    relative(root, file)
      .split(sep)
      .some((name) => (name.startsWith(".") && name !== "." && name !== ".gitignore") || name === "node_modules");
  const watcher = watch(root, { ignoreInitial: true, followSymlinks: false, ignored: isHidden });
  for (const event of ["add", "change", "unlink", "unlinkDir"] as const) watcher.on(event, note);
  watcher.on("error", onError);
  await new Promise<void>((resolve) => void watcher.once("ready", resolve));
  return {
    async close() {
      timer?.cancel();
      await watcher.close();
    },
  };
}
