import { type JsonSchema, isRecord } from "../../../schema/index.ts";

/** The keyword by which a server requests that an argument be repeated as a header, for routing. */
const keyword = "x-mcp-header";

/** A header's name, by the rules of HTTP. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const plainTypes: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/** Keywords whose value maps names to schemas. */
const mapOfSchemas = /^(?:properties|patternProperties|\$defs|definitions|dependentSchemas)$/;

/** Keywords whose value is not a schema. */
const values = /^(?:const|enum|default|examples)$/;

/** Deeper schemas are meant to overflow their readers. */
const maxDepth = 100;

/** An argument that is sent as a header. */
interface HeaderArgument {
  readonly path: readonly string[];
  readonly header: string;
}

/** The headers that a tool requires, or what is wrong with them; a tool with invalid headers must not be offered. */
export type ToolHeaders =
  | { readonly ok: true; readonly headers: readonly HeaderArgument[] }
  | { readonly ok: false; readonly problem: string };

/** Reads which arguments are sent as headers: only properties, and properties of those, may have the keyword. */
export function readToolHeaders(schema: JsonSchema): ToolHeaders {
  const headers: HeaderArgument[] = [];
  const problem = readProperties(schema, [], headers) ?? positionProblem(schema, headers.length);
  if (problem !== undefined) return { ok: false, problem };
  const names = new Set(headers.map(({ header }) => header.toLowerCase()));
  return names.size === headers.length ? { ok: true, headers } : { ok: false, problem: `two ${keyword} are the same` };
}

function readProperties(schema: unknown, path: readonly string[], headers: HeaderArgument[]): string | undefined {
  if (path.length > maxDepth) return "its input schema is too deep";
  for (const [name, property] of entriesOf(schema, "properties")) {
    const header: unknown = property[keyword];
    const here = [...path, name];
    if (header !== undefined) {
      if (typeof header !== "string" || !token.test(header))
        return `${keyword} of "${here.join(".")}" is not a header name`;
      if (!plainTypes.has(property["type"])) return `"${here.join(".")}" is not a string, integer or boolean`;
      headers.push({ path: here, header });
    }
    const problem = readProperties(property, here, headers);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Anywhere else in the schema, it is undefined which value the keyword refers to. */
function positionProblem(schema: unknown, expected: number): string | undefined {
  let found = 0;
  const maps = new Set<unknown>();
  const waiting: unknown[] = [schema];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    const isMap = maps.has(next);
    if (!isMap && Object.hasOwn(next, keyword)) found++;
    const parts = Object.entries(next).filter(([key]) => isMap || !values.test(key));
    for (const [key, part] of parts) if (!isMap && mapOfSchemas.test(key)) maps.add(part);
    waiting.push(...parts.map(([, part]) => part));
  }
  return found === expected ? undefined : `${keyword} is at a position that does not identify a single argument`;
}

function entriesOf(schema: unknown, key: string): readonly (readonly [string, Record<string, unknown>])[] {
  const part = isRecord(schema) ? schema[key] : undefined;
  if (!isRecord(part)) return [];
  return Object.entries(part).flatMap(([name, value]) => (isRecord(value) ? [[name, value] as const] : []));
}

/** The headers that are sent with a call. */
export function headersFor(headers: readonly HeaderArgument[], args: unknown): Readonly<Record<string, string>> {
  const sent: Record<string, string> = {};
  for (const { path, header } of headers) {
    let value: unknown = args;
    for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    const text = headerText(value);
    if (text !== undefined) sent[`Mcp-Param-${header}`] = encoded(text);
  }
  return sent;
}

function headerText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || Number.isSafeInteger(value)) return String(value);
  return undefined;
}

/** Values that HTTP cannot carry unchanged are encoded in base64. */
function encoded(text: string): string {
  const plain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}
