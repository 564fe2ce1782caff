import { resolveModelFamily } from "../family/resolve-model-family.ts";
import type { ModelFamily } from "../port/model-family.ts";
import type { Model, ModelCall } from "../port/model.ts";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { fitToolName } from "../../tool/index.ts";
import type { PromptPart } from "../port/estimate-call.ts";
import type { ImageSupport } from "../port/tool-images.ts";
import { insertImages } from "./insert-images.ts";
import { readPriorTurns } from "./prior-turns.ts";
import { type AssistantMessage, originFor, messageOrigin } from "./to-assistant-message.ts";

/** Prepares the call for this model. */
export function prepareCall(
  model: Model,
  call: ModelCall,
  family: ModelFamily = model.family ?? resolveModelFamily(model.modelId, model.provider),
): ModelCall {
  const fitted = adaptHistory(fitNames(call), { family, provider: model.provider });
  const prompt = insertImages(fitted, imageSupport(model, family));
  const sent = prompt === call.prompt ? call : { ...call, prompt };
  return model.family === undefined ? family.prepare(sent, { modelId: model.modelId }) : sent;
}

/** The image support of a model. */
export function imageSupport(
  model: Model,
  family: ModelFamily = model.family ?? resolveModelFamily(model.modelId, model.provider),
): ImageSupport {
  return model.images ?? (family.takesImages?.(model.modelId) === true ? "user" : "none");
}

/**
 * The prompt of a call with tool names that services accept. A model may call any name, and one invalid name in a
 * conversation makes every later request fail. Call and result get the same name. Declared names stay: a service that
 * accepts the declaration accepts the call.
 */
export function fitNames({ prompt, tools = [] }: Pick<ModelCall, "prompt" | "tools">): LanguageModelV4Prompt {
  if (!readPriorTurns(prompt).hasOddNames) return prompt;
  const declared = new Set(tools.map(({ name }) => name));
  const fit = (name: string): string => (declared.has(name) ? name : fitToolName(name));
  return prompt.map((message) => {
    if (message.role === "assistant") return { ...message, content: fitParts(message.content, fit) };
    return message.role === "tool" ? { ...message, content: fitParts(message.content, fit) } : message;
  });
}

function fitParts<Part extends PromptPart>(parts: readonly Part[], fit: (name: string) => string): Part[] {
  return parts.map((part) => ("toolName" in part ? { ...part, toolName: fit(part.toolName) } : part));
}

/**
 * A conversation as another model may see it: signatures belong to the service that issued them, and thinking to the
 * model that produced it. Messages of the recipient itself, and of unknown origin, stay unchanged.
 */
function adaptHistory(
  prompt: LanguageModelV4Prompt,
  { family, provider }: { readonly family: ModelFamily; readonly provider: string },
): LanguageModelV4Prompt {
  const own = originFor(family.name, provider);
  const { origins } = readPriorTurns(prompt);
  if (origins.size === 0 || (origins.size === 1 && origins.has(own))) return prompt;
  const isForeign = (message: LanguageModelV4Prompt[number]): message is AssistantMessage =>
    message.role === "assistant" && (messageOrigin(message) ?? own) !== own;
  if (!prompt.some(isForeign)) return prompt;
  return prompt.map((message) => (isForeign(message) ? adopted(message, family) : message));
}

function adopted({ content }: AssistantMessage, { thoughts }: ModelFamily): AssistantMessage {
  const parts = content.flatMap((part): AssistantMessage["content"] => {
    if (part.type === "reasoning" && thoughts !== "any") return [];
    const { providerOptions: _, ...plain } = part;
    return [plain];
  });
  const thought = content.some(({ type }) => type === "reasoning");
  const hasToolCalls = content.some(({ type }) => type === "tool-call");
  // Some services reject a tool call without preceding thinking.
  if (thoughts === "any" && hasToolCalls && !thought) parts.unshift({ type: "reasoning", text: "(not recorded)" });
  return { role: "assistant", content: parts };
}
