import type { Issue } from "../base/index.ts";
import { compilePattern } from "./pattern.ts";
import { resolveRef } from "./resolve-ref.ts";
import { maxSchemaIssues, ruleIssue } from "./rule.ts";
import type { JsonSchema, Schema, Validation } from "./schema.ts";
import { type SubSchema, isRecord, isSubSchema, setOwn } from "./subschemas.ts";

type Path = readonly (string | number)[];

/**
 * The keys of a value that its schema does not declare, also inside nested objects. A schema that describes
 * additional keys, or declares no keys at all, is open; in a union a key is known if any form knows it.
 *
 * @example
 * ```ts
 * unknownKeys({ type: "object", properties: { url: {} } }, { ulr: 1 }); // [{ code: "unknown", suggestion: "url", … }]
 * ```
 */
export function unknownKeys(json: JsonSchema, value: unknown): Issue[] {
  const issues: Issue[] = [];
  new Search(json, issues).visit([json], value, []);
  return issues;
}

/**
 * The value without the keys that its schema does not declare, also inside nested objects. The value itself if it has
 * none of them, as in almost every call.
 */
export function withoutUnknownKeys(schema: Schema, value: unknown): unknown {
  const { json } = schema;
  if (schema.keepsUndeclared === true || hasOnlyPlainKeys(json, value)) return value;
  let search = searches.get(json);
  if (search === undefined) searches.set(json, (search = new Search(json, [])));
  return search.prune([json], value, 0);
}

/** Tools are called often: the schemas that apply to a value are computed once per tool. */
const searches = new WeakMap<JsonSchema, Search>();

/** Validates a value, then removes undeclared keys: they may be refused, but are never accepted. */
export function validateDeclared<Out>(schema: Schema<Out>, value: unknown): Validation<Out> | Promise<Validation<Out>> {
  const result = schema.validate(value);
  if (result instanceof Promise || result.issues !== undefined) return result;
  const declared = withoutUnknownKeys(schema, value);
  return declared === value ? result : schema.validate(declared);
}

/** The common case, without an allocation: only known keys, and no objects among the values. */
function hasOnlyPlainKeys({ properties }: JsonSchema, value: unknown): boolean {
  if (!isRecord(value) || !isRecord(properties)) return false;
  for (const key in value) {
    if (!Object.hasOwn(properties, key) || (typeof value[key] === "object" && value[key] !== null)) return false;
  }
  return true;
}

/** Adds the misspelled keys of a value to its issues: they often explain a missing one. */
export function withUnknownKeyIssues(
  issues: readonly Issue[],
  input: { json: JsonSchema; value: unknown },
): readonly Issue[] {
  const hints = new Map(unknownKeys(input.json, input.value).map((hint) => [JSON.stringify(hint.path), hint]));
  if (hints.size === 0) return issues;
  const reported = issues.map((issue) => {
    if (issue.code !== "unknown") return issue;
    const key = JSON.stringify(issue.path);
    const hint = hints.get(key) ?? issue;
    hints.delete(key);
    return hint;
  });
  const more = [...hints.values()].filter(({ suggestion }) => suggestion !== undefined);
  return [...reported.slice(0, maxSchemaIssues - more.length), ...more];
}

/** A value that nests deeper is refused elsewhere, or is cyclic. */
const maxDepth = 64;

class Search {
  readonly #root: JsonSchema;
  readonly #issues: Issue[];
  /** Schemas are few and values many, so the schemas that apply to one value are computed once. */
  readonly #views = new Map<JsonSchema, readonly JsonSchema[]>();

  constructor(root: JsonSchema, issues: Issue[]) {
    this.#root = root;
    this.#issues = issues;
  }

