import type { AIMessageChunk, UsageMetadata } from "@langchain/core/messages";
import type {
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
  SharedV4Warning,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { CallCollector, identifyCalls, rawCalls } from "./raw-calls.ts";
import { attachMessage } from "./attached-message.ts";
import { type MessagePart, readMessageParts } from "./message-parts.ts";
import { type RawToolCall, unknownUsage } from "../../model/index.ts";
import { isRecord } from "../../schema/index.ts";

type Part = LanguageModelV4StreamPart;

/** Converts the chunks of a LangChain stream to Windlass stream parts. */
export class LangChainTurnStream {
  readonly #prompt: LanguageModelV4Prompt;
  readonly #provider: string;
  readonly #calls = new CallCollector();
  /** The ids under which calls were announced. */
  readonly #announced = new Map<RawToolCall | undefined, string>();
  /** Metadata of the last chunk that has it: merging would repeat strings. */
  readonly #metadata: Record<string, unknown> = {};
  #whole: AIMessageChunk | undefined;
  #open: { readonly type: MessagePart["type"]; readonly id: string } | undefined;
  #blocks = 0;

  constructor(prompt: LanguageModelV4Prompt, provider: string) {
    this.#prompt = prompt;
    this.#provider = provider;
  }

  static begin(warnings: SharedV4Warning[]): Part {
    return { type: "stream-start", warnings };
  }

  /** The parts that a chunk adds. */
  add(chunk: AIMessageChunk): Part[] {
    this.#whole = this.#whole === undefined ? chunk : this.#whole.concat(chunk);
    for (const [key, value] of Object.entries(chunk.response_metadata ?? {}))
      if (value != null) this.#metadata[key] = value;
    const content = readMessageParts(chunk).flatMap((each) => this.#addText(each));
    return [...content, ...(chunk.tool_call_chunks ?? []).flatMap((piece) => this.#callMore(piece))];
  }

  /** The parts that end the response. */
  end(): Part[] {
    const message = this.#whole;
    // A model that does not stream returns complete calls in its single message.
    const calls = this.#calls.calls.length > 0 || message === undefined ? this.#calls.calls : rawCalls(message);
    const attached = message === undefined ? undefined : attachMessage(message, this.#provider);
    const identified = identifyCalls(calls, this.#prompt).map((call, index) => ({
      ...call,
      // Uses the id under which the call was announced.
      id: this.#announced.get(calls[index]) ?? call.id,
    }));
    return [
      ...this.#close(identified.length === 0 ? attached : undefined),
      ...[...this.#announced.values()].map((id) => ({ type: "tool-input-end" as const, id })),
      ...identified.map(({ id, name, input }, index) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: name,
        input,
        ...(index === 0 && attached !== undefined && { providerMetadata: attached }),
      })),
      ...this.#finish(identified.length > 0),
    ];
  }

  #finish(hasCalls: boolean): Part[] {
    const message = this.#whole;
    const usage = message === undefined ? unknownUsage : readUsage(message);
    return [{ type: "finish", finishReason: readFinishReason(this.#metadata, hasCalls), usage }];
  }

  #addText({ type, text }: MessagePart): Part[] {
    const parts = this.#open?.type === type ? [] : [...this.#close(), this.#start(type)];
    const id = this.#open?.id ?? "";
    return [...parts, { type: `${type}-delta`, id, delta: text }];
  }

  #start(type: MessagePart["type"]): Part {
    const id = String(++this.#blocks);
    this.#open = { type, id };
    return { type: `${type}-start`, id };
  }

  #close(attached?: SharedV4ProviderMetadata): Part[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    return [{ type: `${open.type}-end`, id: open.id, ...(attached !== undefined && { providerMetadata: attached }) }];
  }

  /** A call is announced once it has its name. Its argument text is passed on as it arrives, and never completed. */
  #callMore(piece: Parameters<CallCollector["add"]>[0]): Part[] {
    const call = this.#calls.add(piece);
    const id = this.#announced.get(call);
    if (id !== undefined) return piece.args ? [{ type: "tool-input-delta", id, delta: piece.args }] : [];
    if (call.name === "") return [];
    const made = this.#announce(call);
    const started: Part[] = [...this.#close(), { type: "tool-input-start", id: made, toolName: call.name }];
    return call.input === "" ? started : [...started, { type: "tool-input-delta", id: made, delta: call.input }];
  }

  #announce(call: RawToolCall): string {
    const [id = ""] = identifyCalls(this.#calls.calls, this.#prompt).flatMap((each, index) =>
      this.#calls.calls[index] === call ? each.id : [],
    );
    this.#announced.set(call, id);
    return id;
  }
}

type Metadata = Readonly<Record<string, unknown>>;

/** Metadata keys under which LangChain's models report why a response ended. */
const reasonKeys = ["finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"];

/** Finish reasons by pattern. Merged chunks may contain the reason twice in one string. */
const reasons: readonly (readonly [RegExp, LanguageModelV4FinishReason["unified"]])[] = [
  [/length|max_?(?:output_?|completion_?)?tokens|model_context_window/i, "length"],
  [/content[-_]?filter|safety|refusal|blocked|prohibited|recitation|guardrail/i, "content-filter"],
  // Before calls: Gemini reports a malformed call.
  [/error|malformed|insufficient/i, "error"],
  [/tool[-_]?(?:calls?|use)|function_?call/i, "tool-calls"],
  [/stop|end_turn|eos|complete/i, "stop"],
];

/** Why a response ended. A model that reports nothing has finished normally. */
export function readFinishReason(metadata: Metadata, hasCalls: boolean): LanguageModelV4FinishReason {
  const raw = rawReason(metadata);
  const known = raw === undefined ? "stop" : (reasons.find(([pattern]) => pattern.test(raw))?.[1] ?? "other");
  return { unified: hasCalls && known === "stop" ? "tool-calls" : known, raw };
}

function rawReason(metadata: Metadata): string | undefined {
  // OpenAI's responses: a status, and a reason only if something is missing.
  const { incomplete_details: incomplete } = metadata;
  if (isRecord(incomplete) && typeof incomplete["reason"] === "string") return incomplete["reason"];
  return reasonKeys.map((key) => metadata[key]).find((value) => typeof value === "string" && value !== "") as
    | string
    | undefined;
}

/** Token usage of a response, as far as the model reports it. */
export function readUsage({
  usage_metadata: usage,
  response_metadata,
}: {
  readonly usage_metadata?: UsageMetadata | undefined;
  readonly response_metadata: Metadata;
}): LanguageModelV4Usage {
  const read = usage?.input_token_details;
  const written = usage?.output_token_details;
  const old = oldUsage(response_metadata);
  const input = usage?.input_tokens ?? old.input;
  const output = usage?.output_tokens ?? old.output;
  const { cache_read: cacheRead, cache_creation: cacheWrite } = read ?? {};
  return {
    inputTokens: { total: input, noCache: less(input, cacheRead, cacheWrite), cacheRead, cacheWrite },
    outputTokens: { total: output, text: less(output, written?.reasoning), reasoning: written?.reasoning },
  };
}

/** Token usage as older models report it. */
function oldUsage(metadata: Metadata): { input: number | undefined; output: number | undefined } {
  const usage = metadata["tokenUsage"];
  if (!isRecord(usage)) return { input: undefined, output: undefined };
  const { promptTokens, completionTokens } = usage;
  return {
    input: typeof promptTokens === "number" ? promptTokens : undefined,
    output: typeof completionTokens === "number" ? completionTokens : undefined,
  };
}

function less(total: number | undefined, ...parts: (number | undefined)[]): number | undefined {
  return total === undefined
    ? undefined
    : Math.max(0, total - parts.reduce<number>((sum, part) => sum + (part ?? 0), 0));
}
