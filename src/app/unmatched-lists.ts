import { nameGlob } from "../base/index.ts";
import { type Problem, type YamlPath, parseYaml, suggest } from "../text/index.ts";
import { workspaceFile } from "./find-workspace.ts";
import type { Settings } from "./read-settings.ts";
import type { RuledTools } from "./unmatched-rules.ts";

/** A list of names of tools, in which `*` may stand for any letters. */
interface ToolList {
  readonly path: YamlPath;
  readonly names: readonly string[];
  /** Trust goes by the name that a tool has, since others may share its aliases. */
  readonly ofTrust: boolean;
  /** Whether `*` is more than a letter. */
  readonly globs: boolean;
}

type Fault = Pick<Problem, "code" | "message" | "hint">;

/** Warns about what lists of tools name to no effect: tools that do not exist, capabilities, and aliases in lists of trust. */
export function unmatchedLists({ config, source }: Settings, ruled: RuledTools): Problem[] {
  const { agent, chains } = config;
  const ofProject = agent.options?.["tools"];
  const lists: readonly ToolList[] = [
    { path: ["agent", "tools"], names: agent.tools ?? [], ofTrust: false, globs: true },
    { path: ["agent", "options", "tools"], names: textsIn(ofProject), ofTrust: false, globs: true },
    { path: ["agent", "trusted"], names: agent.trusted ?? [], ofTrust: true, globs: true },
    { path: ["chains", "trusted"], names: chains.trusted, ofTrust: true, globs: false },
  ];
  if (lists.every(({ names }) => names.length === 0)) return [];
  const faultOf = faultFinder(ruled);
  const found = lists.flatMap((list) =>
    list.names.flatMap((name, index) => {
      const fault = faultOf(name, list);
      return fault === undefined ? [] : [{ fault, path: [...list.path, index] }];
    }),
  );
  if (found.length === 0) return [];
  const { locate } = parseYaml(source ?? "", { file: workspaceFile });
  return found.map(({ fault, path }) => ({
    severity: "warning",
    ...fault,
    file: workspaceFile,
    ...locate(path),
  }));
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : [];
}

/** What is wrong with a name in a list. */
function faultFinder({ tools, hub, mayBeServed }: RuledTools): (name: string, list: ToolList) => Fault | undefined {
  const all = tools();
  const names = new Set(all.map(({ name }) => name));
  const byAlias = new Map(all.flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name])));
  const listed = "windlass tools lists the names";
  return (given, { ofTrust, globs }) => {
    if (names.has(given) || mayBeServed(given)) return undefined;
    if (globs && given.includes("*")) {
      const isSome = [...names].some(nameGlob(given));
      return isSome ? undefined : { code: "unknown_tool", message: `no tool is called like "${given}"`, hint: listed };
    }
    const real = byAlias.get(given);
    if (real !== undefined) return ofTrust ? aliasFault(given, real) : undefined;
    const serving = servingTools(given, hub);
    if (serving !== undefined) return capabilityFault(given, serving);
    const near = suggest(given, [...names, ...(ofTrust ? [] : byAlias.keys())]);
    const hint = near === undefined ? listed : `did you mean "${near}"?`;
    return { code: "unknown_tool", message: `there is no tool "${given}"`, hint };
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
