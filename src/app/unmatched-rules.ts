import type { AnyTool } from "../tool/index.ts";
import { type Problem, type YamlPath, parseYaml, suggest } from "../text/index.ts";
import { workspaceFile } from "./find-workspace.ts";
import type { Settings } from "./read-settings.ts";

/** A name that the settings use for a tool. */
interface Named {
  readonly name: string;
  readonly path: YamlPath;
  /** What else could have been meant there. */
  readonly words: readonly string[];
}

/**
 * Warns about permission rules and lists of tools that name a tool which does not exist: a slip in `deny` denies
 * nothing. `tools` is asked only where there is something to look up.
 */
export function unmatchedRules(
  { config, source }: Settings,
  tools: () => readonly Pick<AnyTool, "name" | "aliases">[],
): Problem[] {
  const named = namesIn(config);
  if (named.length === 0) return [];
  const known = new Set(tools().flatMap(({ name, aliases }) => [name, ...aliases]));
  const unknown = named.filter(({ name }) => !known.has(name));
  if (unknown.length === 0) return [];
  const { locate } = parseYaml(source ?? "", { file: workspaceFile });
  return unknown.map(({ name, path, words }) => {
    const near = suggest(name, [...known, ...words]);
    return {
      severity: "warning",
      code: "unknown_tool",
      message: `there is no tool "${name}"`,
      hint: near === undefined ? "windlass tools lists the names" : `did you mean "${near}"?`,
      file: workspaceFile,
      ...locate(path),
    };
  });
}

function namesIn({ permissions, engine, chains }: Settings["config"]): Named[] {
  const rules = (["deny", "ask", "allow"] as const).flatMap((list) =>
    (permissions[list] ?? []).flatMap((rule, index): Named[] => {
      const name = nameInRule(rule);
      return name === undefined ? [] : [{ name, path: ["permissions", list, index], words: selectors }];
    }),
  );
  const list = (path: YamlPath, names: readonly string[]): Named[] =>
    names.map((name, index) => ({ name, path: [...path, index], words: [] }));
  return [
    ...rules,
    ...list(["engine", "enabled_tools"], engine.enabledTools),
    ...list(["engine", "disabled_tools"], engine.disabledTools),
    // What serves a capability may come later.
    ...list(["chains", "trusted"], chains.trusted).filter(({ name }) => !name.startsWith("capability:")),
  ];
}

const selectors = ["destructive", "effect:pure", "effect:read", "effect:idempotent", "effect:once"];

/** The one tool that a rule, `[caller:]selector`, is about; undefined where it selects by something else. */
function nameInRule(rule: string): string | undefined {
  const parts = rule.split(":");
  const name = parts.pop() ?? "";
  const other = name.includes("*") || name === "destructive" || parts.includes("effect") || parts.includes("source");
  return other ? undefined : name;
}
