import { type JsonSchema, isRecord, mapSubSchemas } from "../schema/index.ts";
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
  const output = tool.output === undefined ? null : withoutTexts(tool.output.json);
  return hashOf({ ...factsOf(tool), input: withoutTexts(tool.input.json), output });
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

/** A JSON Schema without descriptions, titles and examples. */
function withoutTexts({
  description: _description,
  title: _title,
  examples: _examples,
  ...schema
}: JsonSchema): JsonSchema {
  return mapSubSchemas(schema, (inner) => (isRecord(inner) ? withoutTexts(inner) : inner));
}
