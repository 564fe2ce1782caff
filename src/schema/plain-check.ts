import { type ValidationBudget, minChargedSteps, isValidated, stepsOf } from "./compile-json-schema.ts";
import { formats } from "./format.ts";
import { compilePattern } from "./pattern.ts";
import type { JsonSchema } from "./schema.ts";
import { type SubSchema, isRecord, propertiesOf } from "./subschemas.ts";

/** Fills in defaults and returns whether a value matches. */
export type PlainCheck = (value: unknown) => boolean;

/**
 * A check for plain schemas, which most tools and chains have: types, limits, lists and objects, without references or
 * unions. Undefined for any other schema. The compiler takes longer to load than all other work of a first call. Every
 * value that this check accepts, the compiled validator accepts with the same defaults. It may reject more values: the
 * caller then uses the compiled validator, which also reports the issues.
 */
export function plainCheck(schema: SubSchema, work: ValidationBudget): PlainCheck | undefined {
  if (!isRecord(schema)) return () => schema;
  if (!Object.keys(schema).every((keyword) => plain.has(keyword) || !isValidated(keyword))) return undefined;
  const parts = [typeCheck(schema), valueCheck(schema), numberCheck(schema), textCheck(schema, work)];
  const list = listCheck(schema, work);
  const object = objectCheck(schema, work);
  if (list === undefined || object === undefined) return undefined;
  const checks = [...parts, list, object].filter((check) => check !== always);
  const steps = stepsOf(schema);
  return (value) => {
    if (steps >= minChargedSteps) work.spend(steps);
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

/** Lists and objects among the allowed values need the compiler: they are rejected here. */
function valueCheck(schema: JsonSchema): PlainCheck {
  const { enum: allowed } = schema;
  const isListed: PlainCheck = Array.isArray(allowed) ? (value) => isScalar(value) && allowed.includes(value) : always;
  if (!Object.hasOwn(schema, "const")) return isListed;
  return (value) => isScalar(value) && value === schema["const"] && isListed(value);
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function numberCheck({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): PlainCheck {
  if ([minimum, maximum, exclusiveMinimum, exclusiveMaximum].every((limit) => limit === undefined)) return always;
  const min = numberOr(minimum, -Infinity);
  const max = numberOr(maximum, Infinity);
  const above = numberOr(exclusiveMinimum, -Infinity);
  const below = numberOr(exclusiveMaximum, Infinity);
  return (value) => typeof value !== "number" || (value >= min && value <= max && value > above && value < below);
}

function numberOr(value: unknown, other: number): number {
  return typeof value === "number" ? value : other;
}

function textCheck({ minLength, maxLength, pattern: source, format }: JsonSchema, work: ValidationBudget): PlainCheck {
  const min = numberOr(minLength, 0);
  const max = numberOr(maxLength, Infinity);
  const pattern = typeof source === "string" ? compilePattern(source) : undefined;
  const isFormatted = typeof format === "string" && Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (min === 0 && max === Infinity && pattern === undefined && isFormatted === undefined) return always;
  return (text) => {
    if (typeof text !== "string") return true;
    if ((min > 0 || max < Infinity) && !isWithin(text, min, max)) return false;
    if (pattern !== undefined) {
      work.spend(pattern.stepsPerCharacter * text.length);
      if (!pattern.test(text)) return false;
    }
    return isFormatted?.(text) ?? true;
  };
}

/** Characters are code points: at most as many as units, and at least half as many. */
function isWithin(text: string, min: number, max: number): boolean {
  if (text.length < min || text.length / 2 > max) return false;
  if (text.length <= max && text.length / 2 >= min) return true;
  let count = 0;
  for (const _ of text) count++;
  return count >= min && count <= max;
}

function listCheck({ items, minItems, maxItems }: JsonSchema, work: ValidationBudget): PlainCheck | undefined {
  // A tuple of an earlier draft.
  if (Array.isArray(items)) return undefined;
  const item = items === undefined ? always : plainCheck(items as SubSchema, work);
  if (item === undefined) return undefined;
  const min = numberOr(minItems, 0);
  const max = numberOr(maxItems, Infinity);
  if (item === always && min === 0 && max === Infinity) return always;
  return (list) => {
    if (!Array.isArray(list)) return true;
    if (list.length < min || list.length > max) return false;
    // By index: an item that was never set counts too.
    for (let index = 0; index < list.length; index++) if (!item(list[index])) return false;
    return true;
  };
}

interface Property {
  readonly name: string;
  readonly check: PlainCheck;
  /** Creates the default, a new one each time; undefined if there is none. */
  readonly preset: (() => unknown) | undefined;
}

function objectCheck(schema: JsonSchema, work: ValidationBudget): PlainCheck | undefined {
  const { required, additionalProperties: rest = true } = schema;
  const properties = readProperties(schema, work);
  const other = rest === true ? always : plainCheck(rest as SubSchema, work);
  const needed = Array.isArray(required) ? required.map(String) : [];
  if (properties === undefined || other === undefined || needed.some(isOfEveryObject)) return undefined;
  if (properties.length === 0 && needed.length === 0 && other === always) return always;
  const known = new Set(properties.map(({ name }) => name));
  const others = (value: Record<string, unknown>): boolean => {
    // Includes inherited keys, like the compiled validator.
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

function readProperties(schema: JsonSchema, work: ValidationBudget): Property[] | undefined {
  const found: Property[] = [];
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const check = plainCheck(property as SubSchema, work);
    if (check === undefined || isOfEveryObject(name)) return undefined;
    const json =
      isRecord(property) && Object.hasOwn(property, "default") ? JSON.stringify(property["default"]) : undefined;
    if (json?.includes("__proto__")) return undefined;
    found.push({ name, check, preset: json === undefined ? undefined : () => JSON.parse(json) as unknown });
  }
  return found;
}

/** Names such as `toString` exist on every object, so their absence needs an own-property check. */
function isOfEveryObject(name: string): boolean {
  return name in Object.prototype;
}
