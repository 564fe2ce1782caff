import type { AIMessageChunk } from "@langchain/core/messages";
import type {
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { readFinishReason, readUsage } from "./response-end.ts";
import { CallCollector, type RawCall } from "./call-collector.ts";
import { identifyCalls } from "./identify-calls.ts";
import { attachMessage } from "./attached-message.ts";
import { rawCalls } from "./raw-calls.ts";
import { type MessagePart, readMessageParts } from "./message-parts.ts";

type Part = LanguageModelV4StreamPart;

/** Converts the chunks of a LangChain stream to Windlass stream parts. */
export class LangChainTurnStream {
  readonly #prompt: LanguageModelV4Prompt;
  readonly #provider: string;
  readonly #calls = new CallCollector();
  /** The ids under which calls were announced. */
  readonly #announced = new Map<RawCall | undefined, string>();
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

  #announce(call: RawCall): string {
    const [id = ""] = identifyCalls(this.#calls.calls, this.#prompt).flatMap((each, index) =>
      this.#calls.calls[index] === call ? each.id : [],
    );
    this.#announced.set(call, id);
    return id;
  }
}

const unknownUsage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
