import { type JsonSchema, isRecord, propertiesOf, setOwn, resolveRef, jsonTypeOf } from "../schema/index.ts";
import { type WireNode, mergeAll } from "./wire-merge.ts";

/** Maximum number of schemas written out; later ones are only described. This also bounds references and recursion. */
const maxNodes = 2000;
const maxDepth = 24;

/**
 * A portable schema in the subset that Gemini supports: one type per schema, no references, `nullable` instead of a
 * null type, lists of values for text only, and nothing next to `anyOf`. Anything that the subset cannot express goes
 * into the description. Undefined for an object without keys: a function without parameters has none.
 */
export function toGeminiSchema(portable: JsonSchema): JsonSchema | undefined {
  const { properties, description, additionalProperties } = portable;
  const none = !isRecord(properties) || Object.keys(properties).length === 0;
  if (none && description === undefined && !isRecord(additionalProperties)) return undefined;
  const { type: _type, ...schema } = new Gemini(portable).write(portable, [], 0);
  return { type: "object", ...schema };
}

class Gemini {
  readonly #root: JsonSchema;
  #nodes = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  write(source: JsonSchema, above: readonly string[], depth: number): WireNode {
    if (++this.#nodes > maxNodes || depth > maxDepth) return cutOff(source);
    const ref = source["$ref"];
    if (typeof ref === "string") return this.#open(source, ref, { above, depth });
    const node = { ...source };
    const notes: string[] = [];
    const nullable = takeNull(node);
    const union = this.#union(node, above, depth);
    const written = union ?? this.#single(node, notes, { above, depth });
    addNotes(written, notes);
    return nullable ? makeNullable(written) : written;
  }

  #open({ $ref: _ref, ...own }: JsonSchema, ref: string, { above, depth }: Position): WireNode {
    const target = resolveRef(this.#root, ref);
    if (!isRecord(target)) return this.write(own, above, depth);
    if (above.includes(ref)) return cutOff({ ...own, type: target["type"], title: target["title"] ?? lastPart(ref) });
    return this.write(mergeAll([own, target]), [...above, ref], depth + 1);
  }

  /** `anyOf` must stand alone, so keywords next to it move into its forms; several types are forms too. */
  #union({ anyOf, ...own }: WireNode, above: readonly string[], depth: number): WireNode | undefined {
    const forms = Array.isArray(anyOf) ? anyOf.filter(isRecord) : typeForms(own);
    if (forms.length === 0) return undefined;
    const { description, title: _title, default: _default, ...shared } = Array.isArray(anyOf) ? own : {};
    const about = Array.isArray(anyOf) ? description : own["description"];
    const written = forms
      .filter((form) => form["type"] !== "null")
      .map((form) => this.write(mergeAll([form, shared]), above, depth + 1));
    if (written.length === 0) return onlyNull(own);
    if (forms.length > written.length) for (const form of written) makeNullable(form);
    for (const form of written) if (typeof about === "string") addNotes(form, [about], true);
    return written.length === 1 ? written[0] : { anyOf: written.flatMap((form) => form["anyOf"] ?? form) };
  }

  #single(node: WireNode, notes: string[], position: Position): WireNode {
    const type = [node["type"] ?? impliedType(node)].flat()[0];
    const written: WireNode = { type };
    if (typeof node["title"] === "string") written["title"] = node["title"];
    if (typeof node["description"] === "string") written["description"] = node["description"];
    if (node["default"] !== undefined) notes.push(`Default: ${JSON.stringify(node["default"])}.`);
    switch (type) {
      case undefined:
        return anything(written);
      case "null":
        return onlyNull(node);
      case "string":
        writeString(node, written, notes);
        break;
      case "number":
      case "integer":
        writeNumber(node, written, notes);
        break;
      case "boolean":
        writeValues(node, notes);
        break;
      case "array":
        this.#writeArray(node, written, position);
        break;
      default:
        this.#writeObject(node, written, position);
        describeRest(node, notes);
    }
    return written;
  }

  #writeArray(node: WireNode, written: WireNode, { above, depth }: Position): void {
    copy(node, written, ["minItems", "maxItems"]);
    written["items"] = this.write(isRecord(node["items"]) ? node["items"] : {}, above, depth + 1);
  }

  #writeObject(node: WireNode, written: WireNode, { above, depth }: Position): void {
    const { required } = node;
    const inner: WireNode = {};
    for (const [key, schema] of Object.entries(propertiesOf(node))) {
      if (isRecord(schema)) setOwn(inner, key, this.write(schema, above, depth + 1));
    }
    // An object must have keys or omit the keyword.
    if (Object.keys(inner).length > 0) written["properties"] = inner;
    const known = Array.isArray(required) ? required.filter((key) => Object.hasOwn(inner, String(key))) : [];
    if (known.length > 0) written["required"] = known;
  }
}

/** Does not mention which keys are allowed: the description may list them already. */
function describeRest({ properties, additionalProperties }: WireNode, notes: string[]): void {
  if (!isRecord(additionalProperties)) return;
  const { type = "any" } = additionalProperties;
  const named = isRecord(properties) && Object.keys(properties).length > 0;
  notes.push(`${named ? "Other keys have" : "A map, its"} values of type ${[type].flat().join(" or ")}.`);
}

interface Position {
  /** The references being written out. */
  readonly above: readonly string[];
  readonly depth: number;
}

