import { type JsonSchema, type SubSchema, isRecord, setOwn, resolveRef, propertiesOf } from "../../schema/index.ts";

/** Larger stubs have no use. */
const maxItems = 100;
const maxDepth = 16;
const maxNodes = 5_000;

/**
 * A value that fits a JSON Schema, the same one every time: what the schema gives as `const`, `default`, example or
 * `enum`, else the smallest value of its type. An object has its required properties, or all declared ones where the
 * schema requires none; a list has an item. Made for dry runs: a pattern may be missed.
 *
 * @example
 * ```ts
 * stubFromSchema({ type: "object", properties: { id: { type: "string" }, sent: { const: true } } }); // { id: "text", sent: true }
 * ```
 */
export function stubFromSchema(schema: JsonSchema): unknown {
  return new Stub(schema).of(schema, 0);
}

class Stub {
  readonly #root: JsonSchema;
  /** References being followed: one that leads back to itself ends there. */
  readonly #following = new Set<string>();
  #nodes = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  of(schema: SubSchema | undefined, depth: number): unknown {
    if (!isRecord(schema) || depth > maxDepth || ++this.#nodes > maxNodes) return null;
    const ref = schema["$ref"];
    if (typeof ref === "string") return this.#followed(ref, schema, depth);
    const whole = this.#merged(schema, depth);
    const input = schemaValue(whole);
    return input === undefined ? this.#byType(whole, depth) : structuredClone(input.value);
  }

