import type { ViewStep } from "./value-view.ts";

const name = /\.([\p{L}_][\p{L}\p{N}_]*)/uy;
const quoted = /\[\s*(?:'([^'\\]*)'|"([^"\\]*)")\s*\]/y;
const index = /\[\s*(-?\d{1,9})\s*\]/y;
const all = /\[\s*\*\s*\]|\.\*/y;

/** The steps of a JSONPath of names, indexes and `[*]`; undefined for any other path, which is not followed. */
export function readPlainSelect(path: string): readonly ViewStep[] | undefined {
  if (!path.startsWith("$")) return undefined;
  const steps: ViewStep[] = [];
  let at = 1;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(path);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  while (at < path.length) {
    const named = take(name) ?? take(quoted);
    const numbered = named === null ? take(index) : null;
    if (named !== null) steps.push(named[1] ?? named[2] ?? "");
    else if (numbered !== null) steps.push(Number(numbered[1]));
    else if (take(all) !== null) steps.push({ kind: "each" });
    else return undefined;
  }
  return steps;
}
