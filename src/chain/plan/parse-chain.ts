import { jsonText } from "../../base/index.ts";
import { fitsShallow, forbiddenKeys, isRecord, type JsonSchema, setOwn } from "../../schema/index.ts";
import type { Problem } from "../../text/index.ts";
import { approvalSchema, chainKeysSchemaFor, stepSchema, waitSchema, waitStepSchemaFor } from "./chain-file-schema.ts";
import type { ClosedSchema } from "./closed-schema.ts";
import { ChainReport } from "./chain-report.ts";
import type { ChainSpec, StepSpec } from "./chain-spec.ts";

/** A chain to plan: a file, or data that was written in code. */
export type ParsableChain =
  | { readonly text: string; readonly file: string }
  | { readonly spec: ChainSpec; readonly text?: undefined };

/** Parsed chain: complete if there are no errors, with all problems. */
export interface ParsedChain {
  readonly spec?: ChainSpec;
  /** In the order of the file. */
  readonly problems: readonly Problem[];
}

/** A chain as far as it can be parsed, and the report that knows the positions of its parts. */
export interface ReadSource {
  /** Undefined if nothing more than the reported problems is known. */
  readonly spec: ChainSpec | undefined;
  readonly report: ChainReport;
}

const maxSteps = 20_000;
const maxDepth = 64;

/**
 * Parses a chain file and checks its form: keys, types and required values. Never throws. Expressions, tools and
 * references are checked by {@link planChain}.
 *
 * @example
 * ```ts
 * const { spec, problems } = parseChain(text, { file: "chains/research.yaml" });
 * ```
 */
export function parseChain(text: string, { file }: { readonly file: string }): ParsedChain {
  const { spec, report } = readSource({ text, file });
  return { ...(spec !== undefined && !report.failed && { spec }), problems: report.problems };
}

/** Parses a chain from a file or from data, and keeps the parts that can be checked further. */
export function readSource(source: ParsableChain): ReadSource {
  if (source.text === undefined) return readSpec(source.spec);
  const { value, report } = ChainReport.ofFile(source.text, source.file);
  if (value === undefined) return { spec: undefined, report };
  return { spec: checkForm(value, report), report };
}

/** Data from code is copied first: the plan does not change with it, and holds only JSON. */
function readSpec(rawValue: unknown): ReadSource {
  const report = ChainReport.ofSpec(chainNameOf(rawValue));
  const json = jsonText(rawValue);
  if ("problem" in json) {
    report.add("not_json", [], [`a chain must be plain JSON data; ${json.problem}`]);
    return { spec: undefined, report };
  }
  const value: unknown = JSON.parse(json.text);
  const fault = hostilePart(value);
  if (fault !== undefined) report.add(fault.code, [], [fault.message]);
  return { spec: fault === undefined ? checkForm(value, report) : undefined, report };
}

function chainNameOf(rawValue: unknown): string {
  try {
    const name: unknown = isRecord(rawValue) ? rawValue["name"] : undefined;
    return typeof name === "string" ? name.slice(0, 128) : "without a name";
  } catch {
    return "without a name";
  }
}

/** Finds values in data from code that are also rejected in YAML files. Without recursion: it may be deep. */
function hostilePart(root: unknown): { code: string; message: string } | undefined {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return { code: "too_deep", message: `the chain nests deeper than ${maxDepth} levels` };
    const below: unknown[] = [];
    for (const node of level) {
      if (typeof node !== "object" || node === null) continue;
      // Values from JSON.parse have no inherited keys.
      for (const key in node) {
        if (forbiddenKeys.has(key)) return { code: "forbidden_key", message: `the key "${key}" is not allowed` };
        const item = (node as Record<string, unknown>)[key];
        if (typeof item === "object") below.push(item);
      }
    }
    level = below;
  }
  return undefined;
}

