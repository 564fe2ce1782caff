import { isRecord, setOwn } from "../schema/index.ts";
import { type AnyTool, isTool } from "./tool.ts";
import { type NameMap, type WireProvider, mapToolNames } from "./wire-name-rules.ts";
import { toWireSchema } from "./wire-schema.ts";

/**
 * The names of some tools, and of their parameters, as a provider sees them; one to one, so that calls can be
 * translated back.
 */
export interface WireNames extends NameMap {
  /** The arguments of a call with the parameter names that the tool declares; others stay unchanged. */
  argumentsFromWire(wireName: string, args: unknown): unknown;
}

/**
 * Translates names that a provider does not allow, in both directions. Legal names stay unchanged; others get a
 * readable stem and a hash, the same in every process. For MCP, whose clients are notified of changes, `files/read`
 * is `files_read` without a hash unless another tool has the same short form.
 *
 * @example
 * ```ts
 * const names = createWireNames(tools, "openai");
 * names.toWire("web_search"); // "web_search"
 * names.fromWire(names.toWire("网页搜索")); // "网页搜索"
 * ```
 *
 * @see docs/guide/tools.md
 */
export function createWireNames(tools: Iterable<AnyTool | string>, provider: WireProvider): WireNames {
  const byName = new Map<string, AnyTool | undefined>();
  for (const tool of tools) {
    if (isTool(tool)) byName.set(tool.name, tool);
    else if (!byName.has(tool)) byName.set(tool, undefined);
  }
  const names = mapToolNames(byName.keys(), provider);
  return {
    ...names,
    argumentsFromWire(wireName, args) {
      const tool = byName.get(names.fromWire(wireName) ?? "");
      if (tool === undefined) return args;
      const { renamed, keys } = toWireSchema(tool.input.json, provider);
      return renamed ? restoreKeys(args, keys) : args;
    },
  };
}

/** A tool's description for a model, with the real name if a translated one is sent. */
export function wireDescription(tool: AnyTool, names: NameMap): string {
  return names.toWire(tool.name) === tool.name ? tool.description : `${tool.name}: ${tool.description}`;
}

function restoreKeys(value: unknown, keys: NameMap): unknown {
  if (Array.isArray(value)) return value.map((item) => restoreKeys(item, keys));
  if (!isRecord(value)) return value;
  const restored: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) setOwn(restored, keys.fromWire(key) ?? key, restoreKeys(item, keys));
  return restored;
}
