import { canonicalJson, nodeCrypto } from "../base/index.ts";
import type { AnyTool } from "./tool.ts";

const known = new WeakMap<AnyTool, string>();

/**
 * A hash of the parts of a tool that others rely on: its name, version, schemas and effect, and the text of its files.
 * While it stays the same, a run that began with the tool can be continued with it, and its output in another process
 * is valid here.
 */
export function fingerprintTool(tool: AnyTool): string {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const hash = hashOf(factsOf(tool));
  known.set(tool, hash);
  return hash;
}

/** The same without the texts for people and models, so that a reworded description does not change it. */
export function fingerprintShape(tool: AnyTool): string {
  const facts = factsOf(tool);
  return hashOf({ ...facts, input: withoutTexts(facts["input"]), output: withoutTexts(facts["output"]) });
}

function factsOf(tool: AnyTool): Readonly<Record<string, unknown>> {
  return {
    name: tool.name,
    version: tool.version,
    input: tool.input.json,
    output: tool.output?.json ?? null,
    effect: typeof tool.effect === "function" ? "by arguments" : tool.effect,
    composite: tool.composite,
    ...(tool.revision !== undefined && { revision: tool.revision }),
  };
}

function hashOf(facts: unknown): string {
  return nodeCrypto().createHash("sha256").update(canonicalJson(facts)).digest("hex").slice(0, 32);
}

/** Keywords whose values are data, not schemas. */
const dataKeywords: ReadonlySet<string> = new Set(["enum", "const", "default"]);
/** Keywords whose values are maps of schemas, by names that mean nothing here. */
const mapKeywords: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);

/** A JSON Schema without descriptions, titles and examples. */
function withoutTexts(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((item: unknown) => withoutTexts(item));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (key === "description" || key === "title" || key === "examples") return [];
      if (mapKeywords.has(key) && isObject(value)) return [[key, mapValues(value)]];
      return [[key, dataKeywords.has(key) ? value : withoutTexts(value)]];
    }),
  );
}

function mapValues(schemas: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutTexts(schema)]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