/** Removes the null type from a schema and returns whether it was present. */
function takeNull(node: WireNode): boolean {
  const { type, enum: values } = node;
  let found = false;
  if (Array.isArray(values) && values.length > 1 && values.includes(null)) {
    node["enum"] = values.filter((value) => value !== null);
    found = true;
  }
  if (Array.isArray(type) && type.length > 1) {
    const types = type.filter((name) => name !== "null");
    found ||= types.length < type.length;
    node["type"] = types.length === 1 ? types[0] : types;
  }
  return found;
}

function typeForms(node: WireNode): WireNode[] {
  const { type, description: _description, ...rest } = node;
  if (Array.isArray(type)) return type.map((name) => ({ ...rest, type: name }));
  const values = node["enum"];
  if (type !== undefined || !Array.isArray(values)) return [];
  // Values of several types: one form each.
  const types = [...new Set(values.map(jsonTypeOf))];
  if (types.length < 2) return [];
  return types.map((name) => ({ type: name, enum: values.filter((value) => jsonTypeOf(value) === name) }));
}

function impliedType(node: WireNode): unknown {
  if (Object.hasOwn(node, "const")) return jsonTypeOf(node["const"]);
  if (Array.isArray(node["enum"]) && node["enum"].length > 0) return jsonTypeOf(node["enum"][0]);
  if (isRecord(node["properties"]) || Object.hasOwn(node, "additionalProperties")) return "object";
  return node["items"] === undefined ? undefined : "array";
}

function writeString(node: WireNode, written: WireNode, notes: string[]): void {
  const values = valuesOf(node);
  const texts = values.filter((value) => typeof value === "string" && value !== "");
  if (texts.length > 0) {
    written["format"] = "enum";
    written["enum"] = texts;
  }
  if (values.includes("")) notes.push("May be empty.");
  copy(node, written, ["minLength", "maxLength", "pattern"]);
  const { format } = node;
  if (format === "date-time" && texts.length === 0) written["format"] = format;
  else if (typeof format === "string") notes.push(`Format: ${format}.`);
}

function writeNumber(node: WireNode, written: WireNode, notes: string[]): void {
  writeValues(node, notes);
  copy(node, written, ["minimum", "maximum"]);
  const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = node;
  const step = written["type"] === "integer" ? 1 : 0;
  if (typeof above === "number") {
    written["minimum"] = Math.max(
      Number(written["minimum"] ?? -Infinity),
      Math.floor(above) === above ? above + step : above,
    );
    if (step === 0) notes.push(`More than ${above}.`);
  }
  if (typeof below === "number") {
    written["maximum"] = Math.min(
      Number(written["maximum"] ?? Infinity),
      Math.floor(below) === below ? below - step : below,
    );
    if (step === 0) notes.push(`Less than ${below}.`);
  }
  if (typeof multipleOf === "number") notes.push(`A multiple of ${multipleOf}.`);
}

/** Only text can have a list of values; for other types it goes into the description. */
function writeValues(node: WireNode, notes: string[]): void {
  const type = node["type"] === "boolean" ? "boolean" : "number";
  const values = valuesOf(node).filter((value) => typeof value === type);
  if (values.length > 0) notes.push(`One of ${values.slice(0, 50).map(String).join(", ")}.`);
}

function valuesOf(node: WireNode): readonly unknown[] {
  if (Object.hasOwn(node, "const")) return [node["const"]];
  return Array.isArray(node["enum"]) ? node["enum"] : [];
}

/** There is no null type: uses a nullable text without values. */
function onlyNull({ description }: WireNode): WireNode {
  const about = typeof description === "string" ? `${description} Always null.` : "Always null.";
  return { type: "string", nullable: true, description: about };
}

/** Every schema must have a type, so "anything" is a union of all types. */
function anything({ description }: WireNode): WireNode {
  const about = description === undefined ? {} : { description };
  const types = ["string", "number", "boolean", "object"].map((type) => ({ type, ...about }));
  return { anyOf: [...types, { type: "array", items: { type: "string" }, ...about }] };
}

function cutOff({ description, title, type }: JsonSchema): WireNode {
  const name = typeof title === "string" ? ` ${title}` : "";
  const about = [description, `Nested${name}, of the same shape as above.`].filter((text) => typeof text === "string");
  return { type: type === "array" || type === undefined ? "object" : [type].flat()[0], description: about.join(" ") };
}

function lastPart(ref: string): string | undefined {
  const name = ref.slice(ref.lastIndexOf("/") + 1);
  return name === "#" || name.startsWith("__") ? undefined : name;
}

function makeNullable(node: WireNode): WireNode {
  if (!Array.isArray(node["anyOf"])) node["nullable"] = true;
  else for (const form of node["anyOf"].filter(isRecord)) makeNullable(form);
  return node;
}

/** Adds sentences to a description; for a union, to that of every form. */
function addNotes(node: WireNode, notes: readonly string[], first = false): void {
  if (notes.length === 0) return;
  if (Array.isArray(node["anyOf"])) {
    for (const form of node["anyOf"].filter(isRecord)) addNotes(form, notes, first);
    return;
  }
  const own = typeof node["description"] === "string" ? [node["description"]] : [];
  node["description"] = (first ? [...notes, ...own] : [...own, ...notes]).join(" ");
}

function copy(from: WireNode, to: WireNode, keywords: readonly string[]): void {
  for (const keyword of keywords) if (from[keyword] !== undefined) to[keyword] = from[keyword];
}
