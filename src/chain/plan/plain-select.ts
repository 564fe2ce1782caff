import type { ViewStep } from "./value-view.ts";

/** For ASCII paths, which most are: the character classes for letters of all scripts are slow to build. */
const asciiName = /\.([A-Za-z_]\w*)/y;
const quoted = /\[\s*(?:'([^'\\]*)'|"([^"\\]*)")\s*\]/y;
const index = /\[\s*(-?\d{1,9})\s*\]/y;
const all = /\[\s*\*\s*\]|\.\*/y;

/** The steps of a JSONPath of names, indexes and `[*]`; undefined for any other path, which is not followed. */
export function readPlainSelect(path: string): readonly ViewStep[] | undefined {
  if (!path.startsWith("$")) return undefined;
  const steps: ViewStep[] = [];
  // oxlint-disable-next-line no-control-regex
  const name = /^[\x00-\x7f]*$/.test(path) ? asciiName : /\.([\p{L}_][\p{L}\p{N}_]*)/uy;
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
