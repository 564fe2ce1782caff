import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import { canonicalJson, loadPackage } from "../base/index.ts";
import { formats } from "./format.ts";
import { compilePattern } from "./pattern.ts";
import type { JsonSchema } from "./schema.ts";
import { type SubSchema, sameValueKeywords, isRecord, propertiesOf, mapSubSchemas, subSchemas } from "./subschemas.ts";

/**
 * The steps that one validation may take. References, patterns and wide schemas pay for their work, so that no schema
 * and no value can block the process: a schema may multiply its references, a value may be long.
 */
export class ValidationBudget {
  #left = 0;

  start(steps: number): void {
    this.#left = steps;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new ValidationBudgetExceeded();
  }
}

/** Thrown through the compiled validator when the {@link ValidationBudget} is used up. */
export class ValidationBudgetExceeded extends Error {}

/** Cost of following a reference, in steps of a pattern. */
const stepsPerReference = 100;
/** A schema with fewer steps is not charged: its work is bounded by the size of the value. */
export const minChargedSteps = 30;
const workKeyword = "x-windlass-work";

/** A compiled schema: rejects fast, and can explain why. */
export interface CompiledSchema {
  /** Stops at the first error. */
  readonly accepts: ValidateFunction;
  /** Every error of a value against the schema, or against the part of it that a pointer such as `#/anyOf/0` names. */
  errors(value: unknown, pointer?: string): readonly ErrorObject[];
}

export function isValidationBudgetExceeded(value: unknown): value is ValidationBudgetExceeded {
  return value instanceof ValidationBudgetExceeded;
}

/** Compiles a checked schema; the validator that lists every error is compiled on first use. */
export function compileJsonSchema(json: JsonSchema, work: ValidationBudget): CompiledSchema {
  const prepared = prepare(json);
  const options = optionsFor(json, work);
  const draft07 = isDraft07(json);
  const accepts = create(options, draft07, work).compile(prepared);
  let thorough: Ajv | undefined;
  return {
    accepts,
    errors(value, pointer = "#") {
      thorough ??= create({ ...options, allErrors: true }, draft07, work).addSchema(prepared, "root");
      const validate = thorough.getSchema(`root${pointer}`);
      return validate === undefined || validate(value) === true ? [] : (validate.errors ?? []);
    },
  };
}

function optionsFor(json: JsonSchema, work: ValidationBudget): Options {
  const regExp = (source: string): { test(text: string): boolean; toString(): string } => {
    const pattern = compilePattern(source);
    return {
      test(text) {
        work.spend(pattern.stepsPerCharacter * text.length);
        return pattern.test(text);
      },
      // The compiler identifies patterns by their text.
      toString: () => source,
    };
  };
  return {
    strict: false,
    logger: false,
    // The schema was already checked; the meta-schema would only cost time.
    meta: false,
    validateSchema: false,
    useDefaults: true,
    // Inlining small targets keeps the code fast; inlining large ones multiplies it.
    inlineRefs: 16,
    ownProperties: namesObjectMember(json),
    formats: Object.fromEntries(Object.entries(formats)),
    code: { regExp: Object.assign(regExp, { code: "pattern" }) },
  };
}

function create(options: Options, draft07: boolean, work: ValidationBudget): Ajv {
  // The classes differ in their vocabularies only.
  const ajv = draft07 ? new (loadPackage("ajv").Ajv)(options) : new (loadPackage("ajv/dist/2020.js").Ajv2020)(options);
  ajv.addKeyword({
    keyword: workKeyword,
    before: "$ref",
    schemaType: "number",
    errors: false,
    validate: (steps: number) => {
      work.spend(steps);
      return true;
    },
  });
  // The built-in check compares every pair of items.
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    errors: false,
    validate: (expected: boolean, items: readonly unknown[]) => !expected || areUnique(items),
  });
  return ajv;
}

function areUnique(items: readonly unknown[]): boolean {
  const seen = new Set<unknown>();
  for (const item of items)
    seen.add(typeof item === "object" && item !== null ? `{${canonicalJson(item)}` : keyOf(item));
  return seen.size === items.length;
}

function keyOf(item: unknown): unknown {
  return typeof item === "string" ? `"${item}` : item;
}

/** The keywords that validation supports; others, such as `id` and a lone `nullable`, confuse the compiler. */
const known = new Set(
  (
    "$ref $defs definitions allOf anyOf oneOf not if then else properties patternProperties additionalProperties " +
    "unevaluatedProperties propertyNames dependentSchemas dependentRequired dependencies items prefixItems " +
    "additionalItems unevaluatedItems contains minContains maxContains type enum const default multipleOf minimum " +
    "maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern format minItems maxItems uniqueItems " +
    "minProperties maxProperties required nullable"
  ).split(" "),
);

/** True if validation evaluates this keyword. */
export function isValidated(keyword: string): boolean {
  return known.has(keyword);
}

function prepare(schema: SubSchema): Record<string, unknown> {
  if (!isRecord(schema)) return schema ? {} : { not: {} };
  const result = mapSubSchemas(schema, (inner) => (isRecord(inner) ? prepare(inner) : inner));
  for (const keyword of Object.keys(result)) if (!known.has(keyword)) delete result[keyword];
  if (typeof result["format"] === "string" && !Object.hasOwn(formats, result["format"])) delete result["format"];
  if (result["nullable"] !== true || result["type"] === undefined) delete result["nullable"];
  const steps = result["$ref"] === undefined ? stepsOf(schema) : stepsPerReference;
  if (steps >= minChargedSteps) result[workKeyword] = steps;
  return result;
}

/** Approximate work for one value, excluding the values inside it. */
export function stepsOf(schema: JsonSchema): number {
  let steps = 1 + [schema.enum, schema.required].flat().length + Object.keys(propertiesOf(schema)).length;
  for (const { schema: inner, path } of subSchemas(schema)) {
    if (isRecord(inner) && sameValueKeywords.has(String(path[0]))) steps += stepsOf(inner);
  }
  return steps;
}

/** Before 2020-12 a tuple was a list under `items`. */
function isDraft07(schema: JsonSchema): boolean {
  const declared = schema["$schema"];
  if (typeof declared === "string" && /draft-0[3-7]/.test(declared)) return true;
  return some(schema, (node) => Array.isArray(node["items"]) || "dependencies" in node || "additionalItems" in node);
}

/** True if any schema inside has a default. Then validation writes into the value. */
export function hasDefaults(schema: JsonSchema): boolean {
  return some(schema, (node) => Object.hasOwn(node, "default"));
}

/** Names such as `toString` exist on every object, so their absence needs an own-property check. */
function namesObjectMember(schema: JsonSchema): boolean {
  return some(schema, (node) => {
    const named = [...Object.keys(propertiesOf(node)), node["required"]].flat();
    return named.some((name) => typeof name === "string" && name in Object.prototype);
  });
}

function some(schema: JsonSchema, test: (node: JsonSchema) => boolean): boolean {
  return test(schema) || subSchemas(schema).some(({ schema: inner }) => isRecord(inner) && some(inner, test));
}
