import { type JsonSchema, isRecord } from "../../schema/index.ts";
import type { AnyTool } from "../../tool/index.ts";
import type { Contract } from "./contract.ts";

/**
 * Why a tool cannot serve a contract as it is, or undefined where it can, as far as schemas tell: it needs nothing that
 * the contract does not have, knows what the contract needs, and promises what the contract promises.
 */
export function misfit(tool: AnyTool, { input, output }: Contract): string | undefined {
  const wrongInput = inputMisfit(tool.input.json, input.json);
  if (wrongInput !== undefined) return wrongInput;
  // A tool that promises nothing is judged by what it gives.
  if (tool.output === undefined || output === undefined) return undefined;
  const wrong = outputMisfit(tool.output.json, output.json, "its output");
  return wrong === undefined ? undefined : `${wrong}; a \`result\` mapping can mend that`;
}

function inputMisfit(own: JsonSchema, wanted: JsonSchema): string | undefined {
  const [known, offered] = [propertiesOf(own), propertiesOf(wanted)];
  for (const key of requiredOf(own)) {
    const given = offered[key];
    const isThere = given !== undefined && (requiredOf(wanted).includes(key) || hasDefault(given));
    if (!isThere) return `it needs the argument "${key}"; an \`arguments\` mapping can give it`;
  }
  for (const [key, given] of Object.entries(offered)) {
    const taken = known[key];
    const isNeeded = requiredOf(wanted).includes(key);
    if (taken === undefined && isNeeded && !takesAnything(own))
      return `it knows no argument "${key}"; an \`arguments\` mapping can name it`;
    if (taken !== undefined && !shareType(taken, given)) return `its argument "${key}" is of another type`;
  }
  return undefined;
}

/** The arguments of a contract that a tool knows; all of them where it takes anything. */
export function knownArguments(tool: AnyTool, args: unknown): unknown {
  const { json } = tool.input;
  if (!isRecord(args) || takesAnything(json)) return args;
  const known = propertiesOf(json);
  return Object.fromEntries(Object.entries(args).filter(([key]) => Object.hasOwn(known, key)));
}

function outputMisfit(own: JsonSchema, wanted: JsonSchema, where: string): string | undefined {
  if (!shareType(own, wanted)) return `${where} is of another type`;
  const [given, asked] = [propertiesOf(own), propertiesOf(wanted)];
  const isDescribed = Object.keys(given).length > 0;
  for (const key of requiredOf(wanted)) {
    const part = Object.hasOwn(given, key) ? given[key] : undefined;
    if (part === undefined) {
      if (isDescribed) return `${where} has no "${key}"`;
      continue;
    }
    const inner = isRecord(part) ? outputMisfit(part, recordOf(asked[key]), `"${key}" of ${where}`) : undefined;
    if (inner !== undefined) return inner;
  }
  const [item, itemAsked] = [own["items"], wanted["items"]];
  return isRecord(item) && isRecord(itemAsked) ? outputMisfit(item, itemAsked, `an item of ${where}`) : undefined;
}

/** Can a value be of both types? What says nothing about its type may be anything. */
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
  // JSON Schema says that it is a list of names.
  return Array.isArray(required) ? (required as readonly string[]) : [];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
