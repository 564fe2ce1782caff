import { type Issue, jsonText, definedOnly } from "../../base/index.ts";
import { internals } from "../../engine/index.ts";
import {
  type Model,
  type GenerateTextOptions,
  type TokenUsage,
  addUsage,
  generateObject,
  generateText,
  modelFailure,
  noModel,
  noTokens,
} from "../../model/index.ts";
import { type Schema, valueAt } from "../../schema/index.ts";
import { stripUnsafe, suggest, fairShare, fenceData, fencedDataRule } from "../../text/index.ts";
import type { PromptContext, ToolPrompt, EntryTemplate } from "../../tool/index.ts";
import { emptyContent } from "./empty-content.ts";
import { type PromptServices, findModel } from "./prompt-sender.ts";
import { hasNoText } from "./summary/read-content.ts";
import { writingFailure } from "./writing-reasons.ts";

/** A call of a tool with a prompt. */
interface PromptCall {
  readonly prompt: ToolPrompt;
  readonly args: Readonly<Record<string, unknown>>;
  readonly services: PromptServices;
  readonly context: PromptContext;
}

/** Requests an object from the model; tokens are reported even if it fails. */
export async function requestObject(call: PromptCall, schema: Schema): Promise<unknown> {
  const { model, options } = await prepare(call);
  const { tool, check } = call.prompt;
  // It gets only answers that match the schema.
  const checked = check !== undefined && { check: check as (answer: unknown) => readonly Issue[] };
  return (await generateObject(model, { ...options, schema, name: tool, ...checked })).object;
}

/** Requests a text from the model. A response that was cut off is a failure, unless `mayBeCut`. */
export async function requestText(
  call: PromptCall,
  mayBeCut = false,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const { model, options } = await prepare(call);
  const { text, finishReason } = await generateText(model, options);
  const isCut = finishReason === "length";
  if (!isCut || mayBeCut) return { text: unfenced(stripUnsafe(text)), isCut };
  throw modelFailure(
    "cut_off",
    `the text that ${call.prompt.tool} requested was cut off by the model's token limit; raise its max_tokens (under models: in windlass.yaml), or request a shorter one`,
  );
}

interface PreparedRequest {
  readonly model: Model;
  readonly options: GenerateTextOptions & { readonly prompt: string };
}

async function prepare({ prompt, args, services, context }: PromptCall): Promise<PreparedRequest> {
  const { tool, parameters, required, temperature, maxTokens } = prompt;
  const model = findModel(services, prompt.model);
  if (model === undefined) throw (services.noModel ?? noModel)(tool);
  for (const name of required) if (isEmpty(args[name])) throw emptyContent(name, args[name]);
  const own = await services.prompts?.(tool);
  const text = own === undefined ? prompt : parsePrompt(own, `prompts/${tool}.md`, parameters);
  const values = parameters.map((name) => [name, Object.hasOwn(args, name) ? args[name] : undefined] as const);
  const filled = fillPrompt(text, Object.fromEntries(values));
  const options = {
    ...reportOptions(model, filled, context),
    ...definedOnly({ temperature, maxTokens }),
    // A little less than the whole timeout, so that the failure names the model that did not respond.
    timeoutMs: Math.max(prompt.timeoutMs - 1_000, prompt.timeoutMs * 0.9),
    prompt: filled.prompt,
  };
  return { model, options };
}

function reportOptions(model: Model, { system, truncated }: FilledPrompt, context: PromptContext): GenerateTextOptions {
  let total: TokenUsage = noTokens;
  context.report({ method: "model", model: model.modelId, ...(truncated && { truncated }) });
  return {
    system,
    signal: context.signal,
    // The engine's own retries come on top of the model's: only the first attempt has both.
    ...(context.attempt > 1 && { maxRetries: 0 }),
    onUsage: (usage) => {
      internals(context)?.account?.spend(usage);
      total = addUsage(total, usage);
      const { inputTokens, outputTokens, estimated } = total;
      context.report({ tokensUsed: inputTokens + outputTokens, ...(estimated === true && { tokensEstimated: true }) });
    },
  };
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "string") return value.trim() === "";
  if (value === undefined || value === null) return true;
  return typeof value === "object" && (Object.keys(value).length === 0 || hasNoText(value));
}

