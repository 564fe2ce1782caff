import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The name of the file that makes a folder a workspace. */
export const workspaceFile = "windlass.yaml";

/** The nearest folder with a `windlass.yaml`, from here upwards; this folder itself where there is none. */
export async function findWorkspace(from: string): Promise<string> {
  const start = resolve(from);
  for (let dir = start; ; dir = dirname(dir)) {
    if (await exists(join(dir, workspaceFile))) return dir;
    if (dir === dirname(dir)) return start;
  }
}

/** Is there something at this path? */
export async function exists(path: string): Promise<boolean> {
  // Asked often, for what is mostly not there: the other ways make an error of every answer.
  return existsSync(path);
}
