import {
  type JsonSchema,
  type SubSchema,
  isRecord,
  setOwn,
  resolveRef,
  subSchemas,
  isImpossible,
} from "../schema/index.ts";
import { type WireNode, mergeAll, uniteAny, uniteObjects } from "./wire-merge.ts";
import { type NameMap, type WireProvider, mapKeyNames } from "./wire-name-rules.ts";

/** A tool's input schema as a provider accepts it. */
export interface WireSchema {
  readonly schema: JsonSchema;
  /** Renamed keys that the provider does not allow. */
  readonly keys: NameMap;
  /** True if any key was renamed. */
  readonly renamed: boolean;
}

/** Conversions are cached by schema: a prompt is built every turn, a tool once. */
const converted = new WeakMap<JsonSchema, Map<string, WireSchema>>();

/**
 * The portable form of a schema: a plain object at the top, arrays with items, unions as `anyOf`, references only into
 * `$defs`, patterns that every engine supports, keys that the provider allows. It may allow more than the schema, never
 * less.
 */
export function toWireSchema(json: JsonSchema, provider: WireProvider): WireSchema {
  const known = converted.get(json) ?? new Map<string, WireSchema>();
  converted.set(json, known);
  const done = known.get(provider) ?? new Conversion(json, provider).run();
  known.set(provider, done);
  return done;
}

/** Keywords that are copied unchanged. */
const plain = new Set(
  (
    "type enum const title description default examples minimum maximum exclusiveMinimum exclusiveMaximum multipleOf " +
    "minLength maxLength format minItems maxItems uniqueItems minProperties maxProperties"
  ).split(" "),
);

/** Formats that express what an additional pattern would only repeat at length. */
const formatsWithoutPattern = new Set("date-time date time duration email uri url uuid ipv4 ipv6 hostname".split(" "));

/** Maximum number of references that are inlined; the others stay references. */
const maxOpened = 50;

class Conversion {
  readonly #root: JsonSchema;
  readonly #keys: NameMap;
  readonly #renamed: boolean;
  /** References found so far, and the names of their targets under `$defs`. */
  readonly #names = new Map<string, string>();
  readonly #open: string[] = [];
  readonly #objects = new Map<JsonSchema, WireNode>();
  readonly #opening = new Set<SubSchema>();
  #opened = 0;

  constructor(root: JsonSchema, provider: WireProvider) {
    this.#root = root;
    const keys = new Set<string>();
    collectKeys(root, keys);
    this.#keys = mapKeyNames(keys, provider);
    this.#renamed = [...keys].some((key) => this.#keys.toWire(key) !== key);
  }

