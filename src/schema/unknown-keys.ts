import { type Issue, plainJsonSize } from "../base/index.ts";
import { compilePattern } from "./pattern.ts";
import { resolveRef, type SubSchema, isRecord, isSubSchema, setOwn, propertiesOf } from "./subschemas.ts";
import { maxSchemaIssues, ruleIssue } from "./rule.ts";
import type { JsonSchema, Schema, Validation } from "./schema.ts";

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
  DeclaredKeys.of(json).prune(value, [], (issue) => {
    if (issues.length < maxSchemaIssues) issues.push(issue());
  });
  return issues;
}

/**
 * The value without the keys that its schema does not declare, also inside nested objects. The value itself if it has
 * none of them, as in almost every call.
 */
export function withoutUnknownKeys(schema: Schema, value: unknown): unknown {
  const { json } = schema;
  if (schema.keepsUndeclared === true || DeclaredKeys.of(json).include(value)) return value;
  return DeclaredKeys.of(json).prune(value, []);
}

/**
 * The length of an object as JSON, like `plainJsonSize`, if its schema declares all its keys: both checks of usual
 * arguments in one pass. -1 if it is longer than `maxChars`, not plain, or may contain undeclared keys.
 */
export function declaredJsonSize({ json, keepsUndeclared }: Schema, value: unknown, maxChars: number): number {
  if (keepsUndeclared === true || !isPlainObject(value)) return -1;
  try {
    return DeclaredKeys.of(json).sizeOf(value, maxChars);
  } catch {
    // A getter or a proxy threw.
    return -1;
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Validates a value, then removes undeclared keys: they may be refused, but are never accepted. */
export function validateDeclared<Out>(schema: Schema<Out>, value: unknown): Validation<Out> | Promise<Validation<Out>> {
  const result = schema.validate(value);
  if (result instanceof Promise || result.issues !== undefined) return result;
  const declared = withoutUnknownKeys(schema, value);
  return declared === value ? result : schema.validate(declared);
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

/** Receives a key that is not declared; creating the issue takes time. */
type ReportKey = (issue: () => Issue) => void;

/** A value that nests deeper is refused elsewhere, or is cyclic. */
const maxDepth = 64;

/** The schemas that apply to the same value: the schema itself, its references and its forms. */
function viewsOf(root: JsonSchema, schema: JsonSchema): readonly JsonSchema[] {
  const views = new Set<JsonSchema>();
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const node = open.pop();
    if (!isRecord(node) || views.has(node)) continue;
    views.add(node);
    if (typeof node["$ref"] === "string") open.push(resolveRef(root, node["$ref"]));
    open.push(...sameValueSchemas(node));
  }
  return [...views];
}

/** Free in a loop over the keys, unlike `Object.hasOwn`: the optimizer knows its result there. */
// oxlint-disable-next-line typescript/unbound-method -- it is called with an object
const { hasOwnProperty: hasOwn } = Object.prototype;

/**
 * The keys that the schemas of one value declare. Every call of every tool is checked with it, so it computes each part
 * once, and then allocates nothing.
 */
class DeclaredKeys {
  static readonly #known = new WeakMap<JsonSchema, DeclaredKeys>();
  /** The schema of the last call: loops and chains call the same tool many times in a row. */
  static #last: { readonly root: JsonSchema; readonly keys: DeclaredKeys } | undefined;
  readonly #all: DeclaredKeysOfSchema;
  readonly #views: readonly JsonSchema[];
  readonly #isOpen: boolean;
  readonly #hasPatterns: boolean;
  /** By the names that the schemas mention; false for a key that is not declared. */
  readonly #named = new Map<string, DeclaredKeys | false | undefined>();
  /** All other keys. */
  #rest: DeclaredKeys | false | undefined;
  #items: readonly (DeclaredKeys | undefined)[] | undefined;

  static of(root: JsonSchema): DeclaredKeys {
    if (DeclaredKeys.#last?.root === root) return DeclaredKeys.#last.keys;
    let keys = DeclaredKeys.#known.get(root);
    if (keys === undefined) DeclaredKeys.#known.set(root, (keys = new DeclaredKeysOfSchema(root).get([root])));
    DeclaredKeys.#last = { root, keys };
    return keys;
  }

  constructor(all: DeclaredKeysOfSchema, schemas: readonly JsonSchema[]) {
    this.#all = all;
    this.#views = [...new Set(schemas.flatMap((schema) => viewsOf(all.root, schema)))];
    this.#isOpen = isOpen(this.#views);
    this.#hasPatterns = this.#views.some((view) => isRecord(view["patternProperties"]));
  }

  /** True if a value has no other keys, nor do the objects inside of it. */
  include(value: unknown, depth = 0): boolean {
    if (typeof value !== "object" || value === null || depth > maxDepth || this.#views.length === 0) return true;
    if (Array.isArray(value)) return this.#includeItems(value, depth);
    // Neither an array nor null, so its keys are checked.
    const object = value as Record<string, unknown>;
    for (const key in object) if (hasOwn.call(object, key) && !this.#includeKey(key, object[key], depth)) return false;
    return true;
  }

  /** See {@link declaredJsonSize}. */
  sizeOf(object: Record<string, unknown>, maxChars: number): number {
    let left = maxChars - 2;
    for (const key in object) {
      if (!hasOwn.call(object, key)) continue;
      const item = object[key];
      if (!this.#includeKey(key, item, 0)) return -1;
      left -= key.length + 4;
      // The most common type of member, handled without a function call.
      if (typeof item === "string") left -= item.length + 2;
      else {
        const size = plainJsonSize(item, left);
        if (size < 0) return -1;
        left -= size;
      }
      if (left < 0) return -1;
    }
    return maxChars - left;
  }

  #includeKey(key: string, item: unknown, depth: number): boolean {
    const declared = this.#under(key);
    if (declared === false) return false;
    return declared === undefined || typeof item !== "object" || declared.include(item, depth + 1);
  }

  #includeItems(items: readonly unknown[], depth: number): boolean {
    const schemas = (this.#items ??= this.#itemKeys());
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      if (typeof item !== "object") continue;
      const declared = schemas[Math.min(index, schemas.length - 1)];
      if (declared !== undefined && !declared.include(item, depth + 1)) return false;
    }
    return true;
  }

  /**
   * A copy of a value without other keys, also in the objects inside of it; the same object if it has none. Each of them
   * is reported as an issue.
   */
  prune(value: unknown, path: Path, report?: ReportKey): unknown {
    if (typeof value !== "object" || value === null || path.length > maxDepth || this.#views.length === 0) return value;
    if (Array.isArray(value)) return this.#pruneItems(value, path, report);
    // Neither an array nor null, so its keys are checked.
    return this.#pruneKeys(value as Record<string, unknown>, path, report);
  }

  #pruneItems(items: readonly unknown[], path: Path, report?: ReportKey): unknown {
    const schemas = (this.#items ??= this.#itemKeys());
    const pruned = items.map((item, index) => {
      const declared = schemas[Math.min(index, schemas.length - 1)];
      return declared === undefined ? item : declared.prune(item, [...path, index], report);
    });
    return pruned.every((item, index) => Object.is(item, items[index])) ? items : pruned;
  }

  #pruneKeys(object: Record<string, unknown>, path: Path, report?: ReportKey): unknown {
    const copy: Record<string, unknown> = {};
    let isChanged = false;
    for (const [key, item] of Object.entries(object)) {
      const declared = this.#under(key);
      if (declared === false) {
        isChanged = true;
        report?.(() => this.#issue([...path, key], object));
        continue;
      }
      const pruned = declared === undefined ? item : declared.prune(item, [...path, key], report);
      isChanged ||= !Object.is(pruned, item);
      setOwn(copy, key, pruned);
    }
    return isChanged ? copy : object;
  }

  #issue(path: Path, parent: Record<string, unknown>): Issue {
    const known = [...new Set(this.#views.flatMap((view) => Object.keys(propertiesOf(view))))];
    const free = known.filter((key) => !Object.hasOwn(parent, key));
    return ruleIssue({ code: "unknown", known, free }, { path, value: undefined });
  }

  /** The keys of the value under a key; undefined if it may be anything. */
  #under(key: string): DeclaredKeys | false | undefined {
    if (this.#named.size === 0) this.#readNames();
    const known = this.#named.get(key);
    if (known !== undefined || this.#named.has(key)) return known;
    return this.#hasPatterns ? this.#declared(key) : this.#rest;
  }

  #readNames(): void {
    const required = this.#views.flatMap(({ required: names }) => (Array.isArray(names) ? names.map(String) : []));
    for (const key of [...this.#views.flatMap((view) => Object.keys(propertiesOf(view))), ...required, unnamed])
      this.#named.set(key, this.#declared(key));
    this.#rest = this.#named.get(unnamed);
  }

  #declared(key: string): DeclaredKeys | false | undefined {
    const schemas = this.#views.flatMap((view) => keySchemas(view, key));
    if (schemas.length === 0) return this.#isOpen ? undefined : false;
    return this.#of(schemas);
  }

  /** By index; the last one is that of all further items. */
  #itemKeys(): readonly (DeclaredKeys | undefined)[] {
    const lengths = this.#views.flatMap(({ items, prefixItems }) =>
      [items, prefixItems].flatMap((list) => (Array.isArray(list) ? [list.length] : [])),
    );
    return Array.from({ length: Math.max(0, ...lengths) + 1 }, (_, index) =>
      this.#of(this.#views.flatMap((view) => itemSchemas(view, index))),
    );
  }

  #of(schemas: readonly SubSchema[]): DeclaredKeys | undefined {
    const objects = schemas.filter(isRecord);
    return objects.length === 0 ? undefined : this.#all.get(objects);
  }
}

/** The declared keys of a schema and of the schemas in it: a schema that refers to itself has one object for all depths. */
class DeclaredKeysOfSchema {
  readonly root: JsonSchema;
  readonly #ids = new Map<JsonSchema, number>();
  readonly #known = new Map<string, DeclaredKeys>();

  constructor(root: JsonSchema) {
    this.root = root;
  }

  get(schemas: readonly JsonSchema[]): DeclaredKeys {
    const key = schemas.map((schema) => this.#idOf(schema)).join(" ");
    let keys = this.#known.get(key);
    if (keys === undefined) this.#known.set(key, (keys = new DeclaredKeys(this, schemas)));
    return keys;
  }

  #idOf(schema: JsonSchema): number {
    const id = this.#ids.get(schema) ?? this.#ids.size;
    this.#ids.set(schema, id);
    return id;
  }
}

/** A name that no schema mentions. */
const unnamed = "\u0000";

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
  return schemas.length === 0 && Array.isArray(view["required"]) && view["required"].includes(key) ? [true] : schemas;
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
