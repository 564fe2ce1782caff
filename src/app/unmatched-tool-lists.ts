import { readOwnCommands } from "../agent/index.ts";
import { nameGlob } from "../base/index.ts";
import { isRecord } from "../schema/index.ts";
import { type Problem, type YamlPath, parseYaml, suggest } from "../text/index.ts";
import { workspaceFile } from "./find-workspace.ts";
import type { Settings } from "./read-settings.ts";
import { commandsPath } from "./runner-settings.ts";
import type { RuledTools } from "./unmatched-rules.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** The name of a tool, where the settings name one. */
interface Listed {
  readonly path: YamlPath;
  readonly name: string;
  /**
   * Trust goes by the name that a tool has, since others may share its aliases; what is called may be whichever tool has
   * a capability.
   */
  readonly use: "choice" | "trust" | "call";
  /** `*` in it is more than a letter. */
  readonly globs: boolean;
}

type Fault = Pick<Problem, "code" | "message" | "hint">;

/** Warns about what the settings name to no effect: tools that do not exist, capabilities, and aliases in lists of trust. */
export function unmatchedLists({ config, source }: Settings, ruled: RuledTools): Problem[] {
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

/** Do the settings name tools otherwise than in rules? */
export function listsTools(config: WorkspaceConfig): boolean {
  return listedIn(config).length > 0;
}

function listedIn({ agent, chains }: WorkspaceConfig): Listed[] {
  const list = (path: YamlPath, names: readonly string[], how: Pick<Listed, "use" | "globs">): Listed[] =>
    names.map((name, index) => ({ ...how, name, path: [...path, index] }));
  return [
    ...list(["agent", "tools"], agent.tools ?? [], { use: "choice", globs: true }),
    ...list(["agent", "options", "tools"], textsIn(agent.options?.["tools"]), { use: "choice", globs: true }),
    ...list(["agent", "trusted"], agent.trusted ?? [], { use: "trust", globs: true }),
    ...list(["chains", "trusted"], chains.trusted, { use: "trust", globs: false }),
    ...calledIn(agent.options?.["commands"]),
  ];
}

/** The tools that commands of one's own call. */
function calledIn(commands: unknown): Listed[] {
  return readOwnCommands(commands).commands.map(({ key, tool }) => {
    // The tool alone is enough where it takes nothing.
    const isAlone = !isRecord(commands) || !isRecord(commands[key]);
    const path = [...commandsPath, key, ...(isAlone ? [] : ["tool"])];
    return { name: tool, path, use: "call", globs: false };
  });
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : [];
}

/** What is wrong with a name. */
function faultFinder({ tools, hub, mayBeServed }: RuledTools): (listed: Listed) => Fault | undefined {
  const all = tools();
  const names = new Set(all.map(({ name }) => name));
  const byAlias = new Map(all.flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name])));
  const listed = "windlass tools lists the names";
  const unlike = (glob: string): Fault | undefined =>
    [...names].some(nameGlob(glob))
      ? undefined
      : { code: "unknown_tool", message: `no tool is called like "${glob}"`, hint: listed };
  return ({ name, use, globs }) => {
    if (names.has(name) || mayBeServed(name)) return undefined;
    if (globs && name.includes("*")) return unlike(name);
    const real = byAlias.get(name);
    if (real !== undefined) return use === "trust" ? aliasFault(name, real) : undefined;
    const serving = servingTools(name, hub);
    if (serving !== undefined) return use === "call" ? callFault(name, serving) : capabilityFault(name, serving);
    const near = suggest(name, [...names, ...(use === "trust" ? [] : byAlias.keys())]);
    const hint = near === undefined ? listed : `did you mean "${near}"?`;
    return { code: "unknown_tool", message: `there is no tool "${name}"`, hint };
  };
}

function aliasFault(given: string, real: string): Fault {
  const message = `"${given}" is another name of ${real}, and tools are trusted by their own`;
  return { code: "unknown_tool", message, hint: `write "${real}"` };
}

/** The tools that have a capability, by its name with or without the word before it; undefined where it is none. */
function servingTools(given: string, hub: RuledTools["hub"]): readonly string[] | undefined {
  const name = given.replace(/^capability:/, "");
  const found = hub.capabilities().find((capability) => capability.name === name);
  return found?.tools ?? (name === given ? undefined : []);
}

function capabilityFault(given: string, serving: readonly string[]): Fault {
  const message = `"${given}" is a capability, and this is a list of tools`;
  const hint = serving.length === 0 ? "write the tools that have it" : `write ${serving.join(", ")}`;
  return { code: "unknown_tool", message, hint };
}

/** What is called may be a capability, where it says so and somebody has it. */
function callFault(given: string, serving: readonly string[]): Fault | undefined {
  if (serving.length === 0) {
    return { code: "unknown_capability", message: `no tool has "${given}"`, hint: "windlass tools lists the names" };
  }
  if (given.startsWith("capability:")) return undefined;
  return { code: "unknown_tool", message: `"${given}" is a capability`, hint: `write "capability:${given}"` };
}
