import { workspaceSchema } from "../../src/app/index.ts";
import { chainFileSchema } from "../../src/chain/index.ts";
import type { JsonSchema } from "../../src/schema/index.ts";
import { toolFileSchema } from "../../src/tool/index.ts";

/** Renders the page of the keys of a tool file. */
export function toolFilePage(): string {
  return page("Tool files", toolFileSchema, "`windlass schema tool` prints the JSON Schema for editors.");
}

/** Renders the page of the keys of a chain file. */
export function chainFilePage(): string {
  return page("Chain files", chainFileSchema, "`windlass schema chain` prints the JSON Schema for editors.");
}

/** Renders the page of the keys of windlass.yaml. */
export function workspacePage(): string {
  return page("windlass.yaml", workspaceSchema(), "`windlass schema workspace` prints the JSON Schema for editors.");
}

/** Renders the page of the keys of a schema. */
export function page(title: string, schema: JsonSchema, note: string): string {
  return `<!-- Generated from the schema in the code by npm run docs. -->
# ${title}

Every key with its type and its meaning. Unknown keys are errors, with a suggestion. ${note}

| key | type | meaning |
| --- | --- | --- |
${rowsOf(schema, "").join("\n")}
`;
}

function rowsOf(schema: JsonSchema, prefix: string): string[] {
  const properties = (schema["properties"] ?? {}) as Record<string, JsonSchema>;
  const required = new Set((schema["required"] ?? []) as string[]);
  return Object.entries(properties).flatMap(([key, value]) => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    const about = typeof value["description"] === "string" ? value["description"] : "";
    const mark = required.has(key) ? " (required)" : "";
    return [`| \`${name}\`${mark} | ${holds(value)} | ${escape(about)} |`, ...nested(value, name)];
  });
}

function nested(value: JsonSchema, name: string): string[] {
  const items = value["items"] as JsonSchema | undefined;
  const forms = [value, ...variants(value), ...(items === undefined ? [] : [items, ...variants(items)])];
  const inner = items === undefined ? name : `${name}[]`;
  const rows = forms.flatMap((form) => rowsOf(form, form === value || variants(value).includes(form) ? name : inner));
  return [...new Set([...rows, ...rowsOf((value["additionalProperties"] ?? {}) as JsonSchema, `${name}.*`)])];
}

function variants(value: JsonSchema): JsonSchema[] {
  return [...((value["oneOf"] ?? []) as JsonSchema[]), ...((value["anyOf"] ?? []) as JsonSchema[])];
}

function holds(value: JsonSchema): string {
  if (typeof value["title"] === "string") return escape(value["title"]);
  if (Array.isArray(value["enum"])) return value["enum"].map((item) => `\`${String(item)}\``).join(", ");
  if ("const" in value) return `\`${String(value["const"])}\``;
  if (variants(value).length > 0) return "one of several forms";
  const type = value["type"];
  if (type === "array") return `list of ${holds((value["items"] ?? {}) as JsonSchema)}`;
  if (type === "object" && typeof value["additionalProperties"] === "object") {
    return `map of ${holds(value["additionalProperties"] as JsonSchema)}`;
  }
  return names[String(type)] ?? "anything";
}

const names: Readonly<Record<string, string>> = {
  string: "text",
  number: "number",
  integer: "whole number",
  boolean: "`true` or `false`",
  object: "map",
};

function escape(text: string): string {
  return text.replaceAll("|", "\\|");
}
