import type { JsonSchema } from "./schema.ts";
import { type SubSchema, isRecord, isSubSchema } from "./subschemas.ts";

/** The schema that a reference such as `#/$defs/node` refers to inside its document; undefined if there is none. */
export function resolveRef(root: JsonSchema, ref: string): SubSchema | undefined {
  if (ref === "#" || ref === "") return root;
  if (!ref.startsWith("#/")) return undefined;
  let node: unknown = root;
  for (const part of ref.slice(2).split("/")) {
    const key = unescapePart(part);
    if (key === undefined) return undefined;
    if (Array.isArray(node)) node = node[Number(key)];
    else if (isRecord(node) && Object.hasOwn(node, key)) node = node[key];
    else return undefined;
  }
  return isSubSchema(node) ? node : undefined;
}

function unescapePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}
