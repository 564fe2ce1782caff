import type { FailureError } from "../base/index.ts";
import { refuseFile } from "./file-reasons.ts";
import { showGivenPath, showPath } from "./show-path.ts";

/** The longest path that Linux takes. */
const longest = 4096;

// oxlint-disable-next-line no-control-regex
const control = /[\0-\x1f\x7f-\x9f]/;

/** Names that Windows keeps for devices, with whatever ending. */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?$/i;

/** A path as its names, judged by its words alone. */
export interface PathParts {
  /** It starts at the top of the file system. */
  readonly absolute: boolean;
  readonly names: readonly string[];
}

/** A path that may be written in an odd way, and yet name something. */
export interface ReadPath extends PathParts {
  /** The last of its names, by its place, that no new file may have, and why; undefined where all are fit. */
  readonly odd: { readonly at: number; readonly objection: FailureError } | undefined;
}

/**
 * Takes a path apart. What different systems would read differently is refused on all of them, so that a workspace
 * means the same everywhere: backslashes, drives, `~`, streams (`a:b`), device names, a trailing dot or space, and
 * characters that nobody sees.
 */
export function pathParts(path: unknown): PathParts {
  const { odd, ...parts } = readPath(path);
  if (odd !== undefined) throw odd.objection;
  return parts;
}

/** Takes a path apart, and refuses only what can name nothing. */
export function readPath(path: unknown): ReadPath {
  if (typeof path !== "string") throw refuseFile("bad_path", "a path must be text");
  if (path.length > longest) throw refuseFile("bad_path", `a path may have at most ${longest} characters`);
  if (path.includes("\0") || !path.isWellFormed()) throw unreadable(path);
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) {
    throw refuseFile("traversal", `${shown(path)} goes up with ..; write the path without it`);
  }
  const objections = names.map((name, at) => objectionTo(name, { path, first: at === 0 }));
  const at = objections.findLastIndex((one) => one !== undefined);
  const objection = objections[at];
  return { absolute: path.startsWith("/"), names, odd: objection && { at, objection } };
}

function objectionTo(
  name: string,
  { path, first }: { readonly path: string; readonly first: boolean },
): FailureError | undefined {
  if (control.test(name)) return unreadable(path);
  if (name.includes("\\") || (first && /^[a-z]:/i.test(path))) {
    return refuseFile("absolute", `${shown(path)} is written for Windows; write a relative path with / between names`);
  }
  if (first && path.startsWith("~")) {
    return refuseFile("absolute", `${shown(path)}: ~ is not expanded; write a path inside the open folders`);
  }
  if (showPath(name) !== name) {
    const message = `there is no ${shown(path)}, and a new file may have no name with characters that nobody sees`;
    return refuseFile("bad_name", message);
  }
  if (!device.test(name) && !/[. ]$/.test(name) && !name.includes(":")) return undefined;
  const message = `${shown(path)}: the name ${JSON.stringify(showPath(name))} is not usable on every system; choose another`;
  return refuseFile("bad_name", message);
}

function unreadable(path: string): FailureError {
  return refuseFile("bad_path", `the path ${shown(path)} holds control characters or broken ones; write it without`);
}

/** A path fit for a message. */
export function shown(path: string): string {
  const text = showGivenPath(path);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text === "" ? '""' : text;
}