/** Removes a fence around the whole text, which models often add without being instructed to. */
function unfenced(text: string): string {
  const [, inner] = /^```(?:markdown|md|text)?\n([\s\S]*)\n```$/.exec(text) ?? [];
  return inner === undefined || inner.includes("\n```") ? text : inner.trim();
}

const placeholder = /\{\{\s*([\w-]+)\s*\}\}/;
/** Anything that may be meant as a placeholder, valid or not. */
const braces = /\{\{([^{}\n]*)(\}\})?/g;
const divider = /^---[^\S\n]*$/m;

/**
 * Parses a prompt of a workspace: instructions, a line of `---`, and the message with its `{{placeholders}}`. Throws on
 * an invalid prompt: a mistake would go unnoticed, because no one sees what is sent to a model.
 */
function parsePrompt(
  template: string,
  file: string,
  inputs: readonly string[],
): Pick<ToolPrompt, "system" | "message"> {
  const text = stripUnsafe(template);
  if (text.trim() === "") throw writingFailure("bad_prompt", `${file} is empty; write a prompt into it, or remove it`);
  const found = divider.exec(text) ?? { index: text.length, 0: "" };
  for (const written of text.matchAll(braces)) {
    const wrong = wrongWith(written, inputs, found.index);
    if (wrong === undefined) continue;
    const known = inputs.map((input) => `{{${input}}}`).join(", ");
    const line = text.slice(0, written.index).split("\n").length;
    throw writingFailure("bad_prompt", `${file}:${line}: ${wrong}. The inputs of this prompt are ${known}`);
  }
  const message = text.slice(found.index + found[0].length);
  return { system: text.slice(0, found.index), message: templateOf(message) };
}

function wrongWith(found: RegExpExecArray, inputs: readonly string[], below: number): string | undefined {
  const [written, inner = "", end] = found;
  const name = inner.trim();
  if (end === undefined) return `${JSON.stringify(written.trimEnd())} is never closed; write {{name}}, on one line`;
  if (!inputs.includes(name)) return `there is no input ${written}${didYouMean(name, inputs)}`;
  if (found.index < below) return `${written} is in the instructions; inputs belong below a line of ---`;
  return undefined;
}

function didYouMean(name: string, inputs: readonly string[]): string {
  const near = suggest(name, inputs);
  return near === undefined ? "" : ` (did you mean {{${near}}}?)`;
}

function templateOf(text: string): EntryTemplate {
  // The group of the expression is at every second position.
  return text
    .split(placeholder)
    .map((part, at) => (at % 2 === 0 ? part : { root: "input", path: [part], source: `{{${part}}}` }));
}

/** A prompt, ready to be sent. */
interface FilledPrompt {
  readonly system: string;
  readonly prompt: string;
  /** True if part of an input was omitted. */
  readonly truncated: boolean;
}

/** Maximum of all inputs together; about what a model with a context window of 32,000 tokens can read. */
const maxChars = 100_000;
const maxInlineLength = 200;

/**
 * Inserts values into a prompt, as data. A reference alone on its line becomes a delimited block; one inside a line
 * becomes a short quoted text. A paragraph whose reference has no value is omitted; a value that no reference names is
 * added at the end.
 */
function fillPrompt(
  { system, message }: Pick<ToolPrompt, "system" | "message">,
  values: Readonly<Record<string, unknown>>,
): FilledPrompt {
  const filler = new Filler(values);
  const paragraphs = paragraphsOf(message).flatMap((lines) => filler.fill(lines));
  return {
    system: [system.trim(), fencedDataRule].filter((part) => part !== "").join("\n\n"),
    prompt: [...paragraphs, ...filler.rest()].filter((part) => part !== "").join("\n\n"),
    truncated: filler.truncated,
  };
}