  visit(schemas: readonly SubSchema[], value: unknown, path: Path): void {
    if (this.#issues.length >= maxSchemaIssues || path.length > maxDepth || typeof value !== "object" || value === null)
      return;
    const views = new Set(schemas.filter(isRecord).flatMap((schema) => this.#viewsOf(schema)));
    if (views.size === 0) return;
    if (Array.isArray(value)) this.#visitItems([...views], value, path);
    // Neither an array nor null, so its keys are checked.
    else this.#visitKeys([...views], value as Record<string, unknown>, path);
  }

  /** A copy without undeclared keys; the same object if nothing was removed. */
  prune(schemas: readonly SubSchema[], value: unknown, depth: number): unknown {
    if (depth > maxDepth || typeof value !== "object" || value === null) return value;
    const views = [...new Set(schemas.filter(isRecord).flatMap((schema) => this.#viewsOf(schema)))];
    if (views.length === 0) return value;
    if (Array.isArray(value)) return this.#pruneItems(views, value, depth);
    // Neither an array nor null, so its keys are checked.
    return this.#pruneKeys(views, value as Record<string, unknown>, depth);
  }

  #pruneItems(views: readonly JsonSchema[], items: readonly unknown[], depth: number): unknown {
    const pruned = items.map((item, index) =>
      this.prune(
        views.flatMap((view) => itemSchemas(view, index)),
        item,
        depth + 1,
      ),
    );
    return pruned.every((item, index) => Object.is(item, items[index])) ? items : pruned;
  }

  #pruneKeys(views: readonly JsonSchema[], value: Record<string, unknown>, depth: number): unknown {
    const open = isOpen(views);
    const copy: Record<string, unknown> = {};
    let isChanged = false;
    for (const [key, item] of Object.entries(value)) {
      const declared = views.flatMap((view) => keySchemas(view, key));
      if (declared.length === 0 && !open) {
        isChanged = true;
        continue;
      }
      const pruned = this.prune(declared, item, depth + 1);
      isChanged ||= !Object.is(pruned, item);
      setOwn(copy, key, pruned);
    }
    return isChanged ? copy : value;
  }

  #visitItems(views: readonly JsonSchema[], items: readonly unknown[], path: Path): void {
    for (const [index, item] of items.entries()) {
      if (typeof item === "object")
        this.visit(
          views.flatMap((view) => itemSchemas(view, index)),
          item,
          [...path, index],
        );
    }
  }

  #visitKeys(views: readonly JsonSchema[], value: Record<string, unknown>, path: Path): void {
    const open = isOpen(views);
    for (const [key, item] of Object.entries(value)) {
      const declared = views.flatMap((view) => keySchemas(view, key));
      if (declared.length > 0) this.visit(declared, item, [...path, key]);
      else if (!open) this.#report(views, [...path, key], value);
      if (this.#issues.length >= maxSchemaIssues) return;
    }
  }

  #report(views: readonly JsonSchema[], path: Path, parent: Record<string, unknown>): void {
    const known = [...new Set(views.flatMap((view) => Object.keys(propertiesOf(view))))];
    const free = known.filter((key) => !Object.hasOwn(parent, key));
    this.#issues.push(ruleIssue({ code: "unknown", known, free }, { path, value: undefined }));
  }

  /** The schemas that apply to the same value: the schema itself, its references and its forms. */
  #viewsOf(schema: JsonSchema): readonly JsonSchema[] {
    const known = this.#views.get(schema);
    if (known !== undefined) return known;
    const views = new Set<JsonSchema>();
    const open: unknown[] = [schema];
    while (open.length > 0) {
      const node = open.pop();
      if (!isRecord(node) || views.has(node)) continue;
      views.add(node);
      if (typeof node["$ref"] === "string") open.push(resolveRef(this.#root, node["$ref"]));
      open.push(...sameValueSchemas(node));
    }
    const result = [...views];
    this.#views.set(schema, result);
    return result;
  }
}

function sameValueSchemas(node: JsonSchema): unknown[] {
  const { allOf, anyOf, oneOf, if: condition, then, else: otherwise, dependentSchemas, dependencies } = node;
  const dependent = [dependentSchemas, dependencies].flatMap((map) => (isRecord(map) ? Object.values(map) : []));
  return [allOf, anyOf, oneOf, condition, then, otherwise, dependent].flat();
}

function itemSchemas(view: JsonSchema, index: number): SubSchema[] {
  const prefix = Array.isArray(view["items"]) ? view["items"] : view["prefixItems"];
  const rest = Array.isArray(view["items"]) ? view["additionalItems"] : view["items"];
  const own: unknown = Array.isArray(prefix) && index < prefix.length ? prefix[index] : rest;
  return isSubSchema(own) ? [own] : [];
}

/** The schemas of a key; `true` if the schema only allows the key. */
function keySchemas(view: JsonSchema, key: string): SubSchema[] {
  const properties = propertiesOf(view);
  const found: unknown[] = Object.hasOwn(properties, key) ? [properties[key]] : [];
  const patterns = view["patternProperties"];
  if (isRecord(patterns)) {
    for (const [pattern, schema] of Object.entries(patterns)) if (matches(pattern, key)) found.push(schema);
  }
  if (found.length === 0) found.push(openness(view["additionalProperties"]), openness(view["unevaluatedProperties"]));
  const schemas = found.filter(isSubSchema);
  return schemas.length === 0 && isNamed(view["required"], key) ? [true] : schemas;
}

function isNamed(names: unknown, key: string): boolean {
  return Array.isArray(names) && names.includes(key);
}

function openness(rest: unknown): unknown {
  return rest === false ? undefined : rest;
}

/** A pattern of another dialect that cannot be compiled here counts as matching. */
function matches(pattern: string, key: string): boolean {
  try {
    return compilePattern(pattern).test(key);
  } catch {
    return true;
  }
}

/** An object without declared keys accepts any key. */
function isOpen(views: readonly JsonSchema[]): boolean {
  return !views.some(
    (view) =>
      isRecord(view["properties"]) || view["additionalProperties"] === false || view["unevaluatedProperties"] === false,
  );
}

function propertiesOf(view: JsonSchema): Readonly<Record<string, unknown>> {
  return isRecord(view["properties"]) ? view["properties"] : {};
}
