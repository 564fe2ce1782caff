import { type Select, anyItem } from "../../expr/index.ts";
import { type JsonSchema, isRecord, propertiesOf, resolveRef } from "../../schema/index.ts";

/**
 * Static type of a value: a schema, a map of known fields, or a list. Undefined if nothing is certain; then no problem
 * is reported.
 */
export type ValueView =
  | { readonly kind: "schema"; readonly root: JsonSchema; readonly node: JsonSchema }
  | { readonly kind: "map"; readonly fields: ReadonlyMap<string, () => ValueView | undefined> }
  | { readonly kind: "list"; readonly item: ValueView | undefined };

/** One step of a path: a name, an index, `[*]` or `[?…]`, a slice, or a key that is known only at run time. */
export type ViewStep = string | number | { readonly kind: "each" | "slice" | "computed" };

/** A step of a path that cannot be resolved. */
export interface ViewFault {
  /** Index of the step in the path. */
  readonly step: number;
  /** `has no field "titel"`, to be appended to the name of the value. */
  readonly message: string;
  /** The fields that exist. */
  readonly fields: readonly string[];
  readonly hint?: string;
}

/** Result of following a path: a view, or the fault. */
export type FollowResult = { readonly view: ValueView | undefined } | { readonly fault: ViewFault };

/** A schema as a view. */
export function viewOfSchema(json: JsonSchema | undefined): ValueView | undefined {
  return json === undefined ? undefined : { kind: "schema", root: json, node: json };
}

/** Expressions find the only list inside of an object and know sizes; JSONPath does neither. */
export type Language = "expression" | "jsonpath";

/** Follows a path through the known types. */
export function followPath(
  from: ValueView | undefined,
  path: readonly ViewStep[],
  language: Language = "expression",
): FollowResult {
  let view = from;
  for (const [step, part] of path.entries()) {
    const shape = shapeOf(view);
    if (shape === undefined) return { view: undefined };
    const next = typeof part === "string" ? nameStep(shape, part, language) : itemStep(shape, part, language);
    if (next === "unknown") return { view: undefined };
    if ("message" in next) return { fault: { step, ...next } };
    view = next.view;
  }
  return { view };
}

/** Describes a value that cannot be a list, with the lists inside of it; undefined if it may be one. */
export function notAList(
  view: ValueView | undefined,
): { readonly is: string; readonly lists: readonly string[] } | undefined {
  const shape = shapeOf(view);
  if (shape === undefined || shape.kind === "list") return undefined;
  if (shape.kind === "scalar") return { is: scalars.get(shape.type) ?? shape.type, lists: [] };
  const lists = [...shape.fields].filter(([, field]) => shapeOf(field())?.kind === "list");
  return { is: "a map", lists: lists.map(([name]) => name) };
}

/** The JSON Schema type of a value; undefined if it is not known for certain. */
export function typeOfView(view: ValueView | undefined): string | undefined {
  const shape = shapeOf(view);
  if (shape === undefined) return undefined;
  if (shape.kind === "scalar") return shape.type;
  return shape.kind === "list" ? "array" : "object";
}

/** A view in its parts. */
type Shape =
  | { readonly kind: "map"; readonly fields: ReadonlyMap<string, () => ValueView | undefined>; readonly rest: Rest }
  | { readonly kind: "list"; readonly item: ValueView | undefined }
  | { readonly kind: "scalar"; readonly type: string };

/** Fields beyond those that are declared: none, any, or all of one type. */
type Rest = "none" | "any" | { readonly view: ValueView };

type Stepped = { readonly view: ValueView | undefined } | Omit<ViewFault, "step"> | "unknown";

const sizes: ReadonlySet<string> = new Set(["size", "length", "count"]);
const number: ValueView = { kind: "schema", root: {}, node: { type: "number" } };

function nameStep(shape: Shape, name: string, language: Language): Stepped {
  const isSize = language === "expression" && sizes.has(name);
  if (shape.kind === "map") return fieldStep(shape, name, isSize);
  if (isSize) return { view: number };
  const shown = name.slice(0, 80);
  if (shape.kind === "scalar") {
    return { message: `is ${scalars.get(shape.type) ?? shape.type} and has no field "${shown}"`, fields: [] };
  }
  const hint = `write [*].${shown} for all of them, or [0].${shown} for the first`;
  return { message: `is a list and has no field "${shown}"`, fields: [], hint };
}

