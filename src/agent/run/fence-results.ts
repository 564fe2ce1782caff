import { type NamedText, fenceWith } from "../../text/index.ts";
import type { ConversationMessage, ToolResultPart } from "../events/message.ts";

type ToolMessage = Extract<ConversationMessage, { role: "tool" }>;

/**
 * Puts each tool result and failure into an envelope that its content cannot close, for all runners. Only requests
 * contain envelopes: a stored conversation has the plain texts. Each message is fenced once per run; a global `WeakMap`
 * with an entry for every message doubled the time of garbage collection.
 */
export function fenceResults(conversationId: string): (message: ConversationMessage) => ConversationMessage {
  const known = new Map<ConversationMessage, ConversationMessage>();
  const fence = fenceWith(conversationId);
  return (message) => {
    if (message.role !== "tool") return message;
    let fenced = known.get(message);
    if (fenced === undefined) known.set(message, (fenced = fencedMessage(message, fence)));
    return fenced;
  };
}

function fencedMessage(message: ToolMessage, fence: ReturnType<typeof fenceWith>): ToolMessage {
  const texts: NamedText[] = [];
  for (const part of message.content) if (part.type === "tool-result") addTexts(part, texts);
  const values = fence(texts);
  let at = 0;
  const next = (): string => values[at++] ?? "";
  const content = message.content.map((part) => (part.type === "tool-result" ? withTexts(part, next) : part));
  return { ...message, content };
}

/** Adds the texts of a result, in their order. */
function addTexts(part: ToolResultPart, texts: NamedText[]): void {
  const { toolName: name, output } = part;
  if (output.type !== "content") texts.push({ name, text: resultOutputText(part) });
  else for (const item of output.value) if (item.type === "text") texts.push({ name, text: item.text });
}

/** The result with other texts, which `next` returns in the order of {@link addTexts}. */
function withTexts(part: ToolResultPart, next: () => string): ToolResultPart {
  const { output } = part;
  if (output.type === "content") {
    const value = output.value.map((item) => (item.type === "text" ? { ...item, text: next() } : item));
    return { ...part, output: { ...output, value } };
  }
  const isError = output.type === "error-text" || output.type === "error-json";
  return { ...part, output: { type: isError ? "error-text" : "text", value: next() } };
}

/** The text of a result for a model; JSON if it is not a text. */
export function resultOutputText({ output }: ToolResultPart): string {
  return output.type === "text" || output.type === "error-text" ? output.value : JSON.stringify(output);
}
