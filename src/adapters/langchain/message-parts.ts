import { isRecord } from "../../schema/index.ts";

/** A piece of what a model said, or thought. */
export interface Said {
  readonly type: "text" | "reasoning";
  readonly text: string;
}

/** What is read of a message of a model, or of a piece of one. */
export interface SpokenMessage {
  readonly content: unknown;
  readonly additional_kwargs: Readonly<Record<string, unknown>>;
}

type Block = Readonly<Record<string, unknown>>;

/** What a model said and thought, in its order, whatever form its provider gives it; other blocks are passed over. */
export function saidIn({ content, additional_kwargs: beside }: SpokenMessage): Said[] {
  const thought = [beside["reasoning_content"], summaryOf(beside["reasoning"])].flatMap(reasoning);
  if (typeof content === "string") return [...thought, ...text(content)];
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  return [...thought, ...blocks.flatMap(saidInBlock)];
}

function saidInBlock(block: Block): Said[] {
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

function text(value: unknown): Said[] {
  return typeof value === "string" && value !== "" ? [{ type: "text", text: value }] : [];
}

function reasoning(value: unknown): Said[] {
  return typeof value === "string" && value !== "" ? [{ type: "reasoning", text: value }] : [];
}
