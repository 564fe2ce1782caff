/** What one call may work on and make, so that it ends within a second and fits into a result. */
export const dataLimits = {
  /** Characters of a text that goes in. */
  textIn: 1_000_000,
  /** Characters of JSON or CSV text that goes in. */
  jsonIn: 2_000_000,
  /** Characters that come out, about. */
  out: 4_000_000,
  /** Values inside of JSON data. */
  nodes: 200_000,
  /** Different keys of what a tool gives: JavaScript keeps each of them once, which takes longest of all. */
  keys: 50_000,
  /** Levels of JSON data. */
  depth: 100,
  /** Parts of a path. */
  pathParts: 64,
  /** Items of a list of findings; what is more is cut and marked. */
  items: 10_000,
  /** Steps for finding one place that matches: the size of the pattern times that of the text. */
  matchSteps: 30_000_000,
  /** Milliseconds for finding all places that match a pattern. */
  matchMs: 1_000,
} as const;
