import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Makes the folder that a workspace keeps its own data in, where it is missing, and says that it is no part of the
 * repository around it: it holds logins, records and results. Whoever is the first to keep something makes it.
 */
export function makeDataFolder(dir: string): void {
  mkdirSync(dir, { recursive: true });
  try {
    writeFileSync(join(dir, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    // What is there already may say something else, on purpose.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
