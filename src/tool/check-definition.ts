import { FailureError, formatPath, invalidTimeout, isTimeoutMs } from "../base/index.ts";
import {
  type JsonSchema,
  forbiddenKeys,
  isRecord,
  isStandardSchema,
  resolveRef,
  showValue,
  subSchemas,
  listOf,
} from "../schema/index.ts";
import { showUnsafe, stripUnsafe, suggest } from "../text/index.ts";
import { checkToolName } from "./tool-name.ts";
import type { Effect, TargetKind, ToolStatus } from "./tool.ts";

/** Checks everything about a definition that needs no schema; throws `tool_invalid` with a suggested change. */
export function checkToolDefinition(definition: unknown): void {
  if (!isRecord(definition)) throw invalid("defineTool() expects one object");
  checkToolName(definition["name"]);
  const named = new Definition(String(definition["name"]), definition);
  named.checkOptions();
  named.checkTexts();
  named.checkBehaviour();
}

const effects: readonly Effect[] = ["pure", "read", "idempotent", "once"];
const targetKinds: readonly TargetKind[] = ["path", "url", "command"];
const statuses: readonly ToolStatus[] = ["active", "deprecated", "draft", "disabled"];

const options = (
  "name version description displayName id status category tags aliases capabilities alwaysEnabled background gated " +
  "composite effect destructive targets sends callerContent coveredCalls timeoutMs cache unavailable core trusted contracts input " +
  "inputJsonSchema output run"
).split(" ");

/** Names of these options in other libraries. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ["args", "input"],
  ["callback", "run"],
  ["execute", "run"],
  ["func", "run"],
  ["handler", "run"],
  ["inputSchema", "input"],
  ["invoke", "run"],
  ["outputSchema", "output"],
  ["parameters", "input"],
  ["schema", "input"],
  ["timeout", "timeoutMs"],
  ["title", "displayName"],
]);

class Definition {
  readonly #name: string;
  readonly #input: Readonly<Record<string, unknown>>;

  constructor(name: string, provided: Readonly<Record<string, unknown>>) {
    this.#name = name;
    this.#input = provided;
  }

  checkOptions(): void {
    for (const key of Object.keys(this.#input)) {
      if (options.includes(key)) continue;
      const suggestion = elsewhere.get(key) ?? suggest(key, options);
      throw this.#invalid(
        `unknown option ${showValue(key)}${suggestion === undefined ? "" : `; did you mean "${suggestion}"?`}`,
      );
    }
  }

  checkTexts(): void {
    if (this.#input["description"] === undefined) throw this.#invalid("needs a `description`; a model chooses by it");
    for (const key of ["description", "version", "displayName", "id", "category"])
      this.#checkText(key, this.#input[key]);
    for (const key of ["tags", "capabilities", "aliases"]) this.#checkList(key, this.#input[key]);
    const aliases = this.#input["aliases"];
    for (const alias of Array.isArray(aliases) ? aliases : []) checkToolName(alias);
    if (Array.isArray(aliases) && aliases.includes(this.#name))
      throw this.#invalid("is its own alias; leave it out of `aliases`");
  }

  checkBehaviour(): void {
    this.#checkOneOf("status", statuses);
    for (const key of ["alwaysEnabled", "background", "gated", "composite"]) this.#checkKind(key, ["boolean"]);
    if (typeof this.#input["effect"] !== "function") this.#checkOneOf("effect", effects);
    this.#checkKind("destructive", ["boolean", "function"]);
    for (const key of ["sends", "callerContent", "trusted"]) this.#checkKind(key, ["boolean"]);
    this.#checkKind("core", ["number"]);
    for (const key of ["coveredCalls", "unavailable"]) this.#checkKind(key, ["function"]);
    this.#checkTargets();
    if (typeof this.#input["run"] !== "function") throw this.#invalid("needs `run`, the function that does the work");
    const { timeoutMs } = this.#input;
    if (timeoutMs !== undefined && typeof timeoutMs !== "function" && !isTimeoutMs(timeoutMs)) {
      throw this.#invalid(invalidTimeout("`timeoutMs`", showValue(timeoutMs)));
    }
    this.#checkCache();
  }

  #checkTargets(): void {
    const { targets } = this.#input;
    if (targets === undefined) return;
    if (!isRecord(targets))
      throw this.#invalid(`\`targets\` must be a map such as { file: "path" }, got ${showValue(targets)}`);
    for (const [parameter, kind] of Object.entries(targets)) {
      if (typeof kind === "string" && targetKinds.includes(kind as TargetKind)) continue;
      throw this.#invalid(`\`targets.${parameter}\` must be one of ${targetKinds.join(", ")}, got ${showValue(kind)}`);
    }
  }

  #checkCache(): void {
    const { cache, effect = "once" } = this.#input;
    if (cache === undefined) return;
    if (!isRecord(cache) || !isDuration(cache["ttlMs"]) || Object.keys(cache).length !== 1) {
      throw this.#invalid(`\`cache\` must be { ttlMs: milliseconds above 0 }, got ${showValue(cache)}`);
    }
    if (effect === "once" || effect === "idempotent") {
      throw this.#invalid(
        `has the effect \`${effect}\`, so its results cannot be reused; drop \`cache\`, or declare \`effect: "read"\``,
      );
    }
  }

  #checkText(key: string, value: unknown): void {
    if (value === undefined) return;
    if (typeof value !== "string" || value.trim() === "") throw this.#invalid(`\`${key}\` must be a non-empty string`);
    const hidden = hiddenIn(value);
    if (hidden !== undefined) throw this.#invalid(`\`${key}\` contains invisible characters: ${hidden}`, "hidden_text");
  }

  #checkList(key: string, value: unknown): void {
    if (value === undefined) return;
    if (!Array.isArray(value)) throw this.#invalid(`\`${key}\` must be a list of strings`);
    for (const item of value) this.#checkText(key, item);
    if (new Set(value).size !== value.length) throw this.#invalid(`\`${key}\` contains a duplicate`);
  }

  #checkOneOf(key: string, allowed: readonly string[]): void {
    const value = this.#input[key];
    if (value === undefined || (typeof value === "string" && allowed.includes(value))) return;
    const near = typeof value === "string" ? suggest(value, allowed) : undefined;
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    throw this.#invalid(`\`${key}\` must be one of ${allowed.join(", ")}, got ${showValue(value)}${hint}`);
  }

  #checkKind(key: string, kinds: readonly string[]): void {
    const value = this.#input[key];
    if (value === undefined || kinds.includes(typeof value)) return;
    throw this.#invalid(`\`${key}\` must be a ${kinds.join(" or a ")}, got ${showValue(value)}`);
  }

  #invalid(message: string, reason?: string): FailureError {
    return invalid(`tool ${JSON.stringify(this.#name)}: ${message}`, reason);
  }
}

/**
 * Checks that a tool's input schema describes one object, as every wire format requires, with keys that may be sent and
 * without invisible characters.
 */
