import { canonicalJson, nodeCrypto } from "../base/index.ts";
import type { AnyTool } from "./tool.ts";

const known = new WeakMap<AnyTool, string>();

/**
 * A hash of what others rely on in a tool: its name, version, schemas and effect, and the text of the files that it
 * comes from. While it stays the same, a run that was begun with the tool can be continued with it, and what it gave
 * another process is what it would give here.
 */
export function fingerprintTool(tool: AnyTool): string {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const facts = {
    name: tool.name,
    version: tool.version,
    input: tool.input.json,
    output: tool.output?.json ?? null,
    effect: typeof tool.effect === "function" ? "by arguments" : tool.effect,
    composite: tool.composite,
    ...(tool.revision !== undefined && { revision: tool.revision }),
  };
  const hash = nodeCrypto().createHash("sha256").update(canonicalJson(facts)).digest("hex").slice(0, 32);
  known.set(tool, hash);
  return hash;
}