function checkForm(value: unknown, report: ChainReport): ChainSpec | undefined {
  if (!isRecord(value)) {
    report.add("wrong_type", [], ["a chain must be a map of keys such as name, input, steps and output"]);
    return undefined;
  }
  if (Object.hasOwn(value, "entry") && !Object.hasOwn(value, "steps")) {
    const hint = "move it to the folder of tools (default: tools/); a chain has steps instead of an entry";
    report.add("not_a_chain", ["entry"], ["this file is a tool, not a chain", { part: "key", hint }]);
    return undefined;
  }
  report.regard(value);
  report.check(value, chainKeysSchemaFor(value["input"]), []);
  const { steps } = value;
  if (!Array.isArray(steps)) return plannableSpec(value);
  if (steps.length > maxSteps) {
    report.add(
      "too_many_steps",
      ["steps"],
      [`a chain may have at most ${maxSteps} steps, and this one has ${steps.length}`],
    );
    return undefined;
  }
  for (const [index, step] of steps.entries()) checkStep(step, index, report);
  return plannableSpec(value);
}

function checkStep(step: unknown, index: number, report: ChainReport): void {
  const path = ["steps", index];
  const schema = isRecord(step) && Object.hasOwn(step, "wait") ? waitStepSchemaFor(step["wait"]) : stepSchema;
  if (!isRecord(step)) {
    report.check(step, schema, path);
    return;
  }
  const rest = { ...step };
  // Of an approval or a wait in the form of a map, its own keys are checked.
  for (const [key, form] of mapForms) {
    if (!isRecord(step[key])) continue;
    report.check(step[key], form, [...path, key]);
    rest[key] = null;
  }
  report.check(rest, schema, path);
}

const mapForms = [
  ["approval", approvalSchema],
  ["wait", waitSchema],
] as const;

/**
 * The part of a file that can be planned: everything that fits the format, without empty keys. Parts that do not fit
 * have been reported and are omitted, so that the rest can be checked in the same pass. For a chain without problems
 * this is the spec.
 */
function plannableSpec(file: Readonly<Record<string, unknown>>): ChainSpec {
  const steps = Array.isArray(file["steps"]) ? (file["steps"] as unknown[]) : [];
  const rest = usableKeys(file, chainKeysSchemaFor(file["input"]));
  return { name: "", ...rest, steps: steps.map(usableStep) };
}

/** A step keeps its index even if it lacks keys: others may refer to it. */
function usableStep(step: unknown): StepSpec {
  const found = isRecord(step) ? usableKeys(step, stepSchema) : {};
  return { id: "", ...("wait" in found ? {} : { tool: "" }), ...found };
}

function usableKeys(map: Readonly<Record<string, unknown>>, { properties }: ClosedSchema): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(map)) {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (schema !== undefined && value !== null && fits(value, schema)) setOwn(result, key, usable(value, schema));
  }
  return result;
}

function usable(value: unknown, schema: JsonSchema): unknown {
  const form = formOf(value, schema);
  if (Array.isArray(value)) {
    const { items } = form;
    return isRecord(items)
      ? value.filter((item) => fits(item, items)).map((item) => usable(item, items))
      : (value as unknown);
  }
  return isRecord(value) && isClosed(form) ? usableKeys(value, form) : value;
}

/** The one of several forms that matches the value. */
function formOf(value: unknown, schema: JsonSchema): JsonSchema {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return schema;
  return (anyOf as JsonSchema[]).find((form) => fits(value, form)) ?? schema;
}

/** True if the value itself fits, with any items and any values of its keys. */
function fits(value: unknown, schema: JsonSchema): boolean {
  const { anyOf } = schema;
  if (Array.isArray(anyOf)) return (anyOf as JsonSchema[]).some((form) => fits(value, form));
  return fitsShallow(value, schema);
}

function isClosed(schema: JsonSchema): schema is ClosedSchema {
  return isRecord(schema["properties"]) && schema["additionalProperties"] === false;
}
