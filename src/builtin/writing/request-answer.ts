import type { Issue } from "../../base/index.ts";
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
import type { Schema } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import type { PromptContext, ToolPrompt } from "../../tool/index.ts";
import { emptyContent } from "./empty-content.ts";
import { type FilledPrompt, fillPrompt } from "./fill-prompt.ts";
import { parsePrompt } from "./parse-prompt.ts";
import { type PromptServices, findModel } from "./prompt-sender.ts";
import { hasNoText } from "./summary/read-content.ts";

/** A call of a tool with a prompt. */
export interface PromptCall {
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
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxTokens }),
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