  #followed(ref: string, schema: JsonSchema, depth: number): unknown {
    if (this.#following.has(ref)) return null;
    const { $ref: _, ...beside } = schema;
    const target = resolveRef(this.#root, ref);
    this.#following.add(ref);
    const value = this.of(isRecord(target) ? merge(target, beside) : beside, depth + 1);
    this.#following.delete(ref);
    return value;
  }

  /** Merges `allOf`, and the first variant of a union. */
  #merged({ allOf, anyOf, oneOf, ...own }: JsonSchema, depth: number): JsonSchema {
    if (depth > maxDepth || ++this.#nodes > maxNodes) return own;
    const forms = [anyOf, oneOf].map((union) => (Array.isArray(union) ? this.#firstForm(union) : undefined));
    const parts = [...(Array.isArray(allOf) ? (allOf as unknown[]) : []), ...forms].map((part) => this.#target(part));
    const demanded = parts.filter(isRecord).map((part) => this.#merged(part, depth + 1));
    return demanded.reduce<JsonSchema>((whole, part) => merge(whole, part), own);
  }

  /** A specific variant comes before `null` and before a reference that is being followed. */
  #firstForm(forms: readonly unknown[]): unknown {
    const usable = forms.filter((form) => isRecord(form) && !this.#following.has(String(form["$ref"])));
    return usable.find((form) => isRecord(form) && form["type"] !== "null") ?? usable[0];
  }

  #target(part: unknown): unknown {
    let found = part;
    for (let steps = 0; isRecord(found) && typeof found["$ref"] === "string" && steps < maxDepth; steps++) {
      const { $ref, ...beside } = found;
      const target = resolveRef(this.#root, $ref);
      found = isRecord(target) ? merge(target, beside) : beside;
    }
    return found;
  }

  #byType(schema: JsonSchema, depth: number): unknown {
    switch (typeOf(schema)) {
      case "object":
        return this.#object(schema, depth);
      case "array":
        return this.#list(schema, depth);
      case "string":
        return stubText(schema);
      case "number":
        return stubNumber(schema, false);
      case "integer":
        return stubNumber(schema, true);
      case "boolean":
        return true;
      default:
        return null;
    }
  }

  #object(schema: JsonSchema, depth: number): Record<string, unknown> {
    const properties = propertiesOf(schema);
    const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]).map(String) : [];
    const result: Record<string, unknown> = {};
    for (const key of required.length > 0 ? required : Object.keys(properties)) {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (property === false || (required.length === 0 && this.#leadsBack(property))) continue;
      setOwn(result, key, this.of(isRecord(property) ? property : {}, depth + 1));
    }
    return result;
  }

  #list(schema: JsonSchema, depth: number): unknown[] {
    const [first, rest] = Array.isArray(schema["items"])
      ? [schema["items"] as unknown[], schema["additionalItems"]]
      : [Array.isArray(schema["prefixItems"]) ? (schema["prefixItems"] as unknown[]) : [], schema["items"]];
    const items = first.slice(0, maxItems).map((item) => this.of(isRecord(item) ? item : {}, depth + 1));
    const min = Math.min(countOf(schema["minItems"], 0), maxItems);
    const limit = countOf(schema["maxItems"], maxItems);
    const count = Math.min(Math.max(min, rest === false || this.#leadsBack(rest) ? 0 : 1), limit);
    while (items.length < count) items.push(this.of(isRecord(rest) ? rest : {}, depth + 1));
    return schema["uniqueItems"] === true ? makeUnique(items) : items;
  }

  #leadsBack(schema: unknown): boolean {
    return isRecord(schema) && typeof schema["$ref"] === "string" && this.#following.has(schema["$ref"]);
  }
}

/** The value that the schema itself offers. */
function schemaValue(schema: JsonSchema): { readonly value: unknown } | undefined {
  if (Object.hasOwn(schema, "const")) return { value: schema["const"] };
  const { examples, enum: choices } = schema;
  if (Array.isArray(examples) && examples.length > 0) return { value: examples[0] };
  for (const key of ["example", "default"]) if (Object.hasOwn(schema, key)) return { value: schema[key] };
  return Array.isArray(choices) && choices.length > 0 ? { value: choices[0] } : undefined;
}

/** Merges two schemas; for the same keyword the second one wins, except for properties. */
function merge(one: JsonSchema, two: JsonSchema): JsonSchema {
  const result: Record<string, unknown> = { ...one, ...two };
  const [left, right] = [one["properties"], two["properties"]];
  if (isRecord(left) && isRecord(right)) result["properties"] = { ...left, ...right };
  const [some, more] = [one["required"], two["required"]];
  if (Array.isArray(some) && Array.isArray(more)) result["required"] = [...new Set<unknown>([...some, ...more])];
  return result;
}

/** Type that the schema declares, or that its other keywords imply. */
function typeOf(schema: JsonSchema): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return (type as unknown[]).find((name) => name !== "null") ?? "null";
  if (type !== undefined) return type;
  const about = (keywords: readonly string[]): boolean => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (about(["properties", "required"])) return "object";
  if (about(["items", "prefixItems", "minItems"])) return "array";
  if (about(["minLength", "maxLength", "pattern", "format"])) return "string";
  return about(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) ? "number" : "null";
}

/** Makes numbers and strings distinct by counting up; other values stay as they are. */
function makeUnique(items: readonly unknown[]): unknown[] {
  return items.map((item, at) => {
    if (at === 0) return item;
    if (typeof item === "number") return item + at;
    return typeof item === "string" ? `${item}${at + 1}` : item;
  });
}

function countOf(value: unknown, otherwise: number): number {
  return typeof value === "number" && value >= 0 ? Math.ceil(value) : otherwise;
}

/** Strings for the formats that tools use; each is valid for its format. */
const formatted: Readonly<Record<string, string>> = {
  "date-time": "2000-01-01T00:00:00Z",
  date: "2000-01-01",
  time: "00:00:00Z",
  duration: "PT0S",
  email: "someone@example.com",
  "idn-email": "someone@example.com",
  hostname: "example.com",
  "idn-hostname": "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  "uri-reference": "https://example.com/",
  iri: "https://example.com/",
  "iri-reference": "https://example.com/",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
  "json-pointer": "/",
  regex: "text",
};

const maxTextLength = 10_000;

/** A string that fits the format and the lengths of a schema. */
function stubText({ format, minLength, maxLength }: JsonSchema): string {
  if (typeof format === "string" && Object.hasOwn(formatted, format)) return formatted[format] ?? "text";
  const min = typeof minLength === "number" ? Math.min(minLength, maxTextLength) : 0;
  const maxCount = typeof maxLength === "number" ? maxLength : maxTextLength;
  return "text".padEnd(min, ".").slice(0, Math.max(maxCount, 0));
}

/** A number within the limits of a schema; usually the one closest to zero. */
function stubNumber(schema: JsonSchema, whole: boolean): number {
  const low = lowest(schema, whole);
  const high = highest(schema, whole);
  const step = positive(schema["multipleOf"]) ?? (whole ? 1 : undefined);
  const start = low > 0 ? low : high < 0 ? high : 0;
  if (step === undefined || start === 0) return start;
  const multiple = (low > 0 ? Math.ceil(start / step) : Math.floor(start / step)) * step;
  return multiple === 0 ? 0 : multiple;
}

function lowest({ minimum, exclusiveMinimum, exclusiveMaximum, maximum }: JsonSchema, whole: boolean): number {
  const inclusive = finite(minimum) ?? -Infinity;
  const exclusive = finite(exclusiveMinimum);
  if (exclusive === undefined || exclusive < inclusive) return inclusive;
  const above = Math.min(finite(maximum) ?? Infinity, finite(exclusiveMaximum) ?? Infinity);
  return whole ? Math.floor(exclusive) + 1 : between(exclusive, above);
}

function highest({ maximum, exclusiveMaximum, exclusiveMinimum, minimum }: JsonSchema, whole: boolean): number {
  const inclusive = finite(maximum) ?? Infinity;
  const exclusive = finite(exclusiveMaximum);
  if (exclusive === undefined || exclusive > inclusive) return inclusive;
  const below = Math.max(finite(minimum) ?? -Infinity, finite(exclusiveMinimum) ?? -Infinity);
  return whole ? Math.ceil(exclusive) - 1 : -between(-exclusive, -below);
}

/** Just above a limit, and not beyond the other one. */
function between(limit: number, above: number): number {
  return Number.isFinite(above) && above <= limit + 1 ? (limit + above) / 2 : limit + 1;
}

function finite(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function positive(value: unknown): number | undefined {
  const number = finite(value);
  return number !== undefined && number > 0 ? number : undefined;
}
