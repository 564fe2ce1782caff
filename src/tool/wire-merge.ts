import { canonicalJson } from "../base/index.ts";
import { type JsonSchema, isRecord, setOwn, propertiesOf } from "../schema/index.ts";

/** A mutable schema in conversion to the wire format. */
export type WireNode = Record<string, unknown>;

/**
 * One schema for values that match all of several. If two differ on the same keyword, the first is used: the result may
 * allow more than all of them together, never less.
 */
export function mergeAll(schemas: readonly JsonSchema[]): WireNode {
  const merged: WireNode = {};
  for (const schema of schemas) {
    for (const [keyword, value] of Object.entries(schema)) {
      const merge = Object.hasOwn(merged, keyword) ? merges.get(keyword) : replace;
      if (merge !== undefined) merged[keyword] = merge(merged[keyword], value);
    }
  }
  // A key is refused only if every member that may define keys refuses it.
  const closed = schemas.filter(mayKnowKeys).every((schema) => schema["additionalProperties"] === false);
  if (merged["additionalProperties"] === false && !closed) delete merged["additionalProperties"];
  return merged;
}

function mayKnowKeys(schema: JsonSchema): boolean {
  return ["properties", "additionalProperties", "$ref", "anyOf"].some((keyword) => Object.hasOwn(schema, keyword));
}

type Merge = (first: unknown, second: unknown) => unknown;

const replace: Merge = (_first, second) => second;

/** Merge function per keyword; for every other keyword the first value stays. */
const merges: ReadonlyMap<string, Merge> = new Map<string, Merge>([
  ["additionalProperties", (first, second) => (first === false ? second : first)],
  ["description", (first, second) => (first === second ? first : `${String(first)} ${String(second)}`)],
  ["items", (first, second) => (isRecord(first) && isRecord(second) ? mergeAll([first, second]) : first)],
  ["properties", (first, second) => (isRecord(first) && isRecord(second) ? mergeProperties(first, second) : first)],
  ["required", (first, second) => [...new Set([first, second].flat())]],
  ["type", (first, second) => (first === "number" && second === "integer" ? second : first)],
]);

function mergeProperties(first: JsonSchema, second: JsonSchema): WireNode {
  const merged: WireNode = { ...first };
  for (const [key, schema] of Object.entries(second)) {
    const known = Object.hasOwn(merged, key) ? merged[key] : undefined;
    setOwn(merged, key, isRecord(known) && isRecord(schema) ? mergeAll([known, schema]) : schema);
  }
  return merged;
}

/** One object schema for values that match any of several: with all their keys; a key is required if all require it. */
export function uniteObjects(forms: readonly JsonSchema[]): WireNode {
  const [only, second] = forms;
  if (only !== undefined && second === undefined) return { ...only };
  const united: WireNode = { type: "object", properties: uniteProperties(forms) };
  const required = requiredByAll(forms);
  if (required.length > 0) united["required"] = required;
  if (forms.every((form) => form["additionalProperties"] === false)) united["additionalProperties"] = false;
  united["description"] = describeForms(forms);
  return united;
}

function uniteProperties(forms: readonly JsonSchema[]): WireNode {
  const found = new Map<string, JsonSchema[]>();
  for (const form of forms) {
    for (const [key, schema] of Object.entries(propertiesOf(form))) {
      found.set(key, [...(found.get(key) ?? []), ...(isRecord(schema) ? [schema] : [])]);
    }
  }
  const properties: WireNode = {};
  for (const [key, schemas] of found) setOwn(properties, key, uniteAny(schemas));
  return properties;
}

/** One schema for values that match any of several; constant values become one list. */
export function uniteAny(schemas: readonly JsonSchema[]): WireNode {
  const flat = schemas.flatMap((schema) => (isBareUnion(schema) ? schema["anyOf"].filter(isRecord) : [schema]));
  const distinct = [...new Map(flat.map((schema) => [canonicalJson(schema), schema])).values()];
  const [only] = distinct;
  if (only === undefined || distinct.some((schema) => Object.keys(schema).length === 0)) return {};
  if (distinct.length === 1) return { ...only };
  const values = distinct.map(fixedValues);
  const types = new Set(distinct.map((schema) => schema["type"]));
  if (values.every((list) => list !== undefined) && types.size === 1) {
    const [type] = types;
    return { ...(type !== undefined && { type }), enum: [...new Set(values.flat())] };
  }
  return { anyOf: distinct };
}

function isBareUnion(schema: JsonSchema): schema is { anyOf: unknown[] } {
  return Array.isArray(schema["anyOf"]) && Object.keys(schema).length === 1;
}

/** The values of a schema that is only a list of scalars. */
function fixedValues(schema: JsonSchema): unknown[] | undefined {
  if (Object.keys(schema).some((keyword) => !["type", "const", "enum"].includes(keyword))) return undefined;
  const values: unknown = Object.hasOwn(schema, "const") ? [schema["const"]] : schema["enum"];
  return Array.isArray(values) && values.every((value) => typeof value !== "object") ? values : undefined;
}

function requiredByAll(forms: readonly JsonSchema[]): string[] {
  const [first = [], ...others] = forms.map(requiredOf);
  return first.filter((key) => others.every((required) => required.includes(key)));
}

const maxDescriptionLength = 2000;

/** Describes for a model which keys belong together, since the merged schema no longer says so. */
function describeForms(forms: readonly JsonSchema[]): string {
  const texts = forms.slice(0, 20).map((form) => {
    const required = requiredOf(form);
    const own = new Map<string, unknown>(Object.entries(propertiesOf(form)));
    // A form may require a key that is described next to it.
    for (const key of required) if (!own.has(key)) own.set(key, true);
    const keys = [...own].map(([key, schema]) => {
      const values = isRecord(schema) ? fixedValues(schema) : undefined;
      const fixed = values?.length === 1 ? `: ${JSON.stringify(values[0])}` : "";
      return `${key}${required.includes(key) ? "" : "?"}${fixed}`;
    });
    const about = typeof form["description"] === "string" ? ` (${form["description"]})` : "";
    return `{ ${keys.join(", ")} }${about}`;
  });
  const text = `Exactly one of these forms: ${texts.join(" | ")}`;
  return text.length > maxDescriptionLength ? `${text.slice(0, maxDescriptionLength)}…`.toWellFormed() : text;
}

function requiredOf({ required }: JsonSchema): string[] {
  return Array.isArray(required) ? required.filter((key) => typeof key === "string") : [];
}
