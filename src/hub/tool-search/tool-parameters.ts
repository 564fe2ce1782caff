import { type JsonSchema, isRecord, resolveRef } from "../../schema/index.ts";

/** A parameter of a tool, from its schema. */
export interface ToolParameter {
  readonly name: string;
  readonly description: string;
  /** `string`, `integer`, …; empty if the schema does not define it. */
  readonly type: string;
  readonly required: boolean;
}

/** Untrusted schemas may be nested deeply; deeper parameters, and those beyond the maximum, do not help the search. */
const maxDepth = 4;
const maxParameters = 200;

/** The parameters of a tool, in the order of its schema, including those behind references and in unions. */
export function toolParameters(json: JsonSchema): ToolParameter[] {
  const found = new Map<string, ToolParameter>();
  const read = (schema: unknown, depth: number): void => {
    if (!isRecord(schema) || depth > maxDepth) return;
    const { properties, required, $ref, allOf, anyOf, oneOf } = schema;
    const needed = new Set(Array.isArray(required) ? required : []);
    for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
      if (found.has(name) || found.size >= maxParameters) continue;
      found.set(name, { name, required: needed.has(name), ...about(json, property) });
    }
    if (typeof $ref === "string") read(resolveRef(json, $ref), depth + 1);
    for (const member of [allOf, anyOf, oneOf].flat()) read(member, depth + 1);
  };
  read(json, 0);
  return [...found.values()];
}

function about(root: JsonSchema, property: unknown): Pick<ToolParameter, "description" | "type"> {
  const own = isRecord(property) ? property : {};
  const target = typeof own["$ref"] === "string" ? resolveRef(root, own["$ref"]) : undefined;
  const { description, type } = { ...(isRecord(target) ? target : {}), ...own };
  return {
    description: typeof description === "string" ? description : "",
    type: Array.isArray(type) ? type.map(String).join(" or ") : typeof type === "string" ? type : "",
  };
}
