import { showUnsafe } from "../text/index.ts";
import { refuseFile } from "./file-reasons.ts";

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

/**
 * Takes a path apart. What different systems would read differently is refused on all of them, so that a workspace
 * means the same everywhere: backslashes, drives, `~`, streams (`a:b`), device names, a trailing dot or space.
 */
export function pathParts(path: unknown): PathParts {
  if (typeof path !== "string") throw refuseFile("bad_path", "a path must be text");
  if (path.length > longest) throw refuseFile("bad_path", `a path may have at most ${longest} characters`);
  if (control.test(path) || !path.isWellFormed()) {
    throw refuseFile("bad_path", `the path ${shown(path)} holds control characters or broken ones; write it without`);
  }
  if (path.includes("\\") || /^[a-z]:/i.test(path)) {
    throw refuseFile("absolute", `${shown(path)} is written for Windows; write a relative path with / between names`);
  }
  if (path.startsWith("~")) {
    throw refuseFile("absolute", `${shown(path)}: ~ is not expanded; write a path inside the open folders`);
  }
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  for (const name of names) checkName(name, path);
  return { absolute: path.startsWith("/"), names };
}

function checkName(name: string, path: string): void {
  if (name === "..") throw refuseFile("traversal", `${shown(path)} goes up with ..; write the path without it`);
  if (device.test(name) || /[. ]$/.test(name) || name.includes(":")) {
    const message = `${shown(path)}: the name ${JSON.stringify(name)} is not usable on every system; choose another`;
    throw refuseFile("bad_name", message);
  }
}

/** A path fit for a message. */
export function shown(path: string): string {
  const text = showUnsafe(path);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text === "" ? '""' : text;
}
