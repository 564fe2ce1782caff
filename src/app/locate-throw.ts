import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isInsideFolder, orElse } from "../base/index.ts";
import type { LocateThrow } from "../engine/index.ts";

/**
 * Maximum length of the end of the stack that is searched: a message that was changed later is unknown here, and may be
 * a whole page.
 */
const maxFramesLength = 20_000;
/** No path is as long as this. */
const maxLineLength = 5000;

/**
 * Finds the first position in an error's stack that is in a folder and not in a package: `tools/boom.ts:2:9`, relative
 * to the folder, so that it reveals nothing about the machine.
 */
export function createThrowLocator(dir: string): LocateThrow {
  let roots: readonly string[] | undefined;
  return (thrown) => {
    // Modules are imported from the real path of a linked folder.
    roots ??= [dir, orElse(() => realpathSync(dir), dir)];
    for (const line of framesOf(thrown).slice(-maxFramesLength).split("\n")) {
      const position = line.length > maxLineLength ? undefined : positionInFrame(line, roots);
      if (position !== undefined) return position;
    }
    return undefined;
  };
}

/** The stack after the message, whose lines may look like stack frames, too. */
function framesOf({ stack, message }: Error): string {
  // In plain JavaScript these may have any type.
  if (typeof stack !== "string" || typeof message !== "string") return "";
  const at = stack.indexOf(message);
  return at === -1 ? stack : stack.slice(at + message.length);
}

// Each pattern is linear in the length of the line, which may be untrusted.
const frame = /^\s+at (?=\S)/;
const position = /:(\d+):(\d+)\)?$/;
const location = /(?:^| \()(?:async )?((?:file:|\/|[A-Za-z]:[\\/]).*)$/;

function positionInFrame(line: string, roots: readonly string[]): string | undefined {
  const start = frame.exec(line)?.[0].length;
  const end = position.exec(line);
  if (start === undefined || end === null) return undefined;
  const [, row, column] = end;
  const file = location.exec(line.slice(start, end.index))?.[1] ?? "";
  // Without the version query.
  const path = file.startsWith("file:") ? orElse(() => fileURLToPath(file), undefined) : file;
  if (path === undefined || !isAbsolute(path)) return undefined;
  const root = roots.find((folder) => isInsideFolder(path, folder));
  if (root === undefined) return undefined;
  const parts = relative(root, path).split(sep);
  return parts.includes("node_modules") ? undefined : `${parts.join("/")}:${row}:${column}`;
}
