import type { Issue } from "../base/index.ts";
import { type BrokenRule, toIssues } from "./broken-rule.ts";
import { checkJsonSchema } from "./check-json-schema.ts";
import {
  type CompiledSchema,
  ValidationBudget,
  compileJsonSchema,
  hasDefaults,
  isValidationBudgetExceeded,
} from "./compile-json-schema.ts";
import { JsonIssues } from "./json-issues.ts";
import { type PlainCheck, plainCheck } from "./plain-check.ts";
import type { JsonSchema, SyncSchema, Validation } from "./schema.ts";
import { isRecord, setOwn } from "./subschemas.ts";
import { withUnknownKeyIssues } from "./unknown-keys.ts";

/**
 * Creates a schema from JSON Schema (2020-12; draft-07 if `$schema` or the tuple form says so). Defaults are filled
 * into a copy, patterns match in linear time, `format` is checked for known formats. An unusable schema throws a
 * `tool_invalid` failure here; the validator itself is compiled on first use.
 *
 * @example
 * ```ts
 * const schema = fromJsonSchema<{ url: string }>({ type: "object", properties: { url: { type: "string" } } });
 * schema.validate({ url: 1 }); // { issues: [{ path: ["url"], code: "type", message: "url must be a string, got 1" }] }
 * ```
 *
 * @see docs/guide/tools.md
 */
export function fromJsonSchema<Out = unknown, In = unknown>(json: JsonSchema): SyncSchema<Out, In> {
  return new JsonSchemaSchema(checkJsonSchema(json));
}

class JsonSchemaSchema<Out, In> implements SyncSchema<Out, In> {
  readonly json: JsonSchema;
  readonly #writes: boolean;
  readonly #work = new ValidationBudget();
  #compiled: CompiledSchema | undefined;
  /** Null for a schema that needs the compiled validator. */
  #plain: PlainCheck | null | undefined;
  #uses = 0;

  constructor(json: JsonSchema) {
    this.json = json;
    this.#writes = hasDefaults(json);
  }

  validate(value: unknown): Validation<Out> {
    try {
      this.#work.start(checkingSteps);
      const plain = this.#compiled === undefined ? this.#plainly(value) : undefined;
      if (plain !== undefined) return plain;
      const compiled = (this.#compiled ??= compileJsonSchema(this.json, this.#work));
      const own = this.#writes ? copyContainers(value) : value;
      // The schema has just validated the value.
      if (compiled.accepts(own)) return { value: own as Out };
      return { issues: this.#explain(own, compiled) };
    } catch (error) {
      return { issues: [notValidated(error)] };
    }
  }

  /** Accepts a value without the compiler, or leaves it to the compiled validator. */
  #plainly(value: unknown): Validation<Out> | undefined {
    if (this.#plain === undefined) this.#plain = plainCheck(this.json, this.#work) ?? null;
    if (this.#plain === null || ++this.#uses > fewUses) return undefined;
    const own = this.#writes ? copyContainers(value) : value;
    // The schema has just validated the value.
    if (this.#plain(own)) return { value: own as Out };
    this.#work.start(checkingSteps);
    return undefined;
  }

  #explain(value: unknown, compiled: CompiledSchema): readonly Issue[] {
    const issues = new JsonIssues(this.json, compiled);
    const broken =
      (isLarge(value) ? undefined : this.#attempt(() => issues.explain(value))) ??
      this.#attempt(() => issues.explainFirst(value)) ??
      [];
    return broken.length === 0 ? [unexplained] : withUnknownKeyIssues(toIssues(broken), { json: this.json, value });
  }

  /**
   * Explaining collects details that checking skips, so it gets a smaller budget, and falls back to a simpler
   * explanation.
   */
  #attempt(explain: () => BrokenRule[]): BrokenRule[] | undefined {
    try {
      this.#work.start(explainingSteps);
      return explain();
    } catch (error) {
      if (isValidationBudgetExceeded(error)) return undefined;
      throw error;
    }
  }
}

/** A schema that is used more often is worth compiling: then a check takes a quarter of the time. */
const fewUses = 64;
const checkingSteps = 30_000_000;
const explainingSteps = 1_000_000;
const unexplained: Issue = { path: [], code: "custom", message: "the value does not match the schema" };

/** All errors of a large value would be too many; the first is enough. */
function isLarge(value: unknown, max: number = 10_000): boolean {
  let count = 0;
  const open = [value];
  while (open.length > 0) {
    const node = open.pop();
    if (++count > max) return true;
    if (typeof node !== "object" || node === null) continue;
    for (const item of Object.values(node)) open.push(item);
    if (open.length > max) return true;
  }
  return false;
}

/** Copies the containers that defaults may be written into; everything else is shared. */
function copyContainers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyContainers);
  if (!isRecord(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copyContainers(value[key]));
  return copy;
}

function notValidated(error: unknown): Issue {
  if (isValidationBudgetExceeded(error)) {
    return {
      path: [],
      code: "too_costly",
      message: "the value needs too much work to check; send shorter text or fewer items",
    };
  }
  if (error instanceof RangeError) {
    return { path: [], code: "too_deep", message: "the value is nested too deeply; flatten it" };
  }
  const why = error instanceof Error ? error.message : String(error);
  return { path: [], code: "schema_invalid", message: `the tool's schema is unusable: ${why}` };
}
