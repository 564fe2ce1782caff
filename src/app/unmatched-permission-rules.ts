import { type UnmatchedRule, unmatchedRule, usualSources } from "../engine/index.ts";
import { type Problem, parseYaml } from "../text/index.ts";
import { workspaceFile } from "./find-workspace.ts";
import type { Settings } from "./read-settings.ts";

/** What guards are held against. */
export interface GuardedTools {
  /** All names of tools. Asked only where a rule has a name. */
  readonly names: () => Iterable<string>;
}

/**
 * Tells of rules of `deny` and `ask` that are about nothing, and so guard nothing. An error where a word or
 * a source is misspelt. A name is a warning: its tool may come later, from a server or from code.
 */
export function unmatchedGuards({ config, source }: Settings, { names }: GuardedTools): Problem[] {
  let known: ReadonlySet<string> | undefined;
  const subjects = {
    tools: (): ReadonlySet<string> => (known ??= new Set(names())),
    sources: (): ReadonlySet<string> => new Set(usualSources),
  };
  const unmatched = (["deny", "ask"] as const).flatMap((list) =>
    (config.permissions[list] ?? []).flatMap((rule, index) => {
      const found = unmatchedRule(rule, subjects);
      return found === undefined ? [] : [{ found, path: ["permissions", list, index] }];
    }),
  );
  if (unmatched.length === 0) return [];
  const { locate } = parseYaml(source ?? "", { file: workspaceFile });
  return unmatched.map(({ found, path }) => ({
    ...told(found),
    code: "unknown_tool",
    file: workspaceFile,
    ...locate(path),
  }));
}

function told({ message, near, misspelt }: UnmatchedRule): Pick<Problem, "severity" | "message" | "hint"> {
  const hint = near === undefined ? "windlass tools lists the names" : `did you mean "${near}"?`;
  const severity = misspelt === undefined ? "warning" : "error";
  return { severity, message: `${message}, and so this rule guards nothing`, hint };
}
