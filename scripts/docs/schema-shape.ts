import type { JsonSchema } from "../../src/schema/index.ts";

const width = 110;

const words: Readonly<Record<string, string>> = {
  string: "text",
  number: "number",
  integer: "whole number",
  boolean: "true or false",
  object: "map",
  array: "list",
  null: "null",
};

/** What a schema takes, in few words: for the cell of a table. */
export function typeOf(schema: JsonSchema): string {
  const forms = variantsOf(schema);
  if (forms.length > 0) return [...new Set(forms.map(typeOf))].join(" or ");
  if (Array.isArray(schema["enum"])) return schema["enum"].map((item) => `\`${String(item)}\``).join(", ");
  if ("const" in schema) return `\`${String(schema["const"])}\``;
  const { type, items, additionalProperties: values } = schema;
  if (Array.isArray(type)) return type.map((name) => words[String(name)] ?? "anything").join(" or ");
  if (type === "array" && isSchema(items)) return `list of ${typeOf(items)}`;
  if (type === "object" && isSchema(values)) return `map of ${typeOf(values)}`;
  return words[String(type)] ?? "anything";
}

/** The shape of a value, written like one: `{ title: text, tags?: [text] }`; on several lines where one is too long. */
export function shapeOf(schema: JsonSchema): string {
  return shape({ schema, root: schema, indent: "", seen: [] });
}

interface Place {
  readonly schema: JsonSchema;
  /** Where `$ref` leads. */
  readonly root: JsonSchema;
  readonly indent: string;
  /** References that led here; a second time is told by its name only. */
  readonly seen: readonly string[];
}

function shape(place: Place): string {
  const { schema, seen } = place;
  const ref = schema["$ref"];
  if (typeof ref === "string") {
    const name = ref.split("/").at(-1) ?? ref;
    if (seen.includes(ref)) return `… (${name} again)`;
    return shape({ ...place, schema: resolve(place.root, ref), seen: [...seen, ref] });
  }
  const forms = variantsOf(schema);
  if (forms.length > 0) return [...new Set(forms.map((form) => shape({ ...place, schema: form })))].join(" or ");
  const items = schema["items"];
  if (schema["type"] === "array" && isSchema(items)) return `[${shape({ ...place, schema: items })}]`;
  return isSchema(schema["properties"]) ? fields(place, schema["properties"]) : valueOf(schema);
}

function valueOf(schema: JsonSchema): string {
  const choices = schema["enum"];
  return Array.isArray(choices) ? choices.map((item) => JSON.stringify(item)).join(" or ") : typeOf(schema);
}

function fields(place: Place, properties: JsonSchema): string {
  const required = new Set((place.schema["required"] ?? []) as string[]);
  const indent = `${place.indent}  `;
  const parts = Object.entries(properties).map(([name, value]) => {
    const inner = isSchema(value) ? shape({ ...place, schema: value, indent }) : "anything";
    return `${name}${required.has(name) ? "" : "?"}: ${inner}`;
  });
  const line = `{ ${parts.join(", ")} }`;
  if (place.indent.length + line.length <= width && !line.includes("\n")) return line;
  return `{\n${parts.map((part) => `${indent}${part}`).join("\n")}\n${place.indent}}`;
}

function resolve(root: JsonSchema, ref: string): JsonSchema {
  let found: unknown = root;
  for (const key of ref.split("/").slice(1)) found = isSchema(found) ? found[key] : undefined;
  if (!isSchema(found)) throw new Error(`nothing stands behind ${ref}`);
  return found;
}

function variantsOf(schema: JsonSchema): JsonSchema[] {
  return [schema["oneOf"], schema["anyOf"]].flatMap((list) => (Array.isArray(list) ? list.filter(isSchema) : []));
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
