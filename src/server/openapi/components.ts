import { schemas } from "../../api/index.ts";
import { type JsonSchema, type SubSchema, mapSubSchemas, recordOf } from "../../schema/index.ts";

/** The reference to a schema of the components. */
export function reference(name: string): string {
  return `#/components/schemas/${name}`;
}

/** The schemas of an OpenAPI document: those of the API, and those of tools and chains. */
export class Components {
  readonly #schemas: Record<string, unknown> = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, movedSchema(schema, (ref) => ref)]),
  );

  get schemas(): Readonly<Record<string, unknown>> {
    return this.#schemas;
  }

  /**
   * Adds a schema, and returns the reference to it. Its definitions become components of their own: generators of types
   * take `$defs` for a property of the value.
   */
  add(name: string, schema: JsonSchema): JsonSchema {
    const { $id: _id, $defs, definitions, ...root } = schema;
    const targets = new Map<string, string>();
    const found: [string, SubSchema][] = [];
    for (const [keyword, definitionsOf] of Object.entries({ $defs, definitions })) {
      for (const [key, definition] of Object.entries(recordOf(definitionsOf))) {
        const target = this.#freeName(`${name}.${key}`, `${name}.${keyword.replace("$", "")}.${found.length}`);
        this.#schemas[target] = true;
        targets.set(`${keyword}/${key}`, target);
        found.push([target, definition as SubSchema]);
      }
    }
    const move = (ref: string): string => {
      const [, keyword = "", key = "", ...rest] = ref.split("/");
      const target = targets.get(`${keyword}/${unescaped(key)}`);
      return target === undefined ? reference(name) + ref.slice(1) : [reference(target), ...rest].join("/");
    };
    this.#schemas[name] = movedSchema(root, move);
    for (const [target, definition] of found) this.#schemas[target] = movedSchema(definition, move);
    return { $ref: reference(name) };
  }

  #freeName(name: string, other: string): string {
    return /^[\w.-]+$/.test(name) && !Object.hasOwn(this.#schemas, name) ? name : other;
  }
}

/** A key in a reference, which is written as a JSON Pointer in a URL. Schemas with another escape are refused before. */
function unescaped(key: string): string {
  return decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** A schema at another position of a document: its references change. */
function movedSchema(schema: SubSchema, move: (ref: string) => string): SubSchema {
  if (typeof schema === "boolean") return schema;
  const moved = mapSubSchemas(schema, (inner) => movedSchema(inner, move));
  const ref = moved["$ref"];
  if (typeof ref === "string" && ref.startsWith("#")) moved["$ref"] = move(ref);
  // The same values; but generators of types take an object without both for one that is empty.
  const isAnyObject = moved["type"] === "object" && !("properties" in moved || "additionalProperties" in moved);
  return isAnyObject ? { ...moved, additionalProperties: true } : moved;
}
