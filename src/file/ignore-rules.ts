import type { Ignore } from "ignore";

/** Longer files of rules are read up to here. */
export const maxIgnoreFileBytes = 262_144;

/** Names that the rules of a file match, as seen from its folder. */
export interface IgnoreRules {
  /** True: ignored. False: included, regardless of outer rules. Undefined: no rule matches. */
  verdict(path: string, isFolder: boolean): boolean | undefined;
  /** True if a rule matches this path, or a folder that contains it. */
  matches(path: string, isFolder: boolean): boolean;
}

const maxRuleLength = 512;

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
 * Rules become regular expressions that backtrack: with many stars in one name, a long name would take years. Such
 * rules are only written maliciously, and skipping one only shows more files.
 */
function isCheap(line: string): boolean {
  if (line.length > maxRuleLength) return false;
  if ((line.match(/\*\*/g) ?? []).length > 3) return false;
  return line.split("/").every((part) => (part.match(/\*+/g) ?? []).length <= 3);
}
