import type { Ignore } from "ignore";

/** Longer files of rules are read up to here. */
export const rulesBytes = 262_144;

/** Names that the rules of a file match, as seen from its folder. */
export interface IgnoreRules {
  /** True: left out. False: kept, whatever outer rules say. Undefined: these rules say nothing. */
  verdict(path: string, isFolder: boolean): boolean | undefined;
  /** Does a rule match this path, or a folder it is in? */
  matches(path: string, isFolder: boolean): boolean;
}

const longestRule = 512;

/** Patterns in the language of .gitignore. The package that knows it loads with the first rules. */
export async function ignoreRules(lines: readonly string[]): Promise<IgnoreRules> {
  const { default: ignore } = await import("ignore");
  const rules: Ignore = ignore({ allowRelativePaths: false }).add(lines.filter(isCheap));
  return {
    matches: (path, isFolder) => rules.ignores(isFolder ? `${path}/` : path),
    verdict: (path, isFolder) => {
      const { ignored, unignored } = rules.test(isFolder ? `${path}/` : path);
      if (!ignored) return unignored ? false : undefined;
      // A folder that these rules leave out is entered only when inner rules keep it: then it passes nothing down.
      const parent = path.slice(0, path.lastIndexOf("/") + 1);
      return parent !== "" && rules.test(parent).ignored ? undefined : true;
    },
  };
}

/**
 * Rules become expressions that backtrack: with many stars in one name, a long name would take years. Nobody writes
 * such rules except to do harm, and one that is not applied only shows more files.
 */
function isCheap(line: string): boolean {
  if (line.length > longestRule) return false;
  if ((line.match(/\*\*/g) ?? []).length > 3) return false;
  return line.split("/").every((part) => (part.match(/\*+/g) ?? []).length <= 3);
}
