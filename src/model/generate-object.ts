import { type Issue, formatPath, systemClock } from "../base/index.ts";
import { type JsonSchema, type Schema, parseArguments } from "../schema/index.ts";
import { Unanswered, nameOf, usualTimeoutMs } from "./ask-again.ts";
import { findJson } from "./find-json.ts";
import { type GeneratedText, type TextOptions, askForText, toCall } from "./generate-text.ts";
import type { Model, ModelCall } from "./model.ts";
import { modelFailure } from "./model-reasons.ts";
import { type ChatMessage, type Question, toPrompt } from "./to-prompt.ts";
import { type TokenUsage, addUsage, noTokens } from "./token-usage.ts";
import { unusableAnswer } from "./unusable-answer.ts";

/** What {@link generateObject} takes besides the question. */
export interface ObjectOptions<T> extends TextOptions {
  /** What the answer has to be: an object. */
  readonly schema: Schema<T>;
  /** A short name of it, for servers that want one. */
  readonly name?: string;
  /** What a schema cannot say; its issues are told to the model like those of the schema. */
  readonly check?: (value: T) => readonly Issue[];
  /** How often the model is told what is wrong with its answer; 2. */
  readonly maxRepairs?: number;
}

/** What {@link generateObject} gives. */
export interface GeneratedObject<T> {
  readonly object: T;
  /** Of all answers together. */
  readonly usage: TokenUsage;
  /** How often the model had to be told what was wrong. */
  readonly repairs: number;
}

/**
 * Asks a model for an object of a schema. JSON is found in prose and fences; where it is not what was asked for, the
 * model is told what is wrong, twice at most. A failure has a reason of `modelReasons`.
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
  options: ObjectOptions<T> & Question,
): Promise<GeneratedObject<T>> {
  const { maxRepairs = 2 } = options;
  const asker = new ObjectAsker(model, withinTime(options));
  let usage = noTokens;
  for (let repairs = 0; ; repairs++) {
    const answer = await asker.ask();
    usage = addUsage(usage, answer.usage);
    const read = await readObject(answer.text, options);
    if (read.issues === undefined) return { object: read.value, usage, repairs };
    if (answer.finishReason === "length") throw cutOff(model);
    if (repairs >= maxRepairs) throw unusable(model, read.issues, repairs);
    asker.complain(answer.text, read.issues);
  }
}

/** One time for all questions together, not one for each. */
function withinTime<O extends TextOptions>(options: O): O {
  const { clock = systemClock, timeoutMs = usualTimeoutMs } = options;
  const until = clock.elapsed() + timeoutMs;
  return {
    ...options,
    get timeoutMs() {
      return Math.max(0, until - clock.elapsed());
    },
  };
}

type Read<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** The first object of an answer that fits, or what is wrong with the longest. */
async function readObject<T>(text: string, { schema, check }: ObjectOptions<T>): Promise<Read<T>> {
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
      ? "it holds no JSON object"
      : `its JSON cannot be read (${problem}); write keys and texts in double quotes, escape what is inside, close every bracket`;
  return { path: [], code: "not_json", message };
}

/** How much of an answer that cannot be used is shown to the model again. */
const shownChars = 20_000;
const mostIssues = 20;

/** One conversation about one object. */
class ObjectAsker<T> {
  readonly #model: Model;
  readonly #options: ObjectOptions<T> & Question;
  readonly #system: string;
  #messages: readonly ChatMessage[];
  #inWords = false;

  constructor(model: Model, options: ObjectOptions<T> & Question) {
    this.#model = model;
    this.#options = options;
    this.#system = [options.system, instruction(options.schema.json)].filter((part) => part !== undefined).join("\n\n");
    this.#messages = options.messages ?? [{ role: "user", content: options.prompt }];
  }

  async ask(): Promise<GeneratedText> {
    try {
      return await askForText(this.#model, this.#call(), this.#options);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      if (error.explained.formRefused !== true || this.#inWords) throw error.explained.failure;
      this.#inWords = true;
      return this.ask();
    }
  }

  complain(answer: string, issues: readonly Issue[]): void {
    const shown = answer.length > shownChars ? `${answer.slice(0, shownChars).toWellFormed()}…` : answer;
    // The first answer and its complaint make room for the second: a conversation of mistakes teaches mistakes.
    const asked = this.#options.messages ?? [{ role: "user" as const, content: this.#options.prompt }];
    const complaint = unusableAnswer(tell(issues));
    this.#messages = [...asked, { role: "assistant", content: shown }, { role: "user", content: complaint }];
  }

  #call(): ModelCall {
    const { schema, name = "answer" } = this.#options;
    const call = { ...toCall(this.#options), prompt: toPrompt({ messages: this.#messages }, this.#system) };
    if (this.#inWords) return call;
    // A JSON Schema is what the interface means by its own type of it.
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

function tell(issues: readonly Issue[]): string[] {
  const told = issues.slice(0, mostIssues).map(({ path, message }) => {
    const at = formatPath(path);
    return `- ${at === "" || message.includes(at) ? "" : `${at}: `}${message}`;
  });
  return issues.length > mostIssues ? [...told, `- and ${issues.length - mostIssues} more`] : told;
}

function cutOff(model: Model): Error {
  return modelFailure(
    "cut_off",
    `the answer of ${nameOf(model)} was cut off by its limit of tokens; raise its max_tokens (under models: in windlass.yaml), or ask for less`,
  );
}

function unusable(model: Model, issues: readonly Issue[], repairs: number): Error {
  const why = tell(issues).slice(0, 5).join("\n");
  return modelFailure(
    "invalid_output",
    `${nameOf(model)} gave no usable answer, also when told ${repairs === 1 ? "once" : `${repairs} times`} what was wrong:\n${why}`,
    { issues },
  );
}
