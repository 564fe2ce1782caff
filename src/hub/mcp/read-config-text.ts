import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** Maximum size of a file of servers. */
const maxBytes = 4 * 2 ** 20;

/**
 * Reads a file that names servers; undefined if there is none. Throws if it is not a regular file or too large: reading
 * a pipe could block forever.
 */
export function readConfigText(path: string): string | undefined {
  const file = open(path);
  if (file === undefined) return undefined;
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error("it is not a regular file");
    if (found.size > maxBytes) throw new Error(`it has ${found.size} bytes, ${maxBytes} are allowed`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function open(path: string): number | undefined {
  try {
    // A system without this flag has no such files either.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
