import { type JsonSchema, isRecord } from "../../schema/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import type { Contract } from "./contract.ts";

/**
 * The reason why a tool cannot serve a contract unmapped, or undefined if it can, as far as the schemas show: it
 * requires nothing that the contract does not have, accepts what the contract requires, and returns what the contract
 * promises.
 */
export function contractMismatch(tool: AnyTool, { input, output }: Contract): string | undefined {
  const wrongInput = inputMisfit(tool.input.json, input.json);
  if (wrongInput !== undefined) return wrongInput;
  // A tool without an output schema is judged by its actual output.
  if (tool.output === undefined || output === undefined) return undefined;
  const wrong = outputMisfit(tool.output.json, output.json, "its output");
  return wrong === undefined ? undefined : `${wrong}; a \`result\` mapping can fix that`;
}

function inputMisfit(own: JsonSchema, expected: JsonSchema): string | undefined {
  const [known, offered] = [propertiesOf(own), propertiesOf(expected)];
  for (const key of requiredOf(own)) {
    const provided = offered[key];
    const isThere = provided !== undefined && (requiredOf(expected).includes(key) || hasDefault(provided));
    if (!isThere) return `it needs the argument "${key}"; an \`arguments\` mapping can provide it`;
  }
  for (const [key, provided] of Object.entries(offered)) {
    const taken = known[key];
    const isNeeded = requiredOf(expected).includes(key);
    if (taken === undefined && isNeeded && !takesAnything(own))
      return `it has no argument "${key}"; an \`arguments\` mapping can name it`;
    if (taken !== undefined && !shareType(taken, provided)) return `its argument "${key}" is of another type`;
  }
  return undefined;
}

/** The arguments of a contract that a tool accepts; all of them if it accepts any. */
export function knownArguments(tool: AnyTool, args: unknown): unknown {
  const { json } = tool.input;
  if (!isRecord(args) || takesAnything(json)) return args;
  const known = propertiesOf(json);
  return Object.fromEntries(Object.entries(args).filter(([key]) => Object.hasOwn(known, key)));
}

function outputMisfit(own: JsonSchema, expected: JsonSchema, where: string): string | undefined {
  if (!shareType(own, expected)) return `${where} is of another type`;
  const [provided, requested] = [propertiesOf(own), propertiesOf(expected)];
  const isDescribed = Object.keys(provided).length > 0;
  for (const key of requiredOf(expected)) {
    const part = Object.hasOwn(provided, key) ? provided[key] : undefined;
    if (part === undefined) {
      if (isDescribed) return `${where} has no "${key}"`;
      continue;
    }
    const inner = isRecord(part) ? outputMisfit(part, recordOf(requested[key]), `"${key}" of ${where}`) : undefined;
    if (inner !== undefined) return inner;
  }
  const [item, expectedItem] = [own["items"], expected["items"]];
  return isRecord(item) && isRecord(expectedItem) ? outputMisfit(item, expectedItem, `an item of ${where}`) : undefined;
}

/** True if a value can be of both types. A schema without a type allows any value. */
function shareType(one: unknown, other: unknown): boolean {
  const [a, b] = [typesOf(one), typesOf(other)];
  return a.length === 0 || b.length === 0 || a.some((type) => b.includes(type) || isNumber(type, b));
}

function isNumber(type: string, others: readonly string[]): boolean {
  return (type === "integer" && others.includes("number")) || (type === "number" && others.includes("integer"));
}

function typesOf(schema: unknown): readonly string[] {
  const type = isRecord(schema) ? schema["type"] : undefined;
  return [type].flat().filter((name) => typeof name === "string");
}

function takesAnything(json: JsonSchema): boolean {
  return json["additionalProperties"] !== false && Object.keys(propertiesOf(json)).length === 0;
}

function hasDefault(schema: unknown): boolean {
  return isRecord(schema) && Object.hasOwn(schema, "default");
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, unknown>> {
  return recordOf(properties);
}

function requiredOf({ required }: JsonSchema): readonly string[] {
  // JSON Schema defines it as a list of names.
  return Array.isArray(required) ? (required as readonly string[]) : [];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
