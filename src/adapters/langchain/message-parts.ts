import { isRecord } from "../../schema/index.ts";

/** One part of a model's text or reasoning. */
export interface MessagePart {
  readonly type: "text" | "reasoning";
  readonly text: string;
}

/** The fields of a model's message, or of a chunk, that are read here. */
export interface ModelMessageLike {
  readonly content: unknown;
  readonly additional_kwargs: Readonly<Record<string, unknown>>;
}

type Block = Readonly<Record<string, unknown>>;

/**
 * Returns the text and reasoning of a model in their order, for the formats of all providers; other blocks are skipped.
 */
export function readMessageParts({ content, additional_kwargs: beside }: ModelMessageLike): MessagePart[] {
  const thought = [beside["reasoning_content"], summaryOf(beside["reasoning"])].flatMap(reasoning);
  if (typeof content === "string") return [...thought, ...text(content)];
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  return [...thought, ...blocks.flatMap(readBlockPart)];
}

function readBlockPart(block: Block): MessagePart[] {
  switch (block["type"]) {
    case "text":
    case "text_delta":
    case "output_text":
      return text(block["text"]);
    // Anthropic's.
    case "thinking":
    case "thinking_delta":
      return reasoning(block["thinking"]);
    // LangChain's own form, and that of OpenAI's responses.
    case "reasoning":
      return reasoning(block["reasoning"] ?? summaryOf(block));
    // Bedrock's.
    case "reasoning_content":
      return reasoning(isRecord(block["reasoningText"]) ? block["reasoningText"]["text"] : undefined);
    default:
      return [];
  }
}

function summaryOf(value: unknown): string | undefined {
  if (!isRecord(value) || !Array.isArray(value["summary"])) return undefined;
  return value["summary"]
    .flatMap((item) => (isRecord(item) && typeof item["text"] === "string" ? item["text"] : []))
    .join("");
}

function text(value: unknown): MessagePart[] {
  return typeof value === "string" && value !== "" ? [{ type: "text", text: value }] : [];
}

function reasoning(value: unknown): MessagePart[] {
  return typeof value === "string" && value !== "" ? [{ type: "reasoning", text: value }] : [];
}
