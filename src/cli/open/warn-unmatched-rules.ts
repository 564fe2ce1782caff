import { type Workspace, mayBelongToServer } from "../../app/index.ts";
import { unmatchedRule, defaultSources } from "../../engine/index.ts";
import { hasErrors } from "../../text/index.ts";
import { toOneLine } from "../terminal/format-table.ts";
import { type Invocation, commandLine } from "../program/invocation.ts";
import { logWrapped } from "../terminal/log-wrapped.ts";

const maxListed = 3;

/** Warns about `deny` and `ask` rules that match no tool: their author assumes that something is protected. */
export function warnUnmatchedRules(workspace: Workspace, invocation: Invocation): void {
  const rules = unguardingRules(workspace);
  // A tool that a rule names may be in a broken file.
  if (rules.length === 0 || hasErrors(workspace.problems())) return;
  const { terminal } = invocation;
  const named = rules.slice(0, maxListed).map(toOneLine).join(", ") + (rules.length > maxListed ? ", …" : "");
  const which = rules.length === 1 ? "this permission rule matches" : "these permission rules match";
  const message = `${which} no tool: ${named}; for details: ${commandLine(invocation, "validate")}`;
  logWrapped(message, terminal, { lead: `${terminal.tint("yellow", "warning:")} ` });
}

function unguardingRules({ config, engine, chains, sources }: Workspace): string[] {
  const { deny = [], ask = [] } = config.permissions;
  let names: ReadonlySet<string> | undefined;
  const subjects = {
    tools: (): ReadonlySet<string> => (names ??= new Set([...engine.tools.names(), ...chains.names()])),
    sources: (): ReadonlySet<string> => new Set(defaultSources),
  };
  return [...new Set([...deny, ...ask])].flatMap((rule) => {
    const found = unmatchedRule(rule, subjects);
    if (found === undefined || mayBelongToServer(sources.mcp, found.name)) return [];
    return [found.near === undefined ? `"${rule}"` : `"${rule}" (did you mean "${found.near}"?)`];
  });
}
