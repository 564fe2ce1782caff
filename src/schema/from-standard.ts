import type { Issue } from "../base/index.ts";
import { type BrokenRule, toIssues, valueAt } from "./broken-rule.ts";
import { checkJsonSchema } from "./check-json-schema.ts";
import type { JsonSchema, Schema, Validation } from "./schema.ts";
import { standardJsonSchema } from "./standard-json-schema.ts";
import {
  type StandardInput,
  type StandardIssue,
  type StandardOutput,
  type StandardProps,
  type StandardResult,
  type StandardSchema,
} from "./standard-schema.ts";
import { withUnknownKeyIssues } from "./unknown-keys.ts";
import { type AsyncCheck, asyncZodCheck, isAsyncZod } from "./zod-async.ts";
import { issuePath, toBrokenRule } from "./zod-issues.ts";
import { isZodNode } from "./zod-node.ts";
import { type Revive, zodRevival } from "./zod-revival.ts";

/** Options of {@link fromStandard} for obtaining the JSON Schema. */
export interface FromStandardOptions {
  /** The JSON Schema, for a library that cannot produce one. */
  readonly json?: JsonSchema;
  /** The side that the JSON Schema describes: input (default) or output. */
  readonly side?: "input" | "output";
}

/**
 * Creates a schema from any Standard Schema: Zod, Valibot, ArkType and others. If Zod expects a type that JSON
 * cannot carry, text is revived first: date-times into `Date`, digits into `bigint`.
 *
 * @example
 * ```ts
 * const schema = fromStandard(z.object({ when: z.date() }));
 * schema.json; // { type: "object", properties: { when: { type: "string", format: "date-time" } }, … }
 * schema.validate({ when: "2026-01-31T10:00:00Z" }); // { value: { when: Date } }
 * ```
 */
export function fromStandard<S extends StandardSchema>(
  schema: S,
  options: FromStandardOptions = {},
): Schema<StandardOutput<S>, StandardInput<S>> {
  const side = options.side ?? "input";
  const json =
    options.json === undefined
      ? standardJsonSchema(schema["~standard"], side)
      : checkJsonSchema(options.json, { patterns: false });
  const revive = side === "input" && isZodNode(schema) ? zodRevival(schema) : undefined;
  return new StandardSchemaSchema(schema, json, revive);
}

class StandardSchemaSchema implements Schema {
  readonly json: JsonSchema;
  readonly #vendor: string;
  readonly #revive: Revive | undefined;
  readonly #asyncCheck: AsyncCheck | undefined;
  #check: StandardProps["validate"];

  constructor(schema: StandardSchema, json: JsonSchema, revive: Revive | undefined) {
    // Read once: some libraries create these at every access.
    const { vendor, validate } = schema["~standard"];
    this.json = json;
    this.#vendor = vendor;
    this.#revive = revive;
    this.#asyncCheck = asyncZodCheck(schema);
    this.#check = isZodNode(schema) && isAsyncZod(schema) ? (this.#asyncCheck ?? validate) : validate;
  }

  validate(value: unknown): Validation<unknown> | Promise<Validation<unknown>> {
    try {
      const result = this.#check(this.#revive === undefined ? value : this.#revive(value));
      if (result instanceof Promise) return this.#settle(result, value);
      // The library's own result object is a Validation already.
      return result.issues === undefined ? result : { issues: this.#explain(result.issues, value) };
    } catch (error) {
      return { issues: [thrown(error)] };
    }
  }

  async #settle(pending: Promise<StandardResult<unknown>>, value: unknown): Promise<Validation<unknown>> {
    // Once asynchronous, always asynchronous: the synchronous path is skipped from now on.
    this.#check = this.#asyncCheck ?? this.#check;
    try {
      const result = await pending;
      return result.issues === undefined ? result : { issues: this.#explain(result.issues, value) };
    } catch (error) {
      return { issues: [thrown(error)] };
    }
  }

  #explain(issues: readonly StandardIssue[], value: unknown): readonly Issue[] {
    const at = { path: [], value };
    const broken = issues.flatMap((issue) =>
      this.#vendor === "zod" ? toBrokenRule({ ...issue }, at) : [plainBroken(issue, value)],
    );
    return withUnknownKeyIssues(toIssues(broken), { json: this.json, value });
  }
}

/** An issue of a library whose vocabulary is unknown here: its own text, which often names the location already. */
function plainBroken(issue: StandardIssue, value: unknown): BrokenRule {
  const path = issuePath(issue);
  const location = { path, value: valueAt(value, path) };
  const missing = location.value === undefined && path.length > 0;
  return {
    rule: missing ? { code: "required" } : { code: "custom", message: "" },
    location,
    message: issue.message,
  };
}

/** A check that throws is a bug of the schema, yet the call must end in a value. */
function thrown(error: unknown): Issue {
  const why = error instanceof Error ? error.message : String(error);
  return { path: [], code: "custom", message: `the value could not be checked: ${why}` };
}
