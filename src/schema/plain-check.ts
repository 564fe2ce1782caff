import { type Work, cheap, isValidated, stepsOf } from "./compile-json-schema.ts";
import { formats } from "./format.ts";
import { compilePattern } from "./pattern.ts";
import type { JsonSchema } from "./schema.ts";
import { type SubSchema, isRecord } from "./subschemas.ts";

/** Fills in defaults and says whether a value fits. */
export type PlainCheck = (value: unknown) => boolean;

/**
 * A check of a schema of the plain kind, which most tools and chains have: types, limits, lists and objects, without
 * references or unions. Undefined for any other. The compiler takes longer to load than all else that a first call
 * does; whatever this check accepts, the compiled validator accepts with the same defaults. It may refuse more:
 * who asks then asks the compiled validator, which also says why.
 */
export function plainCheck(schema: SubSchema, work: Work): PlainCheck | undefined {
  if (!isRecord(schema)) return () => schema;
  if (!Object.keys(schema).every((keyword) => plain.has(keyword) || !isValidated(keyword))) return undefined;
  const parts = [typeCheck(schema), valueCheck(schema), numberCheck(schema), textCheck(schema, work)];
  const list = listCheck(schema, work);
  const object = objectCheck(schema, work);
  if (list === undefined || object === undefined) return undefined;
  const checks = [...parts, list, object].filter((check) => check !== always);
  const steps = stepsOf(schema);
  return (value) => {
    if (steps >= cheap) work.spend(steps);
    for (const check of checks) if (!check(value)) return false;
    return true;
  };
}

const plain = new Set(
  (
    "type enum const default minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern format " +
    "items minItems maxItems properties required additionalProperties"
  ).split(" "),
);

const always: PlainCheck = () => true;

const isObject = (value: unknown): value is Record<string, unknown> => isRecord(value);

const types: ReadonlyMap<unknown, PlainCheck> = new Map<unknown, PlainCheck>([
  ["string", (value) => typeof value === "string"],
  ["number", Number.isFinite],
  ["integer", Number.isInteger],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["array", Array.isArray],
  ["object", isObject],
]);

function typeCheck({ type }: JsonSchema): PlainCheck {
  if (type === undefined) return always;
  const allowed = [type].flat().map((name) => types.get(name) ?? (() => false));
  const [only] = allowed;
  return allowed.length === 1 && only !== undefined ? only : (value) => allowed.some((check) => check(value));
}

/** Lists and objects among the allowed values are left to the compiler: they are refused here. */
function valueCheck(schema: JsonSchema): PlainCheck {
  const { enum: allowed } = schema;
  const isListed: PlainCheck = Array.isArray(allowed) ? (value) => isScalar(value) && allowed.includes(value) : always;
  if (!Object.hasOwn(schema, "const")) return isListed;
  return (value) => isScalar(value) && value === schema["const"] && isListed(value);
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function numberCheck(schema: JsonSchema): PlainCheck {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if ([minimum, maximum, exclusiveMinimum, exclusiveMaximum].every((limit) => limit === undefined)) return always;
  const least = numberOr(minimum, -Infinity);
  const most = numberOr(maximum, Infinity);
  const above = numberOr(exclusiveMinimum, -Infinity);
  const below = numberOr(exclusiveMaximum, Infinity);
  return (value) => typeof value !== "number" || (value >= least && value <= most && value > above && value < below);
}

function numberOr(value: unknown, other: number): number {
  return typeof value === "number" ? value : other;
}

function textCheck(schema: JsonSchema, work: Work): PlainCheck {
  const { minLength, maxLength, pattern: source, format } = schema;
  const least = numberOr(minLength, 0);
  const most = numberOr(maxLength, Infinity);
  const pattern = typeof source === "string" ? compilePattern(source) : undefined;
  const isFormatted = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (least === 0 && most === Infinity && pattern === undefined && isFormatted === undefined) return always;
  return (text) => {
    if (typeof text !== "string") return true;
    if ((least > 0 || most < Infinity) && !isWithin(text, least, most)) return false;
    if (pattern !== undefined) {
      work.spend(pattern.stepsPerCharacter * text.length);
      if (!pattern.test(text)) return false;
    }
    return isFormatted?.(text) ?? true;
  };
}

/** Characters are code points: at most as many as units, and at least half as many. */
function isWithin(text: string, least: number, most: number): boolean {
  if (text.length < least || text.length / 2 > most) return false;
  if (text.length <= most && text.length / 2 >= least) return true;
  let count = 0;
  for (const _ of text) count++;
  return count >= least && count <= most;
}

function listCheck({ items, minItems, maxItems }: JsonSchema, work: Work): PlainCheck | undefined {
  // A tuple of an earlier draft.
  if (Array.isArray(items)) return undefined;
  const item = items === undefined ? always : plainCheck(items as SubSchema, work);
  if (item === undefined) return undefined;
  const least = numberOr(minItems, 0);
  const most = numberOr(maxItems, Infinity);
  if (item === always && least === 0 && most === Infinity) return always;
  return (list) => {
    if (!Array.isArray(list)) return true;
    if (list.length < least || list.length > most) return false;
    // By number: an item that was never set counts too.
    for (let index = 0; index < list.length; index++) if (!item(list[index])) return false;
    return true;
  };
}

interface Property {
  readonly name: string;
  readonly check: PlainCheck;
  /** Makes the default, a new one each time; undefined where there is none. */
  readonly preset: (() => unknown) | undefined;
}

function objectCheck(schema: JsonSchema, work: Work): PlainCheck | undefined {
  const { required, additionalProperties: rest = true } = schema;
  const properties = readProperties(schema, work);
  const other = rest === true ? always : plainCheck(rest as SubSchema, work);
  const needed = Array.isArray(required) ? required.map(String) : [];
  if (properties === undefined || other === undefined || needed.some(isOfEveryObject)) return undefined;
  if (properties.length === 0 && needed.length === 0 && other === always) return always;
  const known = new Set(properties.map(({ name }) => name));
  const others = (value: Record<string, unknown>): boolean => {
    // Inherited ones too, as the compiled validator does.
    for (const name in value) if (!known.has(name) && !other(value[name])) return false;
    return true;
  };
  return (value) => {
    if (!isObject(value)) return true;
    for (const { name, preset } of properties) {
      if (preset !== undefined && value[name] === undefined) value[name] = preset();
    }
    for (const name of needed) if (value[name] === undefined) return false;
    for (const { name, check } of properties) if (value[name] !== undefined && !check(value[name])) return false;
    return other === always || others(value);
  };
}

function readProperties({ properties }: JsonSchema, work: Work): Property[] | undefined {
  const found: Property[] = [];
  for (const [name, schema] of Object.entries(isRecord(properties) ? properties : {})) {
    const check = plainCheck(schema as SubSchema, work);
    if (check === undefined || isOfEveryObject(name)) return undefined;
    const json = isRecord(schema) && Object.hasOwn(schema, "default") ? JSON.stringify(schema["default"]) : undefined;
    if (json?.includes("__proto__")) return undefined;
    found.push({ name, check, preset: json === undefined ? undefined : () => JSON.parse(json) as unknown });
  }
  return found;
}

/** Names such as `toString` are found on every object, so that absence needs a closer look. */
function isOfEveryObject(name: string): boolean {
  return name in Object.prototype;
}
