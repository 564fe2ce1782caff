import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The name of the file that makes a folder a workspace. */
export const workspaceFile = "windlass.yaml";

/** The nearest folder with a `windlass.yaml`, from here upwards; this folder itself if there is none. */
export async function findWorkspace(from: string): Promise<string> {
  const start = resolve(from);
  for (let dir = start; ; dir = dirname(dir)) {
    if (await pathExists(join(dir, workspaceFile))) return dir;
    if (dir === dirname(dir)) return start;
  }
}

/** True if the path exists. */
export async function pathExists(path: string): Promise<boolean> {
  // Called often, mostly for missing paths: the other functions create an error for each of those.
  return existsSync(path);
}
