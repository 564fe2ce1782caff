import { FailureError, formatPath } from "../base/index.ts";
import {
  type JsonSchema,
  forbiddenKeys,
  isRecord,
  isStandardSchema,
  resolveRef,
  showValue,
  subSchemas,
} from "../schema/index.ts";
import { showUnsafe, stripUnsafe, suggest } from "../text/index.ts";
import { checkToolName } from "./tool-name.ts";
import type { Effect, ToolStatus } from "./tool.ts";

/** Checks everything about a definition that needs no schema; throws `tool_invalid` and says what to change. */
export function checkDefinition(definition: unknown): void {
  if (!isRecord(definition)) throw invalid("defineTool() takes one object");
  checkToolName(definition["name"]);
  const named = new Definition(String(definition["name"]), definition);
  named.checkOptions();
  named.checkTexts();
  named.checkBehaviour();
}

const effects: readonly Effect[] = ["pure", "read", "idempotent", "once"];
const statuses: readonly ToolStatus[] = ["active", "deprecated", "draft", "disabled"];

const options = (
  "name version description displayName id status category tags aliases capabilities alwaysEnabled background gated " +
  "composite effect destructive timeoutMs cache input inputJsonSchema output run"
).split(" ");

/** What people call these options elsewhere. */
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
  readonly #given: Readonly<Record<string, unknown>>;

  constructor(name: string, given: Readonly<Record<string, unknown>>) {
    this.#name = name;
    this.#given = given;
  }

  checkOptions(): void {
    for (const key of Object.keys(this.#given)) {
      if (options.includes(key)) continue;
      const meant = elsewhere.get(key) ?? suggest(key, options);
      throw this.#invalid(`unknown option ${showValue(key)}${meant === undefined ? "" : `; did you mean "${meant}"?`}`);
    }
  }

  checkTexts(): void {
    if (this.#given["description"] === undefined) throw this.#invalid("needs a `description`; a model chooses by it");
    for (const key of ["description", "version", "displayName", "id", "category"])
      this.#checkText(key, this.#given[key]);
    for (const key of ["tags", "capabilities", "aliases"]) this.#checkList(key, this.#given[key]);
    const aliases = this.#given["aliases"];
    for (const alias of Array.isArray(aliases) ? aliases : []) checkToolName(alias);
    if (Array.isArray(aliases) && aliases.includes(this.#name))
      throw this.#invalid("is its own alias; leave it out of `aliases`");
  }

  checkBehaviour(): void {
    this.#checkOneOf("status", statuses);
    for (const key of ["alwaysEnabled", "background", "gated", "composite"]) this.#checkKind(key, ["boolean"]);
    if (typeof this.#given["effect"] !== "function") this.#checkOneOf("effect", effects);
    this.#checkKind("destructive", ["boolean", "function"]);
    if (typeof this.#given["run"] !== "function") throw this.#invalid("needs `run`, the function that does the work");
    const { timeoutMs } = this.#given;
    if (timeoutMs !== undefined && typeof timeoutMs !== "function" && !isDuration(timeoutMs)) {
      throw this.#invalid(`\`timeoutMs\` must be a number of milliseconds above 0, got ${showValue(timeoutMs)}`);
    }
    this.#checkCache();
  }

  #checkCache(): void {
    const { cache, effect = "once" } = this.#given;
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
    if (typeof value !== "string" || value.trim() === "")
      throw this.#invalid(`\`${key}\` must be a text that is not empty`);
    const hidden = hiddenIn(value);
    if (hidden !== undefined)
      throw this.#invalid(`\`${key}\` holds characters that nobody sees: ${hidden}`, "hidden_text");
  }

  #checkList(key: string, value: unknown): void {
    if (value === undefined) return;
    if (!Array.isArray(value)) throw this.#invalid(`\`${key}\` must be a list of texts`);
    for (const item of value) this.#checkText(key, item);
    if (new Set(value).size !== value.length) throw this.#invalid(`\`${key}\` names something twice`);
  }

  #checkOneOf(key: string, allowed: readonly string[]): void {
    const value = this.#given[key];
    if (value === undefined || (typeof value === "string" && allowed.includes(value))) return;
    const near = typeof value === "string" ? suggest(value, allowed) : undefined;
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    throw this.#invalid(`\`${key}\` must be one of ${allowed.join(", ")}, got ${showValue(value)}${hint}`);
  }

  #checkKind(key: string, kinds: readonly string[]): void {
    const value = this.#given[key];
    if (value === undefined || kinds.includes(typeof value)) return;
    throw this.#invalid(`\`${key}\` must be a ${kinds.join(" or a ")}, got ${showValue(value)}`);
  }

  #invalid(message: string, reason?: string): FailureError {
    return invalid(`tool ${JSON.stringify(this.#name)}: ${message}`, reason);
  }
}

