import type { JsonSchema } from "../../../schema/index.ts";

/** The keyword by which a server asks to have an argument repeated as a header, for whatever routes its calls. */
const keyword = "x-mcp-header";

/** A header's name, by the rules of HTTP. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const plainTypes: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/** Keywords whose value has names of its own, each with a schema. */
const mapOfSchemas = /^(?:properties|patternProperties|\$defs|definitions|dependentSchemas)$/;

/** Keywords whose value is no schema at all. */
const values = /^(?:const|enum|default|examples)$/;

/** Deeper schemas are made to break whoever reads them. */
const mostDepth = 100;

/** An argument that goes along as a header. */
interface HeaderArgument {
  readonly path: readonly string[];
  readonly header: string;
}

/** The headers that a tool asks for, or what is wrong with them; a tool that asks wrongly must not be offered. */
export type ToolHeaders =
  | { readonly ok: true; readonly headers: readonly HeaderArgument[] }
  | { readonly ok: false; readonly problem: string };

/** Reads which arguments go along as headers: only properties, and properties of those, may ask for it. */
export function readToolHeaders(schema: JsonSchema): ToolHeaders {
  const headers: HeaderArgument[] = [];
  const problem = readProperties(schema, [], headers) ?? misplaced(schema, headers.length);
  if (problem !== undefined) return { ok: false, problem };
  const names = new Set(headers.map(({ header }) => header.toLowerCase()));
  return names.size === headers.length ? { ok: true, headers } : { ok: false, problem: `two ${keyword} are the same` };
}

function readProperties(schema: unknown, path: readonly string[], headers: HeaderArgument[]): string | undefined {
  if (path.length > mostDepth) return "its input schema is too deep";
  for (const [name, property] of entriesOf(schema, "properties")) {
    const header: unknown = property[keyword];
    const here = [...path, name];
    if (header !== undefined) {
      if (typeof header !== "string" || !token.test(header))
        return `${keyword} of "${here.join(".")}" is no header name`;
      if (!plainTypes.has(property["type"])) return `"${here.join(".")}" is no text, integer or boolean`;
      headers.push({ path: here, header });
    }
    const problem = readProperties(property, here, headers);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Asked for anywhere else, it cannot be known which value is meant. */
function misplaced(schema: unknown, expected: number): string | undefined {
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
  return found === expected ? undefined : `${keyword} stands where no single argument is meant`;
}

function entriesOf(schema: unknown, key: string): readonly (readonly [string, Record<string, unknown>])[] {
  const part = isObject(schema) ? schema[key] : undefined;
  if (!isObject(part)) return [];
  return Object.entries(part).flatMap(([name, value]) => (isObject(value) ? [[name, value] as const] : []));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The headers that go along with a call. */
export function headersFor(headers: readonly HeaderArgument[], args: unknown): Readonly<Record<string, string>> {
  const sent: Record<string, string> = {};
  for (const { path, header } of headers) {
    let value: unknown = args;
    for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    const text = textOf(value);
    if (text !== undefined) sent[`Mcp-Param-${header}`] = encoded(text);
  }
  return sent;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || Number.isSafeInteger(value)) return String(value);
  return undefined;
}

/** What HTTP cannot carry as it is, or would change, goes in base 64. */
function encoded(text: string): string {
  const plain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return plain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}