export function checkInputSchema(name: string, json: JsonSchema): void {
  const fail = (message: string, reason?: string): FailureError =>
    invalid(`tool ${JSON.stringify(name)}: ${message}`, reason);
  if (!isObjectSchema(json)) {
    throw fail(
      "`input` must describe an object, as in z.object({ … }): callers pass arguments by name",
      "input_not_object",
    );
  }
  checkTexts(json, [], fail);
}

type Fail = (message: string, reason?: string) => FailureError;

function checkTexts(schema: JsonSchema, path: readonly string[], fail: Fail): void {
  const where = path.length === 0 ? "`input`" : `\`input\` at ${showUnsafe(formatPath(path))}`;
  for (const key of ["title", "description"]) {
    const text = schema[key];
    const hidden = typeof text === "string" ? hiddenIn(text) : undefined;
    if (hidden !== undefined)
      throw fail(`the ${key} of ${where} contains invisible characters: ${hidden}`, "hidden_text");
  }
  for (const inner of subSchemas(schema)) {
    const key = inner.path[0] === "properties" ? String(inner.path[1]) : undefined;
    if (key !== undefined) checkKey(key, where, fail);
    if (isRecord(inner.schema)) checkTexts(inner.schema, key === undefined ? path : [...path, key], fail);
  }
}

function checkKey(key: string, where: string, fail: Fail): void {
  if (forbiddenKeys.has(key))
    throw fail(`${where} declares the key "${key}", which callers must not send; rename it`, "forbidden_key");
  const hidden = hiddenIn(key);
  if (hidden !== undefined) throw fail(`${where} has a key with invisible characters: ${hidden}`, "hidden_text");
}

/** True if every value that matches the schema is an object. */
export function isObjectSchema(json: JsonSchema): boolean {
  return describesObject(json, json, new Map());
}

/** The same for a part of a schema. `known` caches results: references may repeat. */
function describesObject(root: JsonSchema, schema: unknown, known: Map<unknown, boolean>): boolean {
  if (!isRecord(schema)) return false;
  const answer = known.get(schema);
  if (answer !== undefined) return answer;
  // Preliminary result during recursion: a schema that refers back to itself describes nothing.
  known.set(schema, false);
  const { type, $ref, allOf, anyOf, oneOf } = schema;
  const isObject = (inner: unknown): boolean => describesObject(root, inner, known);
  const found =
    type === undefined
      ? [typeof $ref === "string" ? resolveRef(root, $ref) : undefined, ...listOf(allOf)].some(isObject) ||
        [listOf(anyOf), listOf(oneOf)].some((forms) => forms.length > 0 && forms.every(isObject))
      : [type].flat().every((name) => name === "object");
  known.set(schema, found);
  return found;
}

/** The text with its invisible characters shown; undefined if it has none. */
export function hiddenIn(text: string): string | undefined {
  // A Windows line ending is not a hidden character.
  const plain = text.replaceAll("\r\n", "\n");
  return stripUnsafe(plain) === plain ? undefined : JSON.stringify(showUnsafe(plain).slice(0, 80));
}

function isDuration(value: unknown): boolean {
  return typeof value === "number" && value > 0 && Number.isFinite(value);
}

/** Throws if `inputJsonSchema` is combined with an input that already is a JSON Schema. */
export function checkInputJsonSchema(name: string, input: unknown): void {
  if (input === undefined || isStandardSchema(input)) return;
  throw invalid(
    `tool ${JSON.stringify(name)}: \`inputJsonSchema\` belongs with a Standard Schema; remove it or \`input\``,
  );
}

function invalid(message: string, reason?: string): FailureError {
  return new FailureError(message, { code: "tool_invalid", ...(reason !== undefined && { reason }) });
}
