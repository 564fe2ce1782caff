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

/** Returns a short description of the type of a schema, for a table cell. */
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

/** Renders the shape of a value: `{ title: text, tags?: [text] }`; on several lines if one is too long. */
export function shapeOf(schema: JsonSchema): string {
  return shape({ schema, root: schema, indent: "", seen: [] });
}

interface ShapePosition {
  readonly schema: JsonSchema;
  /** Schema against which `$ref` is resolved. */
  readonly root: JsonSchema;
  readonly indent: string;
  /** References that led here; a repeated one is rendered by its name only. */
  readonly seen: readonly string[];
}

function shape(position: ShapePosition): string {
  const { schema, seen } = position;
  const ref = schema["$ref"];
  if (typeof ref === "string") {
    const name = ref.split("/").at(-1) ?? ref;
    if (seen.includes(ref)) return `… (${name} again)`;
    return shape({ ...position, schema: resolve(position.root, ref), seen: [...seen, ref] });
  }
  const forms = variantsOf(schema);
  if (forms.length > 0) return [...new Set(forms.map((form) => shape({ ...position, schema: form })))].join(" or ");
  const items = schema["items"];
  if (schema["type"] === "array" && isSchema(items)) return `[${shape({ ...position, schema: items })}]`;
  return isSchema(schema["properties"]) ? fields(position, schema["properties"]) : valueOf(schema);
}

function valueOf(schema: JsonSchema): string {
  const choices = schema["enum"];
  return Array.isArray(choices) ? choices.map((item) => JSON.stringify(item)).join(" or ") : typeOf(schema);
}

function fields(position: ShapePosition, properties: JsonSchema): string {
  const required = new Set((position.schema["required"] ?? []) as string[]);
  const indent = `${position.indent}  `;
  const parts = Object.entries(properties).map(([name, value]) => {
    const inner = isSchema(value) ? shape({ ...position, schema: value, indent }) : "anything";
    return `${name}${required.has(name) ? "" : "?"}: ${inner}`;
  });
  const line = `{ ${parts.join(", ")} }`;
  if (position.indent.length + line.length <= width && !line.includes("\n")) return line;
  return `{\n${parts.map((part) => `${indent}${part}`).join("\n")}\n${position.indent}}`;
}

function resolve(root: JsonSchema, ref: string): JsonSchema {
  let found: unknown = root;
  for (const key of ref.split("/").slice(1)) found = isSchema(found) ? found[key] : undefined;
  if (!isSchema(found)) throw new Error(`cannot resolve ${ref}`);
  return found;
}

function variantsOf(schema: JsonSchema): JsonSchema[] {
  return [schema["oneOf"], schema["anyOf"]].flatMap((list) => (Array.isArray(list) ? list.filter(isSchema) : []));
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