  run(): WireSchema {
    const top = this.#object(this.#root);
    const schema: WireNode = { ...top, type: "object", properties: top["properties"] ?? {} };
    const defs: WireNode = {};
    for (let ref = this.#open.pop(); ref !== undefined; ref = this.#open.pop()) {
      setOwn(defs, this.#names.get(ref) ?? ref, this.#node(resolveRef(this.#root, ref) ?? true));
    }
    if (this.#names.size > 0) schema["$defs"] = defs;
    return { schema, keys: this.#keys, renamed: this.#renamed };
  }

  /** The top of the schema: references inlined, members merged, forms united. */
  #object(source: SubSchema): WireNode {
    if (!isRecord(source)) return {};
    const known = this.#objects.get(source);
    if (known !== undefined) return known;
    // Placeholder while the schema is being converted, so that nothing can refer back to it.
    this.#objects.set(source, {});
    const object = this.#makeObject(source);
    this.#objects.set(source, object);
    return object;
  }

  #makeObject({ $ref, allOf, anyOf, oneOf, ...own }: JsonSchema): WireNode {
    const target = typeof $ref === "string" ? resolveRef(this.#root, $ref) : undefined;
    const parts = [this.#node(own), ...schemasIn(allOf).map((member) => this.#object(member))];
    if (target !== undefined) parts.push(this.#object(target));
    for (const forms of [schemasIn(anyOf), schemasIn(oneOf)]) {
      if (forms.length > 0) parts.push(uniteObjects(forms.map((form) => this.#object(form))));
    }
    const { enum: _values, const: _value, default: _default, ...merged } = mergeAll(parts);
    return merged;
  }

  #node(source: SubSchema): WireNode {
    if (!isRecord(source)) return {};
    const node: WireNode = {};
    for (const [keyword, value] of Object.entries(source)) if (plain.has(keyword)) node[keyword] = value;
    this.#addPattern(source, node);
    this.#addKeys(source, node);
    this.#addItems(source, node);
    if (source["nullable"] === true) allowNull(node);
    return this.#combine(source, node);
  }

  #addPattern({ pattern, format }: JsonSchema, node: WireNode): void {
    // Few engines support lookaround and backreferences, and no model benefits from a pattern this long.
    if (typeof pattern !== "string" || pattern.length > 256 || /\(\?<?[=!]|\\[1-9]|\\k</.test(pattern)) return;
    if (typeof format !== "string" || !formatsWithoutPattern.has(format)) node["pattern"] = pattern;
  }

  #addKeys(source: JsonSchema, node: WireNode): void {
    const { properties, required, propertyNames } = source;
    if (isRecord(properties)) node["properties"] = this.#properties(properties);
    if (Array.isArray(required) && required.length > 0) {
      node["required"] = [...new Set(required.map((key) => this.#keys.toWire(String(key))))];
    }
    const rest = this.#rest(source);
    if (rest !== undefined) node["additionalProperties"] = rest;
    const names = isRecord(propertyNames) ? propertyNames["enum"] : undefined;
    if (Array.isArray(names)) describe(node, `Keys: ${names.map(String).join(", ")}.`);
  }

  #properties(properties: JsonSchema): WireNode {
    const result: WireNode = {};
    for (const [key, schema] of Object.entries(properties)) {
      // A key that accepts no value at all is omitted.
      if (isImpossible(schema)) continue;
      const node = this.#node(isRecord(schema) ? schema : true);
      const name = this.#keys.toWire(key);
      if (name !== key) node["description"] = [key, node["description"]].filter(Boolean).join(": ");
      setOwn(result, name, node);
    }
    return result;
  }

  /** Schema of the other keys. Patterns for keys are not portable, so their schemas are merged into it. */
  #rest({ additionalProperties, patternProperties }: JsonSchema): unknown {
    const patterns = isRecord(patternProperties) ? Object.values(patternProperties) : [];
    if (additionalProperties === undefined) return undefined;
    if (patterns.length === 0 && !isRecord(additionalProperties)) return additionalProperties;
    const schemas = [...patterns, additionalProperties].filter((schema) => schema !== false);
    if (schemas.some((schema) => !isRecord(schema))) return true;
    return uniteAny(schemas.filter(isRecord).map((schema) => this.#node(schema)));
  }

  /** Tuples become lists of any of their items: not every provider supports positions. */
  #addItems(source: JsonSchema, node: WireNode): void {
    const { type, items, prefixItems } = source;
    const list = Array.isArray(items) ? items : prefixItems;
    const rest: unknown = Array.isArray(items) ? source["additionalItems"] : items;
    if (Array.isArray(list)) {
      const positions = list.map((item) => this.#node(item === true || isRecord(item) ? item : true));
      const after = rest === false ? [] : [this.#node(isRecord(rest) ? rest : true)];
      node["items"] = uniteAny([...positions, ...after]);
      describe(node, `Items in this order: ${positions.map(shortName).join(", ")}${rest === false ? "" : ", …"}.`);
    } else if (isRecord(items)) {
      node["items"] = this.#node(items);
    } else if ([type].flat().includes("array")) {
      node["items"] = {};
    }
  }

  #combine({ $ref, allOf, anyOf, oneOf }: JsonSchema, node: WireNode): WireNode {
    const parts = [node, ...schemasIn(allOf).map((member) => this.#member(member))];
    const forms = schemasIn(anyOf ?? oneOf).filter((form) => !isImpossible(form));
    if (forms.length > 0) parts.push(uniteAny(forms.map((form) => this.#node(form))));
    if (typeof $ref === "string") parts.push(this.#reference($ref));
    return parts.length === 1 ? node : mergeAll(parts);
  }

  /** A member of `allOf`. References are inlined here: closed objects side by side would refuse each other's keys. */
  #member(source: SubSchema): WireNode {
    const ref = isRecord(source) && Object.keys(source).length === 1 ? source["$ref"] : undefined;
    const target = typeof ref === "string" ? resolveRef(this.#root, ref) : undefined;
    // Bounded, because references may multiply and recurse.
    if (target === undefined || this.#opening.has(target) || this.#opened >= maxOpened) return this.#node(source);
    this.#opened++;
    this.#opening.add(target);
    const node = this.#node(target);
    this.#opening.delete(target);
    return node;
  }

  #reference(ref: string): WireNode {
    if (ref === "#") return { $ref: "#" };
    if (resolveRef(this.#root, ref) === undefined) return {};
    let name = this.#names.get(ref);
    if (name === undefined) {
      name = this.#freeName(ref);
      this.#names.set(ref, name);
      this.#open.push(ref);
    }
    return { $ref: `#/$defs/${name}` };
  }

  #freeName(ref: string): string {
    const stem = ref.slice(ref.lastIndexOf("/") + 1).replaceAll(/[^a-zA-Z0-9_.-]+/g, "_") || "part";
    const taken = new Set(this.#names.values());
    if (!taken.has(stem)) return stem;
    for (let count = 2; ; count++) if (!taken.has(`${stem}_${count}`)) return `${stem}_${count}`;
  }
}

function collectKeys(schema: JsonSchema, keys: Set<string>): void {
  for (const inner of subSchemas(schema)) {
    if (inner.path[0] === "properties") keys.add(String(inner.path[1]));
    if (isRecord(inner.schema)) collectKeys(inner.schema, keys);
  }
}

function schemasIn(value: unknown): SubSchema[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "boolean" || isRecord(item)) : [];
}

/** OpenAPI uses `nullable` where JSON Schema uses an additional type. */
function allowNull(node: WireNode): void {
  if (node["type"] !== undefined) node["type"] = [...new Set([node["type"], "null"].flat())];
  if (Array.isArray(node["enum"])) node["enum"] = [...new Set([...node["enum"], null])];
}

function describe(node: WireNode, text: string): void {
  const { description } = node;
  node["description"] = typeof description === "string" && description !== "" ? `${description} ${text}` : text;
}

function shortName(node: WireNode): string {
  if (typeof node["description"] === "string") return node["description"];
  const { type = "any value" } = node;
  return [type].flat().join(" or ");
}
