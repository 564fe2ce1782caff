import type { Issue } from "../base/index.ts";
import { compilePattern } from "./pattern.ts";
import { resolveRef } from "./resolve-ref.ts";
import { mostIssues, ruleIssue } from "./rule.ts";
import type { JsonSchema } from "./schema.ts";
import { type SubSchema, isRecord, isSubSchema } from "./subschemas.ts";

type Path = readonly (string | number)[];

/**
 * The keys of a value that its schema does not declare, also inside nested objects. A schema that says what other keys
 * may hold, or that declares none at all, is open; in a union a key is known when any form knows it.
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

/** Adds the misspelt keys of a value to what is wrong with it: they often explain a missing one. */
export function withHints(issues: readonly Issue[], given: { json: JsonSchema; value: unknown }): readonly Issue[] {
  const hints = new Map(unknownKeys(given.json, given.value).map((hint) => [JSON.stringify(hint.path), hint]));
  if (hints.size === 0) return issues;
  const told = issues.map((issue) => {
    if (issue.code !== "unknown") return issue;
    const key = JSON.stringify(issue.path);
    const hint = hints.get(key) ?? issue;
    hints.delete(key);
    return hint;
  });
  const more = [...hints.values()].filter(({ suggestion }) => suggestion !== undefined);
  return [...told.slice(0, mostIssues - more.length), ...more];
}

class Search {
  readonly #root: JsonSchema;
  readonly #issues: Issue[];
  /** Schemas are few and values many, so what a schema sees at one place is worked out once. */
  readonly #views = new Map<JsonSchema, readonly JsonSchema[]>();

  constructor(root: JsonSchema, issues: Issue[]) {
    this.#root = root;
    this.#issues = issues;
  }

  visit(schemas: readonly SubSchema[], value: unknown, path: Path): void {
    if (this.#issues.length >= mostIssues || path.length > 64 || typeof value !== "object" || value === null) return;
    const views = new Set(schemas.filter(isRecord).flatMap((schema) => this.#viewsOf(schema)));
    if (views.size === 0) return;
    if (Array.isArray(value)) this.#visitItems([...views], value, path);
    // Neither an array nor null: its keys are what we look for.
    else this.#visitKeys([...views], value as Record<string, unknown>, path);
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
      if (this.#issues.length >= mostIssues) return;
    }
  }

  #report(views: readonly JsonSchema[], path: Path, parent: Record<string, unknown>): void {
    const known = [...new Set(views.flatMap((view) => Object.keys(propertiesOf(view))))];
    const free = known.filter((key) => !Object.hasOwn(parent, key));
    this.#issues.push(ruleIssue({ code: "unknown", known, free }, { path, value: undefined }));
  }

  /** The schemas that look at the same value: the schema itself, its references and its forms. */
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
      open.push(...inPlaceSchemas(node));
    }
    const result = [...views];
    this.#views.set(schema, result);
    return result;
  }
}

function inPlaceSchemas(node: JsonSchema): unknown[] {
  const { allOf, anyOf, oneOf, if: condition, then, else: otherwise, dependentSchemas } = node;
  const dependent = isRecord(dependentSchemas) ? Object.values(dependentSchemas) : [];
  return [allOf, anyOf, oneOf, condition, then, otherwise, dependent].flat();
}

function itemSchemas(view: JsonSchema, index: number): SubSchema[] {
  const prefix = Array.isArray(view["items"]) ? view["items"] : view["prefixItems"];
  const rest = Array.isArray(view["items"]) ? view["additionalItems"] : view["items"];
  const own: unknown = Array.isArray(prefix) && index < prefix.length ? prefix[index] : rest;
  return isSubSchema(own) ? [own] : [];
}

/** What a schema says about a key, `true` where it only says that the key is welcome. */
function keySchemas(view: JsonSchema, key: string): SubSchema[] {
  const properties = propertiesOf(view);
  const found: unknown[] = Object.hasOwn(properties, key) ? [properties[key]] : [];
  const patterns = view["patternProperties"];
  if (isRecord(patterns)) {
    for (const [pattern, schema] of Object.entries(patterns)) if (matches(pattern, key)) found.push(schema);
  }
  if (found.length === 0) found.push(openness(view["additionalProperties"]), openness(view["unevaluatedProperties"]));
  return found.filter(isSubSchema);
}

function openness(rest: unknown): unknown {
  return rest === false ? undefined : rest;
}

/** A pattern of a foreign dialect that cannot be compiled here gets the benefit of the doubt. */
function matches(pattern: string, key: string): boolean {
  try {
    return compilePattern(pattern).test(key);
  } catch {
    return true;
  }
}

/** An object of which nothing is declared takes any key. */
function isOpen(views: readonly JsonSchema[]): boolean {
  return !views.some(
    (view) =>
      isRecord(view["properties"]) || view["additionalProperties"] === false || view["unevaluatedProperties"] === false,
  );
}

function propertiesOf(view: JsonSchema): Readonly<Record<string, unknown>> {
  return isRecord(view["properties"]) ? view["properties"] : {};
}