/**
 * Checks that a tool's input schema describes one object, as every wire format needs, with keys that may be sent and
 * without text that nobody sees.
 */
export function checkInput(name: string, json: JsonSchema): void {
  const fail = (message: string, reason?: string): FailureError =>
    invalid(`tool ${JSON.stringify(name)}: ${message}`, reason);
  if (!describesObject(json, json, new Map())) {
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
      throw fail(`the ${key} of ${where} holds characters that nobody sees: ${hidden}`, "hidden_text");
  }
  for (const inner of subSchemas(schema)) {
    const key = inner.path[0] === "properties" ? String(inner.path[1]) : undefined;
    if (key !== undefined) checkKey(key, where, fail);
    if (isRecord(inner.schema)) checkTexts(inner.schema, key === undefined ? path : [...path, key], fail);
  }
}

function checkKey(key: string, where: string, fail: Fail): void {
  if (forbiddenKeys.has(key))
    throw fail(`${where} declares the key "${key}", which no caller may send; rename it`, "forbidden_key");
  const hidden = hiddenIn(key);
  if (hidden !== undefined) throw fail(`${where} has a key with characters that nobody sees: ${hidden}`, "hidden_text");
}

/** Every value that fits the schema is an object. `known` holds the answers so far: references may repeat. */
function describesObject(root: JsonSchema, schema: unknown, known: Map<unknown, boolean>): boolean {
  if (!isRecord(schema)) return false;
  const answer = known.get(schema);
  if (answer !== undefined) return answer;
  // Holds while the answer is being found: a schema that leads back to itself describes nothing.
  known.set(schema, false);
  const { type, $ref, allOf, anyOf, oneOf } = schema;
  const isObject = (inner: unknown): boolean => describesObject(root, inner, known);
  const found =
    type === undefined
      ? [resolveIn(root, $ref), ...listOf(allOf)].some(isObject) ||
        [listOf(anyOf), listOf(oneOf)].some((forms) => forms.length > 0 && forms.every(isObject))
      : [type].flat().every((name) => name === "object");
  known.set(schema, found);
  return found;
}

function resolveIn(root: JsonSchema, ref: unknown): unknown {
  return typeof ref === "string" ? resolveRef(root, ref) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text with its unseen characters shown, where it has any. */
function hiddenIn(text: string): string | undefined {
  // A line end of Windows is no hidden character.
  const plain = text.replaceAll("\r\n", "\n");
  return stripUnsafe(plain) === plain ? undefined : JSON.stringify(showUnsafe(plain).slice(0, 80));
}

function isDuration(value: unknown): boolean {
  return typeof value === "number" && value > 0 && Number.isFinite(value);
}

/** Throws where `inputJsonSchema` stands beside something that already is a JSON Schema. */
export function checkInputJsonSchema(name: string, input: unknown): void {
  if (input === undefined || isStandardSchema(input)) return;
  throw invalid(`tool ${JSON.stringify(name)}: \`inputJsonSchema\` goes with a Standard Schema; drop it or \`input\``);
}

function invalid(message: string, reason?: string): FailureError {
  return new FailureError(message, { code: "tool_invalid", ...(reason !== undefined && { reason }) });
}
