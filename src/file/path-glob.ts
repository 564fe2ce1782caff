/** True if a path matches a pattern. */
export type PathGlob = (path: string) => boolean;

const maxPatternLength = 512;
const maxStars = 8;

/**
 * Parses a pattern for paths: `*` and `?` within a name, `**` for any folders. A pattern without a slash matches names
 * in any folder; the name of a folder matches everything in it. Undefined if it is invalid.
 */
export function readPathGlob(pattern: string): PathGlob | undefined {
  const trimmed = pattern.trim().replace(/^(?:\.?\/)+/u, "");
  const bare = trimmed.replace(/\/+$/u, "");
  if (bare === "" || bare.length > maxPatternLength || bare.split("/").includes("..")) return undefined;
  const parts = bare.split("/");
  if (parts.some((part) => part !== "**" && (part.match(/\*/gu)?.length ?? 0) > maxStars)) return undefined;
  if (parts.filter((part) => part === "**").length > maxStars) return undefined;
  const anywhere = parts.length === 1 && bare === trimmed ? ["**", ...parts] : parts;
  return (path) => {
    const names = path.split("/");
    // A matching folder includes its content.
    return names.some((_, index) => matchesAll(names.slice(0, index + 1), anywhere));
  };
}

/** Compares every name with every part at most once. */
function matchesAll(names: readonly string[], parts: readonly string[]): boolean {
  let open = new Set([0]);
  for (const name of names) {
    const next = new Set<number>();
    for (const at of reached(open, parts)) {
      const part = parts[at];
      if (part === undefined) continue;
      if (part === "**") next.add(at);
      else if (matchesName(name, part)) next.add(at + 1);
    }
    open = next;
    if (open.size === 0) return false;
  }
  return reached(open, parts).has(parts.length);
}

/** Adds the positions after `**`, which may match nothing. */
function reached(open: ReadonlySet<number>, parts: readonly string[]): Set<number> {
  const all = new Set(open);
  for (const at of all) if (parts[at] === "**") all.add(at + 1);
  return all;
}

/** Greedy with one backtracking point, so the time is at most the product of both lengths. */
function matchesName(name: string, part: string): boolean {
  let [at, partAt, star, back] = [0, 0, -1, 0];
  while (at < name.length) {
    if (part[partAt] === "*") {
      star = partAt++;
      back = at;
    } else if (part[partAt] === "?" || part[partAt] === name[at]) {
      partAt++;
      at++;
    } else if (star === -1) {
      return false;
    } else {
      partAt = star + 1;
      at = ++back;
    }
  }
  while (part[partAt] === "*") partAt++;
  return partAt === part.length;
}
