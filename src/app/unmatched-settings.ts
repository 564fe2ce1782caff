import { cliCommand } from "../base/index.ts";
import { selectorWords, toolInRule } from "../engine/index.ts";
import { type Hub, suggestCapability } from "../hub/index.ts";
import type { AnyTool } from "../tool/index.ts";
import { type Problem, type YamlPath, parseYaml, suggestHint, suggest } from "../text/index.ts";
import { workspaceFile } from "./find-workspace.ts";
import type { Settings } from "./read-settings.ts";
import { unmatchedPermissionRules } from "./unmatched-permission-rules.ts";
import { unmatchedLists } from "./unmatched-tool-lists.ts";

/** A name that the settings use for a tool. */
interface Named {
  readonly name: string;
  readonly path: YamlPath;
  readonly part?: "key";
  /** Other words that could have been intended. */
  readonly words: readonly string[];
}

/** The names that settings are checked against. */
export interface MatchableTools {
  /** Called only if there is something to look up. */
  readonly tools: () => readonly Pick<AnyTool, "name" | "aliases">[];
  readonly hub: Pick<Hub, "capabilities">;
  /** The MCP servers that files name. */
  readonly servers: () => readonly string[];
  /** True if a server that was never connected may have a tool of this name. */
  readonly mayBeServed: (name: string) => boolean;
}

/**
 * Reports permission rules, lists of tools and declarations that name an unknown tool, and capabilities that are
 * probably misspelled. A misspelled word in a deny or ask rule is an error.
 */
export function unmatchedSettings(settings: Settings, ruled: MatchableTools): Problem[] {
  const { tools, hub, servers } = ruled;
  const names = (): string[] => tools().flatMap(({ name, aliases }) => [name, ...aliases]);
  return [
    ...unmatchedPermissionRules(settings, names),
    ...unknownTools(settings, tools),
    ...unmatchedLists(settings, ruled),
    ...unknownServers(settings, servers),
    ...strayCapabilities(settings, hub),
  ];
}

/** Reports declarations for unknown servers. */
function unknownServers({ config, source }: Settings, servers: MatchableTools["servers"]): Problem[] {
  const declared = Object.keys(config.capabilities.declared).flatMap((key) => {
    const name = /^mcp:([^/]+)/.exec(key)?.[1];
    return name === undefined ? [] : [{ key, name }];
  });
  if (declared.length === 0) return [];
  const known = servers();
  const { locate } = parseYaml(source ?? "", { file: workspaceFile });
  return declared.flatMap(({ key, name }): Problem[] => {
    if (known.includes(name)) return [];
    const near = suggest(name, known);
    return [
      {
        severity: "warning",
        code: "unknown_server",
        message: `there is no MCP server "${name}"`,
        hint:
          near === undefined ? `${cliCommand("mcp list")} shows the configured servers` : `did you mean "mcp:${near}"?`,
        file: workspaceFile,
        ...locate(["capabilities", "declare", key], "key"),
      },
    ];
  });
}

function unknownTools({ config, source }: Settings, tools: MatchableTools["tools"]): Problem[] {
  const named = namesIn(config);
  if (named.length === 0) return [];
  const known = new Set(tools().flatMap(({ name, aliases }) => [name, ...aliases]));
  const unknown = named.filter(({ name }) => !known.has(name));
  if (unknown.length === 0) return [];
  const { locate } = parseYaml(source ?? "", { file: workspaceFile });
  return unknown.map(({ name, path, part, words }) => {
    // No tool has a blank in its name: what follows it was to be the end of a rule.
    const rules = /\s/.test(name) ? [...known].map((tool) => `${tool} trusted`) : [];
    return {
      severity: "warning",
      code: "unknown_tool",
      message: `there is no tool "${name}"`,
      hint: suggestHint(name, [...known, ...words, ...rules]) ?? `${cliCommand("tools")} lists the names`,
      file: workspaceFile,
      ...locate(path, part),
    };
  });
}

/** Reports capabilities that no other tool has and that resemble another one. */
function strayCapabilities({ config, source }: Settings, hub: MatchableTools["hub"]): Problem[] {
  const declared = Object.entries(config.capabilities.declared).flatMap(([key, capabilities]) =>
    capabilities.map((name, index) => ({ name, path: ["capabilities", "declare", key, index], part: undefined })),
  );
  const worded = Object.keys(config.capabilities.keywords).map((name) => ({
    name,
    path: ["capabilities", "keywords", name],
    part: "key" as const,
  }));
  const all = [...declared, ...worded];
  return all.flatMap(({ name, path, part }): Problem[] => {
    const near = all.filter((other) => other.name === name).length > 1 ? undefined : suggestCapability(name, hub);
    if (near === undefined) return [];
    const message = `no other tool has the capability "${name}"`;
    const position = parseYaml(source ?? "", { file: workspaceFile }).locate(path, part);
    const hint = `did you mean "${near}"?`;
    return [{ severity: "warning", code: "unknown_capability", message, hint, file: workspaceFile, ...position }];
  });
}

function namesIn({ permissions, engine, capabilities }: Settings["config"]): Named[] {
  const rules = (permissions.allow ?? []).flatMap((rule, index): Named[] => {
    const name = toolInRule(rule);
    return name === undefined ? [] : [{ name, path: ["permissions", "allow", index], words: selectorWords }];
  });
  const list = (path: YamlPath, names: readonly string[]): Named[] =>
    names.map((name, index) => ({ name, path: [...path, index], words: [] }));
  // Servers may be connected to later.
  const declared = Object.keys(capabilities.declared).filter((key) => !key.startsWith("mcp:") && !key.includes("*"));
  return [
    ...rules,
    ...declared.map((name): Named => ({ name, path: ["capabilities", "declare", name], part: "key", words: [] })),
    ...list(["engine", "enabled_tools"], engine.enabledTools),
    ...list(["engine", "disabled_tools"], engine.disabledTools),
  ];
}
