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

/** What a path is for: something that has to be there, or something that may be made. */
export type PathUse = "find" | "make";

/** Why nothing is done with a path. */
type Objection = (use: PathUse) => FailureError;

/** A path that may be written in an odd way, and yet name something. */
export interface ReadPath extends PathParts {
  /** The last of its names, by its place, that no new file may have, and why; undefined where all are fit. */
  readonly odd: { readonly at: number; readonly objection: Objection } | undefined;
}

/**
 * Takes a path apart. What different systems would read differently is refused on all of them, so that a workspace
 * means the same everywhere: backslashes, drives, `~`, streams (`a:b`), device names, a trailing dot or space, and
 * characters that nobody sees.
 */
export function pathParts(path: unknown): PathParts {
  const { odd, ...parts } = readPath(path);
  if (odd !== undefined) throw odd.objection("make");
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
): Objection | undefined {
  if (control.test(name)) return () => unreadable(path);
  if (name.includes("\\") || (first && /^[a-z]:/i.test(path))) {
    const message = `${shown(path)} is written for Windows; write a relative path with / between names`;
    return () => refuseFile("absolute", message);
  }
  if (first && path.startsWith("~")) {
    const message = `${shown(path)}: ~ is not expanded; write a path inside the open folders`;
    return () => refuseFile("absolute", message);
  }
  if (showPath(name) !== name) return badName(path, "a new file may have no name with characters that nobody sees");
  if (!device.test(name) && !/[. ]$/.test(name) && !name.includes(":")) return undefined;
  return badName(path, `the name ${JSON.stringify(showPath(name))} is not usable on every system; choose another`);
}

/** Whoever looks for a file is told that it is not there; how a new one may be called is of no use to them. */
function badName(path: string, rule: string): Objection {
  const missing = `there is no ${shown(path)}`;
  const advice = "list its folder, and write the path as it is shown there";
  return (use) => refuseFile("bad_name", use === "find" ? `${missing}; ${advice}` : `${missing}, and ${rule}`);
}

function unreadable(path: string): FailureError {
  return refuseFile("bad_path", `the path ${shown(path)} holds control characters or broken ones; write it without`);
}

/** A path fit for a message. */
export function shown(path: string): string {
  const text = showGivenPath(path);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text === "" ? '""' : text;
}
