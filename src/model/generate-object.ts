import { type Issue, formatPath, systemClock } from "../base/index.ts";
import { type JsonSchema, type Schema, parseArguments } from "../schema/index.ts";
import { modelLabel, defaultModelTimeoutMs, isModelRequestError } from "./errors/retry-with-backoff.ts";
import { findJson } from "./find-json.ts";
import {
  type GenerateTextResult,
  type GenerateTextOptions,
  requestText,
  toModelCall,
  type ChatMessage,
  type ModelPrompt,
  toPrompt,
} from "./generate-text.ts";
import type { Model, ModelCall } from "./port/model.ts";
import { modelFailure } from "./port/model-reasons.ts";
import { type TokenUsage, addUsage, noTokens } from "./port/token-usage.ts";

/** Options of {@link generateObject} besides the prompt. */
export interface GenerateObjectOptions<T> extends GenerateTextOptions {
  /** Schema of the response; must describe an object. */
  readonly schema: Schema<T>;
  /** A short name of the schema, for servers that require one. */
  readonly name?: string;
  /** Checks that a schema cannot express; its issues are sent to the model like those of the schema. */
  readonly check?: (value: T) => readonly Issue[];
  /** Maximum number of repair requests to the model. Default: 2. */
  readonly maxRepairs?: number;
}

/** Result of {@link generateObject}. */
export interface GenerateObjectResult<T> {
  readonly object: T;
  /** Usage of all responses together. */
  readonly usage: TokenUsage;
  /** Number of repair requests that the model needed. */
  readonly repairs: number;
}

/**
 * Requests an object that matches a schema. JSON is found in prose and fences; if it does not match, the model
 * receives the issues and may correct its response, at most twice. A failure has a reason from `modelReasons`.
 *
 * @example
 * ```ts
 * const schema = fromJsonSchema<{ score: number }>({
 *   type: "object", properties: { score: { type: "number", maximum: 10 } }, required: ["score"],
 * });
 * const { object } = await generateObject(model, { schema, prompt: "How good is this text? …" });
 * ```
 */
export async function generateObject<T>(
  model: Model,
  options: GenerateObjectOptions<T> & ModelPrompt,
): Promise<GenerateObjectResult<T>> {
  const { maxRepairs = 2 } = options;
  const requester = new ObjectRequester(model, withinTime(options));
  let usage = noTokens;
  for (let repairs = 0; ; repairs++) {
    const answer = await requester.request();
    usage = addUsage(usage, answer.usage);
    const read = await readObject(answer.text, options);
    if (read.issues === undefined) return { object: read.value, usage, repairs };
    if (answer.finishReason === "length") throw cutOff(model);
    if (repairs >= maxRepairs) throw unusable(model, read.issues, repairs);
    requester.complain(answer.text, read.issues);
  }
}

/** Applies one timeout to all requests together, not to each. */
function withinTime<O extends GenerateTextOptions>(options: O): O {
  const { clock = systemClock, timeoutMs = defaultModelTimeoutMs } = options;
  const until = clock.elapsed() + timeoutMs;
  return {
    ...options,
    get timeoutMs() {
      return Math.max(0, until - clock.elapsed());
    },
  };
}

type Read<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** The first object of a response that matches, or the issues of the longest. */
async function readObject<T>(text: string, { schema, check }: GenerateObjectOptions<T>): Promise<Read<T>> {
  const { objects, problem } = findJson(text);
  let first: readonly Issue[] | undefined;
  for (const json of objects.slice(0, 8)) {
    const parsed = parseArguments(json);
    const validated = parsed.issues === undefined ? await schema.validate(parsed.value) : parsed;
    const issues = validated.issues ?? check?.(validated.value) ?? [];
    if (validated.issues === undefined && issues.length === 0) return validated;
    first ??= issues;
  }
  return { issues: first ?? [notJson(problem)] };
}

function notJson(problem: string | undefined): Issue {
  const message =
    problem === undefined
      ? "it contains no JSON object"
      : `its JSON cannot be parsed (${problem}); write keys and texts in double quotes, escape special characters, close every bracket`;
  return { path: [], code: "not_json", message };
}

/** Maximum length of an unusable response that is sent back to the model. */
const maxQuotedChars = 20_000;
const maxIssues = 20;

/** The exchange with a model about one object. */
class ObjectRequester<T> {
  readonly #model: Model;
  readonly #options: GenerateObjectOptions<T> & ModelPrompt;
  readonly #system: string;
  #messages: readonly ChatMessage[];
  #inWords = false;

  constructor(model: Model, options: GenerateObjectOptions<T> & ModelPrompt) {
    this.#model = model;
    this.#options = options;
    this.#system = [options.system, instruction(options.schema.json)].filter((part) => part !== undefined).join("\n\n");
    this.#messages = options.messages ?? [{ role: "user", content: options.prompt }];
  }

  async request(): Promise<GenerateTextResult> {
    try {
      return await requestText(this.#model, this.#call(), this.#options);
    } catch (error) {
      if (!isModelRequestError(error)) throw error;
      if (error.explained.formRefused !== true || this.#inWords) throw error.explained.failure;
      this.#inWords = true;
      return this.request();
    }
  }

  complain(answer: string, issues: readonly Issue[]): void {
    const shown = answer.length > maxQuotedChars ? `${answer.slice(0, maxQuotedChars).toWellFormed()}…` : answer;
    // The second response and its issues replace the first ones: a conversation full of mistakes teaches mistakes.
    const request = this.#options.messages ?? [{ role: "user" as const, content: this.#options.prompt }];
    const complaint = repairInstruction(describeIssues(issues));
    this.#messages = [...request, { role: "assistant", content: shown }, { role: "user", content: complaint }];
  }

  #call(): ModelCall {
    const { schema, name = "answer" } = this.#options;
    const call = { ...toModelCall(this.#options), prompt: toPrompt({ messages: this.#messages }, this.#system) };
    if (this.#inWords) return call;
    // The interface uses another type for the same JSON Schema.
    const json = schema.json as NonNullable<ModelCall["responseFormat"]> extends { schema?: infer S } ? S : never;
    return { ...call, responseFormat: { type: "json", schema: json, name } };
  }
}

function instruction(schema: JsonSchema): string {
  return [
    "Answer with one JSON object that fits this JSON Schema, and with nothing before or after it:",
    JSON.stringify(schema),
  ].join("\n");
}

function describeIssues(issues: readonly Issue[]): string[] {
  const reported = issues.slice(0, maxIssues).map(({ path, message }) => {
    const at = formatPath(path);
    return `- ${at === "" || message.includes(at) ? "" : `${at}: `}${message}`;
  });
  return issues.length > maxIssues ? [...reported, `- and ${issues.length - maxIssues} more`] : reported;
}

function cutOff(model: Model): Error {
  return modelFailure(
    "cut_off",
    `the response of ${modelLabel(model)} was cut off by its token limit; raise its max_tokens (under models: in windlass.yaml), or request less`,
  );
}

function unusable(model: Model, issues: readonly Issue[], repairs: number): Error {
  const why = describeIssues(issues).slice(0, 5).join("\n");
  return modelFailure(
    "invalid_output",
    `${modelLabel(model)} returned no usable response after ${repairs === 1 ? "one repair request" : `${repairs} repair requests`}:\n${why}`,
    { issues },
  );
}

/** Lists the problems of the model's JSON, one per line, and requests a corrected version. */
export function repairInstruction(issues: readonly string[]): string {
  return [
    "That answer cannot be used:",
    ...issues,
    "Send the whole JSON object again with these problems fixed, and nothing else.",
  ].join("\n");
}