/** The paragraphs of a text, between its blank lines; each a list of lines. */
function paragraphsOf(message: EntryTemplate): EntryTemplate[][] {
  const paragraphs: EntryTemplate[][] = [[]];
  for (const line of linesOf(message)) {
    if (line.every(isBlank)) paragraphs.push([]);
    else paragraphs.at(-1)?.push(line);
  }
  return paragraphs;
}

function linesOf(message: EntryTemplate): EntryTemplate[] {
  const lines: EntryTemplate[number][][] = [[]];
  for (const part of message) {
    const [first, ...more] = typeof part === "string" ? part.split("\n") : [part];
    if (first !== undefined) lines.at(-1)?.push(first);
    for (const text of more) lines.push([text]);
  }
  return lines;
}

function isBlank(part: EntryTemplate[number]): boolean {
  return typeof part === "string" && part.trim() === "";
}

function hasContent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

class Filler {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #room: number;
  readonly #used = new Set<string>();
  truncated = false;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = Object.fromEntries(Object.entries(values).filter(([, value]) => hasContent(value)));
    const lengths = Object.values(this.#values).map((value) => dataText(value).length);
    this.#room = fairShare(lengths, maxChars);
  }

  fill(lines: readonly EntryTemplate[]): string[] {
    const references = lines.flat().filter((part) => typeof part !== "string");
    if (references.some(({ path }) => !hasContent(valueAt(this.#values, path)))) return [];
    for (const { path } of references) this.#used.add(String(path[0]));
    return [
      lines
        .map((line) => this.#fillLine(line))
        .join("\n")
        .trim(),
    ];
  }

  /** Returns the values that no reference named. */
  rest(): string[] {
    return Object.keys(this.#values)
      .filter((name) => !this.#used.has(name))
      .map((name) => `${name}:\n${this.#block([name])}`);
  }

  #fillLine(line: EntryTemplate): string {
    const [only, ...more] = line.filter((part) => !isBlank(part));
    if (only !== undefined && typeof only !== "string" && more.length === 0) return this.#block(only.path);
    return line.map((part) => (typeof part === "string" ? part : inline(valueAt(this.#values, part.path)))).join("");
  }

  #block(path: readonly (string | number)[]): string {
    const { text, truncated } = showData(valueAt(this.#values, path), this.#room);
    this.truncated ||= truncated;
    return fenceData(path.join("."), text);
  }
}

function inline(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = stripUnsafe(typeof value === "string" ? value : JSON.stringify(value))
    .replaceAll(/\s+/g, " ")
    .trim();
  return JSON.stringify(text.length > maxInlineLength ? `${text.slice(0, maxInlineLength).toWellFormed()}…` : text);
}

const cutMark = "…[cut]";
/** Texts inside a value are shortened to this before its end is dropped. */
const shortest = 200;

/** A value as text for a model; one that is longer than `maxChars` is truncated, with a note. */
function showData(value: unknown, maxChars: number): { readonly text: string; readonly truncated: boolean } {
  const whole = dataText(value);
  if (whole.length <= maxChars) return { text: whole, truncated: false };
  if (typeof value === "object" && value !== null) {
    for (let max = maxChars / 2; max >= shortest; max /= 2) {
      const text = dataText(shortened(value, max));
      if (text.length <= maxChars) return { text, truncated: true };
    }
  }
  return { text: whole.slice(0, maxChars).toWellFormed() + cutMark, truncated: true };
}

/** Returns a value as text for a model. */
function dataText(value: unknown): string {
  if (typeof value === "string") return stripUnsafe(value);
  const json = jsonText(value);
  return "text" in json ? stripUnsafe(JSON.stringify(JSON.parse(json.text), undefined, 1)) : String(value);
}

function shortened(value: unknown, max: number): unknown {
  if (typeof value === "string") return value.length > max ? value.slice(0, max).toWellFormed() + cutMark : value;
  if (Array.isArray(value)) return value.map((item) => shortened(item, max));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item, max)]));
}
