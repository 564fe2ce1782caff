import type { FailureError } from "../base/index.ts";
import { fileFailure } from "./file-reasons.ts";
import { showUserPath, showPath } from "./show-path.ts";

/** Maximum path length on Linux. */
const maxLength = 4096;

// oxlint-disable-next-line no-control-regex
const control = /[\0-\x1f\x7f-\x9f]/;

/** Names that Windows reserves for devices, with any extension. */
const device = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?$/i;

/** A path as its names, judged by its words alone. */
export interface ParsedPath {
  /** It starts at the top of the file system. */
  readonly absolute: boolean;
  readonly names: readonly string[];
}

/** Use of a path: to find something that exists, or to create something. */
export type PathUse = "find" | "make";

/** Why a path is rejected. */
type Objection = (use: PathUse) => FailureError;

/** A path that may be written in an odd way, and yet name something. */
export interface LenientPath extends ParsedPath {
  /** The last name, by index, that is invalid for a new file, and why; undefined if all are valid. */
  readonly odd: { readonly at: number; readonly objection: Objection } | undefined;
}

/**
 * Parses a path. Syntax that systems interpret differently is rejected on all of them, so that a workspace is portable:
 * backslashes, drives, `~`, streams (`a:b`), device names, a trailing dot or space, and invisible characters.
 */
export function parsePath(path: unknown): ParsedPath {
  const { odd, ...parts } = parsePathLeniently(path);
  if (odd !== undefined) throw odd.objection("make");
  return parts;
}

/** Takes a path apart, and refuses only what can name nothing. */
export function parsePathLeniently(path: unknown): LenientPath {
  if (typeof path !== "string") throw fileFailure("bad_path", "a path must be text");
  if (path.length > maxLength) throw fileFailure("bad_path", `a path may have at most ${maxLength} characters`);
  if (path.includes("\0") || !path.isWellFormed()) throw unreadable(path);
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) {
    throw fileFailure("traversal", `${quotePath(path)} goes up with ..; write the path without it`);
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
    const message = `${quotePath(path)} is written for Windows; write a relative path with / between names`;
    return () => fileFailure("absolute", message);
  }
  if (first && path.startsWith("~")) {
    const message = `${quotePath(path)}: ~ is not expanded; write a path inside the open folders`;
    return () => fileFailure("absolute", message);
  }
  if (showPath(name) !== name) return badName(path, "the name of a new file must not contain invisible characters");
  if (!device.test(name) && !/[. ]$/.test(name) && !name.includes(":")) return undefined;
  return badName(path, `the name ${JSON.stringify(showPath(name))} is not usable on every system; choose another`);
}

/** A reader is informed that the file does not exist; the rules for new names would not help. */
function badName(path: string, rule: string): Objection {
  const missing = `there is no ${quotePath(path)}`;
  const advice = "list its folder, and write the path as it is shown there";
  return (use) => fileFailure("bad_name", use === "find" ? `${missing}; ${advice}` : `${missing}, and ${rule}`);
}

function unreadable(path: string): FailureError {
  return fileFailure(
    "bad_path",
    `the path ${quotePath(path)} holds control characters or broken ones; write it without`,
  );
}

/** A path fit for a message. */
export function quotePath(path: string): string {
  const text = showUserPath(path);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text === "" ? '""' : text;
}
