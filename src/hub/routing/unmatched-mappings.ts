import { nameGlob, cliCommand } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type Problem, type YamlPath, parseYaml, suggestHint, suggest } from "../../text/index.ts";
import { requiredArguments } from "./serving-candidates.ts";
import type { AnyTool, Registration } from "../../tool/index.ts";

/** The tools that contracts are about. */
export interface MappedTools {
  resolve(name: string): Registration | undefined;
  names(): Iterable<string>;
  /** Possible location of an unknown tool; such a tool causes no warning. */
  readonly whyMissing?: ((tool: string) => string | undefined) | undefined;
}

/** The text of a contract, and its file. */
export interface ContractText {
  readonly file: string;
  readonly source: string;
}

/**
 * Warns if a contract maps to a tool that does not exist, or to parameters that the tool does not have: such a mapping
 * has no effect, and calls run without the tool.
 */
export function unmatchedMappings({ file, source }: ContractText, tools: MappedTools): Problem[] {
  const { value, locate } = parseYaml(source, { file });
  const warn = (path: YamlPath, text: Pick<Problem, "code" | "message" | "hint">): Problem => ({
    severity: "warning",
    ...text,
    file,
    ...locate(path, "key"),
  });
  const mappings = isRecord(value) && isRecord(value["tools"]) ? value["tools"] : {};
  return Object.entries(mappings).flatMap(([name, mapping]) =>
    faultsOf(name, mapping, tools).map(({ at = [], ...text }) => warn(["tools", name, ...at], text)),
  );
}

/** Incorrect parts of a mapping, and their position in it. */
function faultsOf(name: string, mapping: unknown, tools: MappedTools): (ProblemText & { readonly at?: YamlPath })[] {
  if (name.includes("*") || name.startsWith("source:")) return unmatchedPattern(name, tools);
  const tool = tools.resolve(name)?.tool;
  if (tool !== undefined && isKnownAs(tool, name)) {
    return isRecord(mapping) && isRecord(mapping["arguments"])
      ? argumentFaults(Object.keys(mapping["arguments"]), tool)
      : [];
  }
  const isElsewhere = tool === undefined && tools.whyMissing?.(name) !== undefined;
  return isElsewhere ? [] : [unknownTool(name, tool, tools)];
}

/** True for the names that mappings may use: not for the short name of a server's tool. */
function isKnownAs({ name, aliases }: AnyTool, input: string): boolean {
  return name === input || (!name.includes("/") && aliases.includes(input));
}

type ProblemText = Pick<Problem, "code" | "message" | "hint">;

/** Arguments of a mapping that the tool does not have, and required ones that are missing. */
function argumentFaults(provided: readonly string[], tool: AnyTool): (ProblemText & { readonly at: YamlPath })[] {
  const known = parametersOf(tool);
  if (known === undefined) return [];
  const unknown = provided.filter((key) => !known.includes(key));
  const lacking = requiredArguments(tool).filter((key) => !provided.includes(key));
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

/** A pattern that matches no tool; no warning while some servers were never connected. */
function unmatchedPattern(pattern: string, tools: MappedTools): ProblemText[] {
  if (pattern.startsWith("source:")) {
    const source = pattern.slice("source:".length);
    const near = suggest(source, sources);
    const hint = near === undefined ? `there is ${sources.join(", ")}` : `did you mean "source:${near}"?`;
    const message = `tools have no source "${source}"`;
    return sources.includes(source) ? [] : [{ code: "unknown_source", message, hint }];
  }
  const fits = nameGlob(pattern);
  if ([...tools.names()].some(fits) || tools.whyMissing?.(pattern) !== undefined) return [];
  return [{ code: "unknown_tool", message: `no tool is called like "${pattern}"`, hint: listed() }];
}

/** Sources of tools that can serve a capability. */
const sources: readonly string[] = ["tools", "skills", "mcps", "chains"];

function unknownTool(name: string, tool: AnyTool | undefined, tools: MappedTools) {
  const near = tool?.name ?? suggest(name, tools.names());
  const message = `there is no tool "${name}"`;
  return { code: "unknown_tool", message, hint: near === undefined ? listed() : `did you mean "${near}"?` };
}

const listed = (): string => `${cliCommand("tools")} lists the names`;

function unknownParameter(key: string, { name }: AnyTool, known: readonly string[]) {
  const hint = suggestHint(key, known) ?? `parameters: ${known.join(", ")}`;
  return { code: "unknown_parameter", message: `the tool "${name}" has no parameter "${key}"`, hint };
}

/** The names of a tool's parameters; undefined if it may take others, or is unavailable. */
function parametersOf({ input: { json }, broken }: AnyTool): readonly string[] | undefined {
  const { properties } = json;
  return broken === undefined && isRecord(properties) && Object.keys(properties).length > 0
    ? Object.keys(properties)
    : undefined;
}
