import { type JsonSchema, isRecord } from "../../schema/index.ts";

/** A key that a schema does not have, and those that it has. */
export interface StrayKey {
  readonly key: string;
  readonly known: readonly string[];
}

/** One step of a plain path: `.name`, `["name"]`, `[*]` or `[0]`. */
const step = /^(?:\.([\p{L}_][\p{L}\p{N}_]*)|\['([^'\\]*)'\]|\["([^"\\]*)"\]|\[(?:\*|\d+)\])/u;

/** The first key of a JSONPath that the schema does not have, as far as the path is plain and the schema says. */
export function strayKey(path: string, schema: JsonSchema): StrayKey | undefined {
  let rest = path.trim().replace(/^\$/, "");
  let at: unknown = schema;
  for (let found = step.exec(rest); found !== null && isRecord(at); found = step.exec(rest)) {
    const key = found[1] ?? found[2] ?? found[3];
    const known = key === undefined ? undefined : keysIn(at);
    if (key !== undefined && known !== undefined && !known.includes(key)) return { key, known };
    at = below(at, key);
    rest = rest.slice(found[0].length);
  }
  return undefined;
}

/** What a schema says of a key, or without one of the items. */
function below({ properties, items }: JsonSchema, key: string | undefined): unknown {
  if (key === undefined) return items;
  return isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** The keys of an object; undefined where it may have others, or nobody says. */
function keysIn({ properties, additionalProperties }: JsonSchema): readonly string[] | undefined {
  const isOpen = !isRecord(properties) || additionalProperties === true || isRecord(additionalProperties);
  return isOpen ? undefined : Object.keys(properties);
}