function fieldStep({ fields, rest }: Extract<Shape, { kind: "map" }>, name: string, isSize: boolean): Stepped {
  const field = fields.get(name);
  if (field !== undefined) return { view: field() };
  if (rest === "any" || isSize) return "unknown";
  return rest === "none" ? { message: `has no field "${name.slice(0, 80)}"`, fields: [...fields.keys()] } : rest;
}

const scalars: ReadonlyMap<string, string> = new Map([
  ["string", "text"],
  ["number", "a number"],
  ["integer", "a number"],
  ["boolean", "true or false"],
  ["null", "null"],
]);

function itemStep(shape: Shape, part: Exclude<ViewStep, string>, language: Language): Stepped {
  if (shape.kind === "scalar") return "unknown";
  const computed = typeof part === "object" && part.kind === "computed";
  const inside = shape.kind === "list" || computed || language === "jsonpath" ? undefined : oneListInside(shape);
  const list = shape.kind === "list" ? shape : inside;
  if (list === undefined) return "unknown";
  return { view: typeof part === "object" && part.kind === "slice" ? { kind: "list", item: list.item } : list.item };
}

/** The only list among the fields of a map, if all of them are known. */
function oneListInside({
  fields,
  rest,
}: Extract<Shape, { kind: "map" }>): Extract<Shape, { kind: "list" }> | undefined {
  if (rest !== "none") return undefined;
  const shapes = [...fields.values()].map((field) => shapeOf(field()));
  if (shapes.includes(undefined)) return undefined;
  const lists = shapes.filter((shape) => shape?.kind === "list");
  return lists.length === 1 ? lists[0] : undefined;
}

function shapeOf(view: ValueView | undefined): Shape | undefined {
  if (view === undefined) return undefined;
  if (view.kind === "list") return view;
  if (view.kind === "map") return { ...view, rest: "none" };
  const node = simplified(view.root, view.node);
  return node === undefined ? undefined : schemaShape(view.root, node);
}

/** Keywords that make a schema too complex to follow. */
const involved =
  "allOf not if patternProperties unevaluatedProperties dependentSchemas dependencies prefixItems $dynamicRef".split(
    " ",
  );

/** The effective schema: references followed, `null` as an alternative ignored. */
function simplified(root: JsonSchema, start: JsonSchema): JsonSchema | undefined {
  let node: unknown = start;
  for (let hops = 0; hops < 32; hops++) {
    if (!isRecord(node)) return undefined;
    const { $ref, anyOf, oneOf } = node as JsonSchema;
    if (typeof $ref === "string") node = resolveRef(root, $ref);
    else if (anyOf !== undefined || oneOf !== undefined) node = onlyForm([anyOf ?? [], oneOf ?? []].flat());
    else return involved.some((keyword) => Object.hasOwn(node as JsonSchema, keyword)) ? undefined : node;
  }
  return undefined;
}

function onlyForm(forms: readonly unknown[]): unknown {
  const nonNull = forms.filter((form) => !isRecord(form) || form["type"] !== "null");
  return nonNull.length === 1 ? nonNull[0] : undefined;
}

function schemaShape(root: JsonSchema, node: JsonSchema): Shape | undefined {
  const types = [node["type"]].flat().filter((type) => type !== "null" && type !== undefined);
  if (types.length > 1) return undefined;
  const [type] = types;
  if (type === "object" || (type === undefined && isRecord(node["properties"]))) return mapShape(root, node);
  if (type === "array") return { kind: "list", item: within(root, node["items"]) };
  return typeof type === "string" ? { kind: "scalar", type } : undefined;
}

function mapShape(root: JsonSchema, schema: JsonSchema): Shape {
  const { additionalProperties } = schema;
  const named = Object.entries(propertiesOf(schema));
  const fields = new Map(named.map(([name, node]) => [name, () => within(root, node)]));
  const other = within(root, additionalProperties);
  // A schema that declares fields counts as complete, even if it is not closed.
  const closed = additionalProperties === false || (additionalProperties === undefined && named.length > 0);
  return { kind: "map", fields, rest: closed ? "none" : ((other && { view: other }) ?? "any") };
}

function within(root: JsonSchema, node: unknown): ValueView | undefined {
  return isRecord(node) ? { kind: "schema", root, node } : undefined;
}

/** The steps of a JSONPath of names, indexes and `[*]`; undefined for any other path, which is not followed. */
export function selectSteps(select: Select | undefined): readonly ViewStep[] | undefined {
  return select?.steps?.map((step) => (step === anyItem ? { kind: "each" } : step));
}
