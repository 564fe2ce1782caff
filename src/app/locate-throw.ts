import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isBelow } from "../base/index.ts";
import type { PlaceOf } from "../engine/index.ts";

/** So much of the end is looked at: a message that was changed later is not known here, and may be a whole page. */
const longestFrames = 20_000;
/** No path is as long as this. */
const longestLine = 5000;

/**
 * Finds the first place of an error's stack that is in a folder and is no package's: `tools/boom.ts:2:9`, relative to the
 * folder, so that nothing is told of the machine.
 */
export function throwPlaces(dir: string): PlaceOf {
  let roots: readonly string[] | undefined;
  return (thrown) => {
    roots ??= [dir, realOf(dir)];
    for (const line of framesOf(thrown).slice(-longestFrames).split("\n")) {
      const place = line.length > longestLine ? undefined : placeIn(line, roots);
      if (place !== undefined) return place;
    }
    return undefined;
  };
}

/** What stands behind the message: lines of that may look like places, too. */
function framesOf({ stack, message }: Error): string {
  // In plain JavaScript they may be anything.
  if (typeof stack !== "string" || typeof message !== "string") return "";
  const at = stack.indexOf(message);
  return at === -1 ? stack : stack.slice(at + message.length);
}

// Each is linear in the line, which may be anybody's.
const frame = /^\s+at (?=\S)/;
const position = /:(\d+):(\d+)\)?$/;
const location = /(?:^| \()(?:async )?((?:file:|\/|[A-Za-z]:[\\/]).*)$/;

function placeIn(line: string, roots: readonly string[]): string | undefined {
  const start = frame.exec(line)?.[0].length;
  const end = position.exec(line);
  if (start === undefined || end === null) return undefined;
  const [, row, column] = end;
  const file = location.exec(line.slice(start, end.index))?.[1] ?? "";
  const path = file.startsWith("file:") ? pathOf(file) : file;
  if (path === undefined || !isAbsolute(path)) return undefined;
  const root = roots.find((folder) => isBelow(path, folder));
  if (root === undefined) return undefined;
  const parts = relative(root, path).split(sep);
  return parts.includes("node_modules") ? undefined : `${parts.join("/")}:${row}:${column}`;
}

/** Modules are imported from where a linked folder really is. */
function realOf(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return dir;
  }
}

/** Without the version that stands behind it. */
function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
