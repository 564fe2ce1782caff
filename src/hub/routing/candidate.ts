import { isExpressionError } from "../../expr/index.ts";
import type { Issue } from "../../base/index.ts";
import { type AnyTool, type Registration, isUsable } from "../../tool/index.ts";
import { type Contract, type ToolMapping, mappingFor } from "./contract.ts";
import type { ToolKind } from "./tool-kind.ts";
import { type JsonSchema, isRecord, recordOf, propertiesOf } from "../../schema/index.ts";

/** One tool from one source, under a name or a capability. */
export interface Candidate {
  readonly registration: Registration;
  /** Label in results and failures: its name, with its source if another one has the same name. */
  readonly label: string;
  /**
   * True if it may run concurrently with others. MCP servers that share a name and have no declaration in the
   * workspace are called one after another.
   */
  readonly joins: boolean;
  readonly mapping?: ToolMapping | undefined;
}

/** The candidates under one name. */
export interface Choice {
  /** As it is called: `web_search`, `capability:search`. */
  readonly name: string;
  readonly candidates: readonly Candidate[];
  readonly kind: ToolKind;
  /** Input and output of the choice; without a contract, arguments and outputs are the candidates' own. */
  readonly contract?: Contract | undefined;
  /** Results that have the form of this one are merged as data. */
  readonly shape?: Contract | undefined;
  readonly byCapability: boolean;
  /** Tools that have the capability and cannot serve its contract, and why. */
  readonly unfit: readonly string[];
}

/** The candidates among these registrations, best first, and those that cannot serve the contract. */
export function candidatesOf(
  registrations: readonly Registration[],
  contract: Contract | undefined,
  mayJoin: (registration: Registration) => boolean,
): Pick<Choice, "candidates" | "unfit"> {
  const unfit: string[] = [];
  const names = registrations.map(({ tool }) => tool.name);
  const candidates = registrations.flatMap((registration): Candidate[] => {
    const { tool, source, owner, priority } = registration;
    const isShared = names.filter((name) => name === tool.name).length > 1;
    const label = isShared ? `${source}/${tool.name}` : tool.name;
    const mapping = contract && mappingFor(contract, registration);
    // A mapping that names a form of a tool is made for the arguments and the output of that form.
    const form = mapping === undefined ? undefined : tool.forms?.[mapping.pattern];
    const why = contract === undefined || mapping !== undefined ? undefined : contractMismatch(tool, contract);
    if (why !== undefined) unfit.push(`${label}: ${why}`);
    if (why !== undefined) return [];
    const served = form === undefined ? registration : { tool: form, source, owner, priority };
    return [{ registration: served, label, joins: mayJoin(registration), mapping }];
  });
  return { candidates, unfit };
}

/** Arguments for a candidate, or the issues why it cannot be called. */
export type CandidateArguments = { readonly args: unknown } | { readonly issues: readonly Issue[] };

/** The arguments of a choice as one candidate takes them. */
export function argumentsFor(
  { mapping, registration: { tool } }: Candidate,
  contract: Contract | undefined,
  args: unknown,
): CandidateArguments {
  if (contract === undefined) return { args };
  if (mapping?.arguments === undefined) return { args: knownArguments(tool, args) };
  try {
    return { args: mapping.arguments.evaluate({ input: args }) };
  } catch (error) {
    if (!isExpressionError(error)) throw error;
    const message = `the arguments of ${tool.name} cannot be derived from these: ${error.message}`;
    return { issues: [{ path: [], code: "mapping", message }] };
  }
}

/** True if this tool is broken, not offered, or cannot work here. */
export function isUnavailable(tool: AnyTool): boolean {
  return !isUsable(tool) || tool.status === "disabled" || tool.status === "draft";
}

/**
 * The reason why a tool cannot serve a contract unmapped, or undefined if it can, as far as the schemas show: it
 * requires nothing that the contract does not have, accepts what the contract requires, and returns what the contract
 * promises.
 */
function contractMismatch(tool: AnyTool, { input, output }: Contract): string | undefined {
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
function knownArguments(tool: AnyTool, args: unknown): unknown {
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

function requiredOf({ required }: JsonSchema): readonly string[] {
  // JSON Schema defines it as a list of names.
  return Array.isArray(required) ? (required as readonly string[]) : [];
}
