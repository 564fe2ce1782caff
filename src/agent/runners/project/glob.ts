/** Does a path match a pattern? */
export type Glob = (path: string) => boolean;

const longestPattern = 512;
const mostStars = 8;

/**
 * Reads a pattern for paths: `*` and `?` within a name, `**` for any folders. One without a slash is for names in any
 * folder; the name of a folder stands for everything in it. Undefined where it makes no sense.
 */
export function readGlob(pattern: string): Glob | undefined {
  const trimmed = pattern.trim().replace(/^(?:\.?\/)+/u, "");
  const bare = trimmed.replace(/\/+$/u, "");
  if (bare === "" || bare.length > longestPattern || bare.split("/").includes("..")) return undefined;
  const parts = bare.split("/");
  if (parts.some((part) => part !== "**" && (part.match(/\*/gu)?.length ?? 0) > mostStars)) return undefined;
  if (parts.filter((part) => part === "**").length > mostStars) return undefined;
  const anywhere = parts.length === 1 && bare === trimmed ? ["**", ...parts] : parts;
  return (path) => {
    const names = path.split("/");
    // A folder that matches stands for what is in it.
    return names.some((_, index) => matchesAll(names.slice(0, index + 1), anywhere));
  };
}

/** Every name is compared with every part once at most. */
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

/** Also the places behind `**`, which may stand for nothing. */
function reached(open: ReadonlySet<number>, parts: readonly string[]): Set<number> {
  const all = new Set(open);
  for (const at of all) if (parts[at] === "**") all.add(at + 1);
  return all;
}

/** Greedy with one way back, so the time is the product of both lengths at most. */
function matchesName(name: string, part: string): boolean {
  let [at, place, star, back] = [0, 0, -1, 0];
  while (at < name.length) {
    if (part[place] === "*") {
      star = place++;
      back = at;
    } else if (part[place] === "?" || part[place] === name[at]) {
      place++;
      at++;
    } else if (star === -1) {
      return false;
    } else {
      place = star + 1;
      at = ++back;
    }
  }
  while (part[place] === "*") place++;
  return place === part.length;
}
