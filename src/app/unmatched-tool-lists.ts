import { readCustomCommands } from "../agent/index.ts";
import { cliCommand, nameGlob } from "../base/index.ts";
import { builtinToolNames } from "../builtin/index.ts";
import { isRecord } from "../schema/index.ts";
import { type Problem, type YamlPath, parseYaml, suggestHint } from "../text/index.ts";
import { workspaceFile } from "./find-workspace.ts";
import type { Settings } from "./read-settings.ts";
import { commandsPath } from "./runner-settings.ts";
import type { MatchableTools } from "./unmatched-settings.ts";
import { type WorkspaceConfig, sectionSettings } from "./workspace-config.ts";

/** The name of a tool in the settings. */
interface Listed {
  readonly path: YamlPath;
  readonly name: string;
  /** Trust applies to a tool's own name, since others may share its aliases; a call may also name a capability. */
  readonly use: "choice" | "trust" | "call";
  /** `*` in it is more than a letter. */
  readonly globs: boolean;
}

type Fault = Pick<Problem, "code" | "message" | "hint">;

/** Warns about names in the settings without effect: missing tools, capabilities, and aliases in trust lists. */
export function unmatchedLists({ config, source }: Settings, ruled: MatchableTools): Problem[] {
  const listed = listedIn(config);
  if (listed.length === 0) return [];
  const faultOf = faultFinder(ruled);
  const found = listed.flatMap((one) => {
    const fault = faultOf(one);
    return fault === undefined ? [] : [{ fault, path: one.path }];
  });
  if (found.length === 0) return [];
  const { locate } = parseYaml(source ?? "", { file: workspaceFile });
  return found.map(({ fault, path }) => ({
    severity: "warning",
    ...fault,
    file: workspaceFile,
    ...locate(path),
  }));
}

/** True if the settings name tools outside permission rules. */
export function listsTools(config: WorkspaceConfig): boolean {
  return listedIn(config).length > 0;
}

function listedIn(config: WorkspaceConfig): Listed[] {
  const { options } = config.agent;
  const list = (path: YamlPath, names: unknown, how: Pick<Listed, "use" | "globs">): Listed[] =>
    textsIn(names).map((name, index) => ({ ...how, name, path: [...path, index] }));
  return [
    ...sectionSettings().flatMap(({ setting: { tools }, path, valueIn }) =>
      tools === undefined ? [] : list(path, valueIn(config), tools),
    ),
    ...list(["agent", "options", "tools"], options?.["tools"], { use: "choice", globs: true }),
    ...calledIn(options?.["commands"]),
  ];
}

/** The tools that custom commands call. */
function calledIn(commands: unknown): Listed[] {
  return readCustomCommands(commands).commands.map(({ key, tool }) => {
    // The tool name alone is enough if it takes no arguments.
    const isAlone = !isRecord(commands) || !isRecord(commands[key]);
    const path = [...commandsPath, key, ...(isAlone ? [] : ["tool"])];
    return { name: tool, path, use: "call", globs: false };
  });
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : [];
}

/** Returns what is wrong with a name. */
function faultFinder({ tools, hub, mayBeServed }: MatchableTools): (listed: Listed) => Fault | undefined {
  const all = tools();
  const names = new Set(all.map(({ name }) => name));
  const byAlias = new Map(all.flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name])));
  const listed = `${cliCommand("tools")} lists the names`;
  const unlike = (glob: string): Fault | undefined =>
    [...names].some(nameGlob(glob))
      ? undefined
      : { code: "unknown_tool", message: `no tool is called like "${glob}"`, hint: listed };
  return ({ name, use, globs }) => {
    if (names.has(name) || mayBeServed(name)) return undefined;
    if (globs && name.includes("*")) return unlike(name);
    const real = byAlias.get(name);
    // The former names of built-in tools are trusted like the present ones.
    const isFormer = builtinToolNames.includes(name);
    if (real !== undefined) return use === "trust" && !isFormer ? aliasFault(name, real) : undefined;
    const serving = servingTools(name, hub);
    if (serving !== undefined) return use === "call" ? callFault(name, serving) : capabilityFault(name, serving);
    const hint = suggestHint(name, [...names, ...(use === "trust" ? [] : byAlias.keys())]) ?? listed;
    return { code: "unknown_tool", message: `there is no tool "${name}"`, hint };
  };
}

function aliasFault(input: string, real: string): Fault {
  const message = `"${input}" is another name of ${real}, and tools are trusted by their own`;
  return { code: "unknown_tool", message, hint: `write "${real}"` };
}

/** The tools that have a capability, by its name with or without the prefix; undefined if it is unknown. */
function servingTools(input: string, hub: MatchableTools["hub"]): readonly string[] | undefined {
  const name = input.replace(/^capability:/, "");
  const found = hub.capabilities().find((capability) => capability.name === name);
  return found?.tools ?? (name === input ? undefined : []);
}

function capabilityFault(input: string, serving: readonly string[]): Fault {
  const message = `"${input}" is a capability, and this is a list of tools`;
  const hint = serving.length === 0 ? "write the tools that have it" : `write ${serving.join(", ")}`;
  return { code: "unknown_tool", message, hint };
}

/** A capability may be called if it has the prefix and some tool has it. */
function callFault(input: string, serving: readonly string[]): Fault | undefined {
  if (serving.length === 0) {
    return {
      code: "unknown_capability",
      message: `no tool has "${input}"`,
      hint: `${cliCommand("tools")} lists the names`,
    };
  }
  if (input.startsWith("capability:")) return undefined;
  return { code: "unknown_tool", message: `"${input}" is a capability`, hint: `write "capability:${input}"` };
}
