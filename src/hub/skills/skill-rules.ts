import { suggestEnding } from "../../text/index.ts";
import type { AllowedTool, Skill } from "./skill.ts";

/** An entry of `allowed-tools` that allows nothing here. */
export interface IgnoredTool {
  readonly tool: AllowedTool;
  readonly why: string;
}

/** The `allowed-tools` of a skill as permission rules. */
export interface SkillRules {
  /** Permission rules, such as `model:read_file`; each names a tool, or all tools of one server. */
  readonly allow: readonly string[];
  readonly ignored: readonly IgnoredTool[];
}

/** Tools that an entry of `allowed-tools` may name. */
export interface AllowableTools {
  resolve(name: string): { readonly tool: { readonly name: string } } | undefined;
  names(): Iterable<string>;
}

/** Our names for tools of other agents. Only tools that do no more than the ones they replace. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ["Read", "read_file"],
  ["Write", "write_file"],
  ["Edit", "edit_file"],
  ["MultiEdit", "edit_file"],
  ["LS", "list_dir"],
  ["Glob", "list_dir"],
  ["Grep", "search_files"],
  ["WebFetch", "web_fetch"],
  ["WebSearch", "web_search"],
  ["Skill", "skill"],
]);

/** Tools that rules cannot name, because the word has another meaning in rules. */
const reservedRuleWords: ReadonlySet<string> = new Set(["destructive"]);

/**
 * Converts the `allowed-tools` of a skill to permission rules. A rule never allows more than the skill requests: an
 * entry that limits the arguments of a tool (`Bash(git:*)`) allows nothing, since rules cannot restrict arguments, and
 * `*` stands for the tools of one server at most.
 *
 * The rules decide nothing by themselves. A caller applies them to calls of a model, in a conversation that loaded the
 * skill, if the workspace trusts its skills, and only if its own rules say `ask`: never against a `deny`.
 *
 * @example
 * ```ts
 * skillRules(skill, registry); // { allow: ["model:read_file"], ignored: [{ tool: { text: "Bash(git:*)", … }, why: … }] }
 * ```
 */
export function skillRules({ allowedTools }: Pick<Skill, "allowedTools">, tools: AllowableTools): SkillRules {
  const allow = new Set<string>();
  const ignored: IgnoredTool[] = [];
  for (const tool of allowedTools) {
    const found = selectorOf(tool, tools);
    if ("why" in found) ignored.push({ tool, why: found.why });
    else allow.add(`model:${found.selector}`);
  }
  return { allow: [...allow], ignored };
}

type RuleMatch = { readonly selector: string } | { readonly why: string };

function selectorOf({ name, argument }: AllowedTool, tools: AllowableTools): RuleMatch {
  if (name === "Skill" && argument !== undefined) return exactly(`skills/${argument}`, tools);
  if (argument !== undefined && !/^:?\*+$/.test(argument)) {
    return { why: `rules cannot restrict the arguments of a call to "${argument}"` };
  }
  const server = /^mcp__([\w.-]+?)(?:__(.+))?$/.exec(name);
  if (server !== null) return ofServer(server[1] ?? "", server[2] ?? "*", tools);
  const [owner = "", own] = name.split("/");
  if (own === "*") return ofServer(owner, own, tools);
  if (name.includes("*")) return { why: "it matches tools that are not named; name each of them" };
  return exactly(name, tools);
}

function exactly(name: string, tools: AllowableTools): RuleMatch {
  const found = tools.resolve(name) ?? tools.resolve(elsewhere.get(name) ?? "");
  if (found === undefined) {
    return { why: `there is no such tool here${suggestEnding(name, tools.names())}` };
  }
  // The name that the tool has itself: an alias may belong to another one tomorrow.
  const { name: selector } = found.tool;
  return reservedRuleWords.has(selector) ? { why: "rules cannot name this tool" } : { selector };
}

function ofServer(server: string, tool: string, tools: AllowableTools): RuleMatch {
  if (tool !== "*") return exactly(`${server}/${tool}`, tools);
  for (const name of tools.names()) if (name.startsWith(`${server}/`)) return { selector: `${server}/*` };
  return { why: `there is no server "${server}" here` };
}
