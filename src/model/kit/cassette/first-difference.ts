import { formatPath } from "../../../base/index.ts";
import { isRecord } from "../../../schema/index.ts";

type Path = readonly (string | number)[];

/** What stands where a secret stood; it is like every text. */
const covered = "[redacted]";

/** Where two values in JSON form begin to differ, in words; undefined where they are alike. */
export function firstDifference(recorded: unknown, asked: unknown, path: Path = []): string | undefined {
  if (Array.isArray(recorded) && Array.isArray(asked)) return inLists(recorded, asked, path);
  if (isRecord(recorded) && isRecord(asked)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(asked)])) {
      const difference = firstDifference(own(recorded, name), own(asked, name), [...path, name]);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  if (recorded === asked) return undefined;
  if (typeof recorded === "string" && typeof asked === "string") return inTexts(recorded, asked, path);
  return told(path, show(recorded), show(asked));
}

function inLists(recorded: readonly unknown[], asked: readonly unknown[], path: Path): string | undefined {
  for (let at = 0; at < Math.max(recorded.length, asked.length); at++) {
    const difference = firstDifference(recorded[at], asked[at], [...path, at]);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function inTexts(recorded: string, asked: string, path: Path): string | undefined {
  if (isLike(recorded, asked)) return undefined;
  let at = 0;
  while (at < recorded.length && recorded[at] === asked[at]) at++;
  // Some of what is the same, so that one finds the place.
  const from = Math.max(0, at - 20);
  return told(path, show(recorded.slice(from), from > 0), show(asked.slice(from), from > 0));
}

/** Is this the text that was recorded, whatever its secrets were? */
function isLike(recorded: string, asked: string): boolean {
  const [first = "", ...rest] = recorded.split(covered);
  if (rest.length === 0 || !asked.startsWith(first)) return false;
  const last = rest.pop() ?? "";
  let at = first.length;
  for (const piece of rest) {
    const found = asked.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return asked.length - last.length >= at && asked.endsWith(last);
}

function told(path: Path, recorded: string, asked: string): string {
  return `${formatPath(path)} is ${asked}, recorded was ${recorded}`;
}

function show(value: unknown, isCut = false): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  const short = text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text;
  return isCut ? `…${short}` : short;
}

function own(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
