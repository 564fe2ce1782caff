import type { LanguageModelV4Content, LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { type ModelGenerateResult, unknownUsage } from "../../model/index.ts";

/** Folds a stream into one response. Throws the error that ends the stream, or an error part in it. */
export async function foldParts(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<ModelGenerateResult> {
  const answer: Folded = { content: [], blocks: new Map(), finish: undefined, warnings: [] };
  for await (const part of stream) addPart(answer, part);
  const { content, finish, warnings } = answer;
  return {
    content,
    finishReason: finish?.finishReason ?? { unified: "other", raw: undefined },
    usage: finish?.usage ?? unknownUsage,
    ...(finish?.providerMetadata !== undefined && { providerMetadata: finish.providerMetadata }),
    warnings,
  };
}

interface Folded {
  readonly content: LanguageModelV4Content[];
  /** Open text and thinking blocks, by id. */
  readonly blocks: Map<string, Block>;
  finish: Extract<LanguageModelV4StreamPart, { type: "finish" }> | undefined;
  readonly warnings: ModelGenerateResult["warnings"];
}

interface Block {
  readonly type: "text" | "reasoning";
  text: string;
  providerMetadata?: SharedV4ProviderMetadata;
}

function addPart(answer: Folded, part: LanguageModelV4StreamPart): void {
  switch (part.type) {
    case "stream-start":
      answer.warnings.push(...part.warnings);
      return;
    case "finish":
      answer.finish = part;
      return;
    case "error":
      throw toError(part.error);
    default:
      if (isBlockPart(part)) addToBlock(answer, part);
      else if (isContent(part)) answer.content.push(part);
  }
}

/** Clients report errors in several forms: as an Error, as the provider's object, or as text. */
function toError(error: unknown): Error {
  if (error instanceof Error) return error;
  const reported = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  return new Error(typeof reported === "string" ? reported : JSON.stringify(reported), { cause: error });
}

type BlockPart = Extract<LanguageModelV4StreamPart, { type: `${Block["type"]}-${"start" | "delta" | "end"}` }>;

function isBlockPart(part: LanguageModelV4StreamPart): part is BlockPart {
  return part.type.startsWith("text-") || (part.type.startsWith("reasoning-") && part.type !== "reasoning-file");
}

/** The deltas of a tool call are omitted: the whole call arrives as a separate part. */
function isContent(part: LanguageModelV4StreamPart): part is LanguageModelV4StreamPart & LanguageModelV4Content {
  return !part.type.startsWith("tool-input-") && !passing.has(part.type);
}

const passing = new Set<LanguageModelV4StreamPart["type"]>(["response-metadata", "ping", "raw"]);

function addToBlock({ blocks, content }: Folded, part: BlockPart): void {
  const type = part.type.startsWith("text-") ? "text" : "reasoning";
  const key = `${type} ${part.id}`;
  let block = blocks.get(key);
  if (block === undefined) {
    block = { type, text: "" };
    blocks.set(key, block);
    content.push(block);
  }
  if ("delta" in part) block.text += part.delta;
  if (part.providerMetadata !== undefined)
    block.providerMetadata = { ...block.providerMetadata, ...part.providerMetadata };
}
