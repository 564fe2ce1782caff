import { type FileAccess, type IgnoreRules, ignoreRules } from "../../file/index.ts";

/** Hand-written rules are smaller than this. */
const maxRuleBytes = 262_144;

/**
 * True if a `.gitignore` of the vault excludes this path. A walk applies these rules itself; this is for single paths.
 */
export async function isGitIgnored(files: FileAccess, path: string): Promise<boolean> {
  const names = path.split("/");
  const levels: { readonly rules: IgnoreRules; readonly depth: number }[] = [];
  for (const depth of names.keys()) {
    const rules = await rulesIn(files, names.slice(0, depth));
    if (rules !== undefined) levels.unshift({ rules, depth });
    // The file nearest to the path takes precedence.
    const here = names.slice(0, depth + 1);
    const verdicts = levels.map((level) =>
      level.rules.verdict(here.slice(level.depth).join("/"), depth < names.length - 1),
    );
    if (verdicts.find((verdict) => verdict !== undefined) === true) return true;
  }
  return false;
}

async function rulesIn(files: FileAccess, folder: readonly string[]): Promise<IgnoreRules | undefined> {
  try {
    const { bytes } = await files.read([...folder, ".gitignore"].join("/"), { maxBytes: maxRuleBytes });
    return await ignoreRules(bytes.toString("utf8").split(/\r?\n/));
  } catch {
    return undefined;
  }
}
