import { type Workspace, mayBeOfServer } from "../app/index.ts";
import { unmatchedRule, usualSources } from "../engine/index.ts";
import { hasErrors } from "../text/index.ts";
import { oneLine } from "./format-table.ts";
import { type Invocation, commandLine } from "./invocation.ts";
import { tellWrapped } from "./tell-wrapped.ts";

const mostNamed = 3;

/** Tells which rules of `deny` and `ask` are about no tool: whoever wrote them takes something for guarded. */
export function tellUnguarded(workspace: Workspace, invocation: Invocation): void {
  const rules = unguardingRules(workspace);
  // A tool that a rule names may be in a file that is broken.
  if (rules.length === 0 || hasErrors(workspace.problems())) return;
  const { terminal } = invocation;
  const named = rules.slice(0, mostNamed).map(oneLine).join(", ") + (rules.length > mostNamed ? ", …" : "");
  const which = rules.length === 1 ? "this permission rule guards" : "these permission rules guard";
  const what = `${which} nothing, for want of such a tool: ${named}; ${commandLine(invocation, "validate")} shows where`;
  tellWrapped(what, terminal, { lead: `${terminal.tint("yellow", "warning:")} ` });
}

function unguardingRules({ config, engine, chains, sources }: Workspace): string[] {
  const { deny = [], ask = [] } = config.permissions;
  let names: ReadonlySet<string> | undefined;
  const subjects = {
    tools: (): ReadonlySet<string> => (names ??= new Set([...engine.tools.names(), ...chains.names()])),
    sources: (): ReadonlySet<string> => new Set(usualSources),
  };
  return [...new Set([...deny, ...ask])].flatMap((rule) => {
    const found = unmatchedRule(rule, subjects);
    if (found === undefined || mayBeOfServer(sources.mcp, found.name)) return [];
    return [found.near === undefined ? `"${rule}"` : `"${rule}" (did you mean "${found.near}"?)`];
  });
}
