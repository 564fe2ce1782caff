import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { type ImageSupport, type ToolImage, imagesOf, withoutImages } from "../port/tool-images.ts";

type UserMessage = Extract<LanguageModelV4Message, { role: "user" }>;
type ToolMessage = Extract<LanguageModelV4Message, { role: "tool" }>;

/**
 * A prompt with the images of tools inserted as its model takes them: in the results, in a message of the user after them, or
 * replaced by a note.
 */
export function insertImages(prompt: LanguageModelV4Prompt, support: ImageSupport): LanguageModelV4Prompt {
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
