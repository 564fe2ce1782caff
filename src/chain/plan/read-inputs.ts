import { type JsonSchema, isYamlMap } from "../../schema/index.ts";
import type { YamlPath } from "../../text/index.ts";
import { readParameterList, readParameterMap } from "../../tool/index.ts";
import type { ChainReport } from "./chain-report.ts";
import type { ChainSpec } from "./chain-spec.ts";
import type { ReferenceUse } from "./part-reader.ts";

/** The declared inputs as one JSON Schema: a map of names and types, or a list as in tool files. */
export function readInputs(inputs: NonNullable<ChainSpec["input"]>, report: ChainReport): JsonSchema {
  return isList(inputs)
    ? readParameterList(inputs, ["input"], report)
    : readParameterMap(inputs, { path: ["input"], noun: "an input" }, report);
}

function isList(inputs: NonNullable<ChainSpec["input"]>): inputs is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(inputs);
}

/**
 * Declared inputs that no expression reads, each with its path; none if an expression reads all of them, or one that is
 * known only at run time. An input with a description and a default is intended for callers.
 */
export function unusedInputs(
  declared: NonNullable<ChainSpec["input"]>,
  uses: Iterable<ReferenceUse>,
): ReadonlyMap<string, YamlPath> {
  const inputs = isList(declared)
    ? declared.map((input, index) => [String(input["name"]), input, ["input", index, "name"]] as const)
    : Object.entries(declared).map(([name, input]) => [name, input, ["input", name]] as const);
  const unused = new Map(inputs.flatMap(([name, input, path]) => (isOffered(input) ? [] : [[name, path]])));
  for (const { reference } of uses) {
    if (reference.root !== "input") continue;
    const [name] = reference.path;
    if (typeof name !== "string") return new Map();
    unused.delete(name);
  }
  return unused;
}

function isOffered(input: unknown): boolean {
  return isYamlMap(input) && input["description"] !== undefined && input["default"] !== undefined;
}
