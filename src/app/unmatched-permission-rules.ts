import { cliCommand } from "../base/index.ts";
import { type UnmatchedRule, unmatchedRule, defaultSources } from "../engine/index.ts";
import { type Problem, parseYaml } from "../text/index.ts";
import { workspaceFile } from "./find-workspace.ts";
import type { Settings } from "./read-settings.ts";

/**
 * Reports rules of `deny` and `ask` that match nothing. An error if a word or a source is misspelled. An unknown name is
 * a warning: its tool may come later, from a server or from code. `names` is called only if a rule has a name.
 */
export function unmatchedPermissionRules({ config, source }: Settings, names: () => Iterable<string>): Problem[] {
  let known: ReadonlySet<string> | undefined;
  const subjects = {
    tools: (): ReadonlySet<string> => (known ??= new Set(names())),
    sources: (): ReadonlySet<string> => new Set(defaultSources),
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
    ...unmatchedRuleMessage(found),
    code: "unknown_tool",
    file: workspaceFile,
    ...locate(path),
  }));
}

function unmatchedRuleMessage({
  message,
  near,
  misspelt,
}: UnmatchedRule): Pick<Problem, "severity" | "message" | "hint"> {
  const hint = near === undefined ? `${cliCommand("tools")} lists the names` : `did you mean "${near}"?`;
  const severity = misspelt === undefined ? "warning" : "error";
  return { severity, message: `${message}, so this rule matches nothing`, hint };
}
