import { FailureError } from "../base/index.ts";
import type { ToolRegistry } from "../tool/index.ts";
import type { PermissionRules } from "./permissions.ts";
import { type RuleSubjects, unmatchedRule, usualSources } from "./unmatched-rule.ts";

/**
 * Refuses rules of `deny` and `ask` in which a word is misspelt: they would guard nothing. Tools may be registered later,
 * from any source, so a name that is only like another is warned about.
 */
export function checkRules({ deny = [], ask = [] }: PermissionRules, registry: ToolRegistry): void {
  const rules = [...deny, ...ask];
  if (rules.length === 0) return;
  const known: RuleSubjects = {
    tools: () => new Set(registry.names()),
    sources: () => new Set([...usualSources, ...registry.list().map(({ source }) => source)]),
  };
  for (const rule of rules) {
    const found = unmatchedRule(rule, known);
    if (found?.near === undefined) continue;
    const message = `the permission rule "${rule}" guards nothing: ${found.message}; did you mean "${found.near}"?`;
    if (found.misspelt === "word") throw new FailureError(message, { code: "file_invalid" });
    process.emitWarning(message, { type: "WindlassPermissionWarning" });
  }
}
