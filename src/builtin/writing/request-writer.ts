import type { Issue } from "../../base/index.ts";
import { accountOf } from "../../engine/index.ts";
import {
  type Model,
  type TextOptions,
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
import { builtinPrompt } from "./builtin-prompt.ts";
import { emptyContent } from "./empty-content.ts";
import { type FilledPrompt, fillPrompt } from "./fill-prompt.ts";
import { isTextless } from "./summary/read-content.ts";
import type { WritingServices } from "./writing-services.ts";

/** What these tools use of a call: any handler's context has it. */
export type WriterContext = Pick<ToolContext, "signal" | "report" | "attempt">;

/** Who asks, and what for. */
export interface Assignment {
  /** The tool; its prompt has the same name. */
  readonly tool: string;
  /** Every input of the prompt; undefined for what the caller left out. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Inputs without which there is nothing to do. */
  readonly needs: readonly string[];
  /** The tool's deadline. */
  readonly timeoutMs: number;
}

/** An assignment whose answer is an object. */
export interface ObjectAssignment<T> extends Assignment {
  readonly schema: Schema<T>;
  readonly check?: (value: T) => readonly Issue[];
}

/** Asks the model for an object, by the tool's prompt; tokens are reported also where it fails. */
export async function askForObject<T>(
  assignment: ObjectAssignment<T>,
  services: WritingServices,
  context: WriterContext,
): Promise<T> {
  const { tool, schema, check } = assignment;
  const model = modelOf(services, tool);
  const filled = await promptFor(assignment, services);
  const options = { ...optionsFor(model, filled, context), timeoutMs: patience(assignment) };
  const asked = { ...options, prompt: filled.prompt, schema, name: tool, ...(check !== undefined && { check }) };
  return (await generateObject(model, asked)).object;
}

/** Asks the model for a text, by the tool's prompt. One that was cut off is a failure, unless `mayBeCut`. */
export async function askForText(
  assignment: Assignment & { readonly mayBeCut?: boolean },
  services: WritingServices,
  context: WriterContext,
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const { tool, mayBeCut = false } = assignment;
  const model = modelOf(services, tool);
  const filled = await promptFor(assignment, services);
  const options = { ...optionsFor(model, filled, context), timeoutMs: patience(assignment) };
  const { text, finishReason } = await generateText(model, { ...options, prompt: filled.prompt });
  const isCut = finishReason === "length";
  if (!isCut || mayBeCut) return { text: unfenced(stripUnsafe(text)), isCut };
  throw modelFailure(
    "cut_off",
    `the text that ${tool} asked for was cut off by the model's limit of tokens; raise its max_tokens (under models: in windlass.yaml), or ask for a shorter one`,
  );
}

/** A little less than the whole, so that whoever waits hears that it is the model that did not answer. */
function patience({ timeoutMs }: Assignment): number {
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
  return fillPrompt({ template: own ?? builtinPrompt(tool), file, values });
}

function optionsFor(model: Model, { system, truncated }: FilledPrompt, context: WriterContext): TextOptions {
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
  return typeof value === "object" && (Object.keys(value).length === 0 || isTextless(value));
}

/** Models like to put a whole text into a fence, though nobody asked for one. */
function unfenced(text: string): string {
  const [, inner] = /^```(?:markdown|md|text)?\n([\s\S]*)\n```$/.exec(text) ?? [];
  return inner === undefined || inner.includes("\n```") ? text : inner.trim();
}
