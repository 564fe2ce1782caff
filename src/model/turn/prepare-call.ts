import { resolveModelFamily } from "../family/resolve-model-family.ts";
import type { ModelFamily } from "../port/model-family.ts";
import type { Model, ModelCall } from "../port/model.ts";
import type {
  LanguageModelV4Prompt,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { fitToolName } from "../../tool/index.ts";
import type { PromptPart } from "../port/estimate-call.ts";
import { type ImageSupport, type ToolImage, imagesOf, withoutImages } from "../port/tool-images.ts";
import { PriorTurnsReader, type AssistantMessage, type PriorTurns, originFor, messageOrigin } from "./prior-turns.ts";

/** Prepares the call for this model. */
export function prepareCall(
  model: Model,
  call: ModelCall,
  family: ModelFamily = model.family ?? resolveModelFamily(model.modelId, model.provider),
  prior: PriorTurns = new PriorTurnsReader().read(call.prompt),
): ModelCall {
  const fitted = adaptHistory(fitNames(call, prior), { family, provider: model.provider, prior });
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
export function fitNames(
  { prompt, tools = [] }: Pick<ModelCall, "prompt" | "tools">,
  { hasOddNames }: PriorTurns = new PriorTurnsReader().read(prompt),
): LanguageModelV4Prompt {
  if (!hasOddNames) return prompt;
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
  { family, provider, prior }: { readonly family: ModelFamily; readonly provider: string; readonly prior: PriorTurns },
): LanguageModelV4Prompt {
  const own = originFor(family.name, provider);
  const { origins } = prior;
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

type UserMessage = Extract<LanguageModelV4Message, { role: "user" }>;
type ToolMessage = Extract<LanguageModelV4Message, { role: "tool" }>;

/**
 * A prompt with the images of tools inserted as its model takes them: in the results, in a message of the user after them, or
 * replaced by a note.
 */
function insertImages(prompt: LanguageModelV4Prompt, support: ImageSupport): LanguageModelV4Prompt {
  if (!prompt.some(hasImages)) return prompt;
  return prompt.flatMap((message): LanguageModelV4Prompt => {
    if (!hasImages(message)) return [message];
    if (message.role === "user") return [inUserMessage(message, support)];
    if (message.role !== "tool") return [message];
    return support === "user" ? afterResults(message) : [inResults(message, support)];
  });
}

function hasImages({ role, content }: LanguageModelV4Message): boolean {
  if (role !== "tool" && role !== "user") return false;
  for (const part of content) if (part.providerOptions !== undefined && imagesOf(part).length > 0) return true;
  return false;
}

function inUserMessage(message: UserMessage, support: ImageSupport): UserMessage {
  const content = message.content.flatMap((part): UserMessage["content"] => {
    const images = imagesOf(part);
    if (part.type !== "text" || images.length === 0) return [part];
    const plain = withoutImages(part);
    if (support === "none") return [{ ...plain, text: `${plain.text}\n\n${missing(images)}` }];
    return [plain, ...images.map(toFile)];
  });
  return { ...message, content };
}

function inResults(message: ToolMessage, support: ImageSupport): ToolMessage {
  const content = message.content.map((part) => {
    const images = imagesOf(part);
    if (part.type !== "tool-result" || images.length === 0) return part;
    if (support === "none") return withNote(part, missing(images));
    const text = { type: "text" as const, text: textOf(part) };
    return { ...withoutImages(part), output: { type: "content" as const, value: [text, ...images.map(toFile)] } };
  });
  return { ...message, content };
}

/** The results, then one message with all of their images: nothing may stand between the results of a response. */
function afterResults(message: ToolMessage): LanguageModelV4Prompt {
  const shown: UserMessage["content"] = [];
  const content = message.content.map((part) => {
    const images = imagesOf(part);
    if (part.type !== "tool-result" || images.length === 0) return part;
    const what = count(images);
    shown.push({ type: "text", text: `[${what} returned by the tool ${part.toolName}]` }, ...images.map(toFile));
    return withNote(part, `[${what}: in the next message]`);
  });
  return [
    { ...message, content },
    { role: "user", content: shown },
  ];
}

function withNote(part: LanguageModelV4ToolResultPart, note: string): LanguageModelV4ToolResultPart {
  const type = part.output.type === "error-text" ? part.output.type : "text";
  return { ...withoutImages(part), output: { type, value: `${textOf(part)}\n${note}` } };
}

/** Results with images are always text. */
function textOf({ output }: LanguageModelV4ToolResultPart): string {
  return "value" in output && typeof output.value === "string" ? output.value : JSON.stringify(output);
}

function missing(images: readonly ToolImage[]): string {
  return `[${count(images)} ${images.length === 1 ? "is" : "are"} not shown: this model takes no images]`;
}

function count({ length }: readonly ToolImage[]): string {
  return `${length} image${length === 1 ? "" : "s"}`;
}

function toFile({ mimeType, data }: ToolImage): LanguageModelV4FilePart {
  return { type: "file", mediaType: mimeType, data: { type: "data", data } };
}
