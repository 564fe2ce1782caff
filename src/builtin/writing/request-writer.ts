import type { Issue } from "../../base/index.ts";
import { accountOf } from "../../engine/index.ts";
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
import type { Schema } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import type { ToolContext } from "../../tool/index.ts";
import { emptyContent } from "./empty-content.ts";
import { type FilledPrompt, fillPromptTemplate } from "./fill-prompt.ts";
import { hasNoText } from "./summary/read-content.ts";
import type { WritingServices } from "./writing-services.ts";
import { readFileSync } from "node:fs";

/** The parts of a handler context that these tools use. */
export type WriterContext = Pick<ToolContext, "signal" | "report" | "attempt">;

/** A task of a tool for the model. */
export interface Assignment {
  /** The tool; its prompt has the same name. */
  readonly tool: string;
  /** Every input of the prompt; undefined if the caller omitted it. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Inputs without which there is nothing to do. */
  readonly needs: readonly string[];
  /** The tool's deadline. */
  readonly timeoutMs: number;
}

/** An assignment whose result is an object. */
export interface ObjectAssignment<T> extends Assignment {
  readonly schema: Schema<T>;
  readonly check?: (value: T) => readonly Issue[];
}

/** Requests an object from the model, with the tool's prompt; tokens are reported even if it fails. */
export async function requestWriterObject<T>(
  assignment: ObjectAssignment<T>,
  services: WritingServices,
  context: WriterContext,
): Promise<T> {
  const { tool, schema, check } = assignment;
  const model = modelOf(services, tool);
  const filled = await promptFor(assignment, services);
  const options = { ...optionsFor(model, filled, context), timeoutMs: modelTimeoutMs(assignment) };
  const request = { ...options, prompt: filled.prompt, schema, name: tool, ...(check !== undefined && { check }) };
  return (await generateObject(model, request)).object;
}

/**
 * Requests a text from the model, with the tool's prompt. A response that was cut off is a failure, unless `mayBeCut`.
 */
export async function requestWriterText(
  assignment: Assignment & { readonly mayBeCut?: boolean },
  services: WritingServices,
  context: WriterContext,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const { tool, mayBeCut = false } = assignment;
  const model = modelOf(services, tool);
  const filled = await promptFor(assignment, services);
  const options = { ...optionsFor(model, filled, context), timeoutMs: modelTimeoutMs(assignment) };
  const { text, finishReason } = await generateText(model, { ...options, prompt: filled.prompt });
  const isCut = finishReason === "length";
  if (!isCut || mayBeCut) return { text: unfenced(stripUnsafe(text)), isCut };
  throw modelFailure(
    "cut_off",
    `the text that ${tool} requested was cut off by the model's token limit; raise its max_tokens (under models: in windlass.yaml), or request a shorter one`,
  );
}

/** Returns a little less than the whole timeout, so that the failure names the model that did not respond. */
function modelTimeoutMs({ timeoutMs }: Assignment): number {
  return timeoutMs - 1_000;
}

function modelOf({ model, noModel: missing = noModel }: WritingServices, tool: string): Model {
  if (model === undefined) throw missing(tool);
  return model;
}

async function promptFor({ tool, values, needs }: Assignment, { prompts }: WritingServices): Promise<FilledPrompt> {
  for (const name of needs) if (isEmpty(values[name])) throw emptyContent(name, values[name]);
  const own = await prompts?.(tool);
  const file = own === undefined ? `the built-in prompt of ${tool}` : `prompts/${tool}.md`;
  return fillPromptTemplate({ template: own ?? builtinPrompt(tool), file, values });
}

function optionsFor(model: Model, { system, truncated }: FilledPrompt, context: WriterContext): GenerateTextOptions {
  let total: TokenUsage = noTokens;
  context.report({ method: "model", model: model.modelId, ...(truncated && { truncated }) });
  return {
    system,
    signal: context.signal,
    // The engine's own retries come on top of the model's: only the first attempt has both.
    ...(context.attempt > 1 && { maxRetries: 0 }),
    onUsage: (usage) => {
      accountOf(context)?.spend(usage);
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

const read = new Map<string, string>();

/** Returns the built-in prompt of a tool. */
export function builtinPrompt(tool: string): string {
  let text = read.get(tool);
  if (text === undefined) {
    // The build puts the folder beside the output of this file.
    text = readFileSync(new URL(`./prompts/${tool}.md`, import.meta.url), "utf8");
    read.set(tool, text);
  }
  return text;
}
