/** Rules of a robots.txt for one program. */
export interface RobotsRules {
  /** True if this path, with its query, may be fetched. */
  allows(path: string): boolean;
  /** Delay between requests that the site requires, in milliseconds. */
  readonly delayMs: number | undefined;
}

interface Rule {
  readonly allow: boolean;
  /** The pieces between the stars; each is found after the one before it. */
  readonly pieces: readonly string[];
  /** The path ends with the last piece. */
  readonly whole: boolean;
  /** The longer the pattern, the more it counts. */
  readonly length: number;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  delayMs: number | undefined;
}

/** No restrictions. */
export const noRules: RobotsRules = { allows: () => true, delayMs: undefined };

/** The rest of a longer file is ignored: RFC 9309 requires at least 500 KiB. */
const maxCharacters = 512 * 1024;
const maxRules = 20_000;
/** No site needs a longer pattern or more stars; the rule is ignored. */
const maxPatternLength = 2048;
const maxLineLength = 4096;
/** Only the beginning of a longer path is compared: comparing all of it with thousands of rules would take too long. */
const maxPathLength = 4096;
const maxStars = 32;

/**
 * Reads a robots.txt (RFC 9309) for a program with this name: the groups that name it, else the default groups. The
 * longest pattern that matches a path decides, and `Allow` if two have the same length.
 *
 * @example
 * ```ts
 * const rules = parseRobots("User-agent: *\nDisallow: /private/", "windlass");
 * rules.allows("/private/diary.html"); // false
 * ```
 */
export function parseRobots(text: string, agent: string): RobotsRules {
  const groups = chooseGroups(readGroups(beginningOf(text)), agent.toLowerCase());
  const rules = groups.flatMap((group) => group.rules);
  const delayMs = groups.find((group) => group.delayMs !== undefined)?.delayMs;
  if (rules.length === 0) return { ...noRules, delayMs };
  return { allows: (path) => decide(rules, path), delayMs };
}

/** As many whole lines as are read: half of a pattern may mean something else. */
function beginningOf(text: string): string {
  return text.length <= maxCharacters ? text : text.slice(0, text.lastIndexOf("\n", maxCharacters) + 1);
}

function readGroups(text: string): Group[] {
  const groups: Group[] = [];
  let naming = false;
  let rules = 0;
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n?|\n/)) {
    const [message = ""] = line.split("#", 1);
    if (message.length > maxLineLength) continue;
    const [, name = "", value = ""] = /^\s*([a-z-]{1,40})\s*:(.*)$/i.exec(message) ?? [];
    const key = name.toLowerCase();
    if (key === "user-agent") {
      if (!naming) groups.push({ agents: [], rules: [], delayMs: undefined });
      groups.at(-1)?.agents.push(value.trim().toLowerCase());
      naming = true;
      continue;
    }
    if (!known.has(key)) continue;
    naming = false;
    if (++rules > maxRules) break;
    addLine(groups.at(-1), key, value.trim());
  }
  return groups;
}

/** Other lines, such as `Sitemap`, belong to no group and end none. */
const known: ReadonlySet<string> = new Set(["allow", "disallow", "crawl-delay"]);

function addLine(group: Group | undefined, key: string, value: string): void {
  if (group === undefined) return;
  if (key === "crawl-delay") {
    const seconds = /^\d{1,9}(?:\.\d{1,9})?$/.test(value) ? Number(value) : undefined;
    if (seconds !== undefined) group.delayMs ??= seconds * 1000;
    return;
  }
  const rule = toRule(key === "allow", value);
  if (rule !== undefined) group.rules.push(rule);
}

/** An empty pattern is ignored. */
function toRule(allow: boolean, pattern: string): Rule | undefined {
  if (pattern === "" || pattern.length > maxPatternLength) return undefined;
  const whole = pattern.endsWith("$");
  const body = normalise(whole ? pattern.slice(0, -1) : pattern).replaceAll(/\*+/g, "*");
  const pieces = body.split("*");
  if (pieces.length > maxStars) return undefined;
  return { allow, pieces, whole, length: body.length + (whole ? 1 : 0) };
}

/** All groups that name us together; else the default groups. */
function chooseGroups(groups: readonly Group[], agent: string): readonly Group[] {
  const names = new Set(groups.flatMap((group) => group.agents));
  // Many sites write a version after the name, which is ignored.
  const ours = [...names].filter((name) => name !== "*" && (/^[a-z_-]+/.exec(name)?.[0] ?? "") === agent);
  const requested = ours.length > 0 ? new Set(ours) : new Set(["*"]);
  return groups.filter((group) => group.agents.some((name) => requested.has(name)));
}

function decide(rules: readonly Rule[], request: string): boolean {
  const path = normalise(request.slice(0, maxPathLength));
  let best: Rule | undefined;
  for (const rule of rules) {
    if (best !== undefined && !outweighs(rule, best)) continue;
    if (fits(rule, path)) best = rule;
  }
  return best?.allow ?? true;
}

function outweighs(rule: Rule, other: Rule): boolean {
  return rule.length > other.length || (rule.length === other.length && rule.allow && !other.allow);
}

/** Matches each piece at its earliest position: with stars in between, a later one could not match better. */
function fits({ pieces, whole }: Rule, path: string): boolean {
  const [first = "", ...rest] = pieces;
  if (!path.startsWith(first)) return false;
  if (rest.length === 0) return !whole || path.length === first.length;
  let at = first.length;
  const last = whole ? rest.pop() : undefined;
  for (const piece of rest) {
    const found = path.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return last === undefined || (path.length - last.length >= at && path.endsWith(last));
}

/** Normalizes escapes: unneeded ones are decoded, the rest is escaped. */
function normalise(path: string): string {
  return path
    .replaceAll(/[^\x20-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()))
    .replaceAll(/%([0-9a-f]{2})/gi, (escape, digits: string) => {
      const character = String.fromCharCode(Number.parseInt(digits, 16));
      return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
    });
}
