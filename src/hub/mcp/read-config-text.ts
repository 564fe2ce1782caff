import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** More is no list of servers. */
const mostBytes = 4 * 2 ** 20;

/**
 * The text of a file that names servers; undefined where there is none. Throws where it is no file or too large: nobody
 * waits for whoever may write into a pipe.
 */
export function readConfigText(path: string): string | undefined {
  const file = open(path);
  if (file === undefined) return undefined;
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error("it is no file");
    if (found.size > mostBytes) throw new Error(`it has ${found.size} bytes, ${mostBytes} are allowed`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function open(path: string): number | undefined {
  try {
    // Where a system has no such flag, it has no such files either.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
