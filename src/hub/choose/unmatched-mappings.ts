import { isMap, isRecord } from "../../schema/index.ts";
import { type Problem, type YamlPath, parseYaml, suggest } from "../../text/index.ts";
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
  return Object.entries(mappings).flatMap(([name, mapping]) => {
    if (name.includes("*") || name.startsWith("source:")) return [];
    const tool = tools.resolve(name)?.tool;
    if (tool === undefined || tool.name !== name) {
      const isElsewhere = tool === undefined && tools.whyMissing?.(name) !== undefined;
      return isElsewhere ? [] : [warn(["tools", name], unknownTool(name, tool, tools))];
    }
    const given = isMap(mapping) && isMap(mapping["arguments"]) ? Object.keys(mapping["arguments"]) : [];
    const known = parametersOf(tool);
    return given
      .filter((key) => known !== undefined && !known.includes(key))
      .map((key) => warn(["tools", name, "arguments", key], unknownParameter(key, tool, known ?? [])));
  });
}

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
