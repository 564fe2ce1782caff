import { type JsonSchema, isRecord, resolveRef, jsonTypeOf } from "../../../schema/index.ts";

/** A parameter of a tool, from its input schema. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  /** Subschemas that describe it. */
  readonly schemas: readonly JsonSchema[];
  /** JSON types that it accepts; empty if it accepts any. */
  readonly types: ReadonlySet<string>;
}

/**
 * The parameters of a tool, in the order of its schema, also behind references and in unions; or the fields of an
 * object that is described somewhere inside that schema.
 */
export function parametersOf(json: JsonSchema, inside: JsonSchema = json): Parameter[] {
  const found = new Map<string, JsonSchema[]>();
  for (const view of viewsOf(json, inside, everyMember)) {
    const { properties } = view;
    if (!isRecord(properties)) continue;
    for (const [name, schema] of Object.entries(properties)) {
      if (schema !== false) found.set(name, [...(found.get(name) ?? []), isRecord(schema) ? schema : {}]);
    }
  }
  const required = new Set(
    viewsOf(json, inside, sureMember).flatMap((view) => (Array.isArray(view["required"]) ? view["required"] : [])),
  );
  return [...found].map(([name, schemas]) => ({
    name,
    schemas: schemas.flatMap((schema) => viewsOf(json, schema, sureMember)),
    required: required.has(name),
    types: unionOf(schemas.map((schema) => typesOf(json, schema))),
  }));
}

/** Fields of the objects that a parameter accepts. */
export function fieldsOf(json: JsonSchema, { schemas }: Parameter): Parameter[] {
  const found = schemas.flatMap((schema) => parametersOf(json, schema));
  return [...new Map(found.toReversed().map((field) => [field.name, field])).values()].toReversed();
}

/** Items of the lists that a parameter accepts, if the schema describes them. */
export function itemOf(json: JsonSchema, { name, schemas }: Parameter): Parameter | undefined {
  const views = schemas.flatMap((schema) => viewsOf(json, schema, everyMember));
  const items = views.map((view) => view["items"]).find(isRecord);
  if (items === undefined) return undefined;
  return { name: `${name}[]`, required: true, schemas: viewsOf(json, items, sureMember), types: typesOf(json, items) };
}

/** Types of keys that no property declares; undefined if such keys are not allowed. */
export function otherTypesOf(json: JsonSchema): ReadonlySet<string> | undefined {
  const views = viewsOf(json, json, everyMember);
  const rest = views.map((view) => view["additionalProperties"]).find((schema) => schema !== undefined);
  if (rest === false) return undefined;
  if (isRecord(rest)) return typesOf(json, rest);
  return rest === true || !views.some((view) => isRecord(view["properties"])) ? new Set() : undefined;
}

type Members = (schema: JsonSchema) => unknown[];

/** Subschemas that apply to every variant of a union. */
const sureMember: Members = ({ allOf }) => (Array.isArray(allOf) ? allOf : []);
const everyMember: Members = ({ allOf, anyOf, oneOf }) => [allOf, anyOf, oneOf].flat();

function viewsOf(root: JsonSchema, schema: JsonSchema, members: Members): JsonSchema[] {
  const views = new Set<JsonSchema>();
  const open: unknown[] = [schema];
  for (let node = open.shift(); node !== undefined; node = open.shift()) {
    if (!isRecord(node) || views.has(node)) continue;
    views.add(node);
    if (typeof node["$ref"] === "string") open.push(resolveRef(root, node["$ref"]) ?? {});
    open.push(...members(node).filter((member) => member !== undefined));
  }
  return [...views];
}

/** An empty set means any type. */
function typesOf(root: JsonSchema, schema: JsonSchema, depth = 0): ReadonlySet<string> {
  if (depth > 16) return new Set();
  const own = ownTypes(schema);
  if (own !== undefined) return own;
  const target = typeof schema["$ref"] === "string" ? resolveRef(root, schema["$ref"]) : undefined;
  if (isRecord(target)) return typesOf(root, target, depth + 1);
  for (const forms of [schema["anyOf"], schema["oneOf"]]) {
    if (Array.isArray(forms))
      return unionOf(forms.map((form) => (isRecord(form) ? typesOf(root, form, depth + 1) : new Set())));
  }
  const members = sureMember(schema).filter(isRecord);
  return members.map((member) => typesOf(root, member, depth + 1)).find(({ size }) => size > 0) ?? new Set();
}

function ownTypes({ type, enum: values, const: value, nullable }: JsonSchema): ReadonlySet<string> | undefined {
  const more = nullable === true ? ["null"] : [];
  if (type !== undefined) return new Set([type, more].flat().map(String));
  if (Array.isArray(values)) return new Set([...values.map(jsonTypeOf), ...more]);
  return value === undefined ? undefined : new Set([jsonTypeOf(value)]);
}

function unionOf(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return sets.some(({ size }) => size === 0) ? new Set() : new Set(sets.flatMap((set) => [...set]));
}
