import { nameGlob } from "../../base/index.ts";
import { isMap, isRecord } from "../../schema/index.ts";
import { type Problem, type YamlPath, parseYaml, suggest } from "../../text/index.ts";
import { neededBy } from "./serving.ts";
import type { AnyTool, Registration } from "../../tool/index.ts";

/** The tools that contracts are about. */
export interface MappedTools {
  resolve(name: string): Registration | undefined;
  names(): Iterable<string>;
  /** Where a tool may be that is not known; nothing is said of such a tool. */
  readonly whyMissing?: ((tool: string) => string | undefined) | undefined;
}

/** The text of a contract, and what it is called. */
export interface ContractText {
  readonly file: string;
  readonly source: string;
}

/**
 * Warns where a contract maps to a tool that there is not, or to parameters that the tool does not have: such a mapping
 * serves nobody, and calls go on without the tool.
 */
export function unmatchedMappings({ file, source }: ContractText, tools: MappedTools): Problem[] {
  const { value, locate } = parseYaml(source, { file });
  const warn = (path: YamlPath, said: Pick<Problem, "code" | "message" | "hint">): Problem => ({
    severity: "warning",
    ...said,
    file,
    ...locate(path, "key"),
  });
  const mappings = isMap(value) && isMap(value["tools"]) ? value["tools"] : {};
  return Object.entries(mappings).flatMap(([name, mapping]) =>
    faultsOf(name, mapping, tools).map(({ at = [], ...said }) => warn(["tools", name, ...at], said)),
  );
}

/** What a mapping says that is not so, and where inside of it. */
function faultsOf(name: string, mapping: unknown, tools: MappedTools): (Said & { readonly at?: YamlPath })[] {
  if (name.includes("*") || name.startsWith("source:")) return unmatchedPattern(name, tools);
  const tool = tools.resolve(name)?.tool;
  if (tool !== undefined && tool.name === name) {
    return isMap(mapping) && isMap(mapping["arguments"]) ? argumentFaults(Object.keys(mapping["arguments"]), tool) : [];
  }
  const isElsewhere = tool === undefined && tools.whyMissing?.(name) !== undefined;
  return isElsewhere ? [] : [unknownTool(name, tool, tools)];
}

type Said = Pick<Problem, "code" | "message" | "hint">;

/** Where a mapping names an argument that the tool does not have, or lacks one that it needs. */
function argumentFaults(given: readonly string[], tool: AnyTool): (Said & { readonly at: YamlPath })[] {
  const known = parametersOf(tool);
  if (known === undefined) return [];
  const unknown = given.filter((key) => !known.includes(key));
  const lacking = neededBy(tool).filter((key) => !given.includes(key));
  return [
    ...unknown.map((key) => ({ at: ["arguments", key], ...unknownParameter(key, tool, known) })),
    // A slip explains why one is lacking.
    ...(unknown.length > 0 ? [] : lacking).map((key) => ({
      at: ["arguments"],
      code: "missing_parameter",
      message: `the tool "${tool.name}" needs "${key}", which is not here`,
      hint: `write ${key}: "\${input.…}"`,
    })),
  ];
}

/** A pattern that is about no tool; nothing is said of servers that nobody asked yet. */
function unmatchedPattern(pattern: string, tools: MappedTools): Said[] {
  if (pattern.startsWith("source:")) {
    const source = pattern.slice("source:".length);
    const near = suggest(source, sources);
    const hint = near === undefined ? `there is ${sources.join(", ")}` : `did you mean "source:${near}"?`;
    const message = `tools have no source "${source}"`;
    return sources.includes(source) ? [] : [{ code: "unknown_source", message, hint }];
  }
  const fits = nameGlob(pattern);
  if ([...tools.names()].some(fits) || tools.whyMissing?.(pattern) !== undefined) return [];
  return [{ code: "unknown_tool", message: `no tool is called like "${pattern}"`, hint: listed }];
}

/** Where tools come from that can serve a capability. */
const sources: readonly string[] = ["tools", "skills", "mcps", "chains"];

function unknownTool(name: string, tool: AnyTool | undefined, tools: MappedTools) {
  const near = tool?.name ?? suggest(name, tools.names());
  const message = `there is no tool "${name}"`;
  return { code: "unknown_tool", message, hint: near === undefined ? listed : `did you mean "${near}"?` };
}

const listed = "windlass tools lists the names";

function unknownParameter(key: string, { name }: AnyTool, known: readonly string[]) {
  const near = suggest(key, known);
  const hint = near === undefined ? `parameters: ${known.join(", ")}` : `did you mean "${near}"?`;
  return { code: "unknown_parameter", message: `the tool "${name}" has no parameter "${key}"`, hint };
}

/** The names of a tool's parameters; undefined where it may take others, or is not there to tell. */
function parametersOf({ input: { json }, broken }: AnyTool): readonly string[] | undefined {
  const { properties } = json;
  return broken === undefined && isRecord(properties) && Object.keys(properties).length > 0
    ? Object.keys(properties)
    : undefined;
}
