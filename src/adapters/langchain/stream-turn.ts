import { AIMessageChunk } from "@langchain/core/messages";
import {
  type AskLimits,
  type Model,
  type ModelCall,
  type TurnDelta,
  askTurn,
  modelFailure,
} from "../../model/index.ts";
import { lastChunk } from "./to-ai-message.ts";

/** An answer, piece by piece, as LangChain streams it. Tool calls come at the end, when it is known that they are whole. */
export async function* streamTurn(model: Model, call: ModelCall, limits: AskLimits): AsyncGenerator<AIMessageChunk> {
  const stop = new AbortController();
  const signal = limits.signal === undefined ? stop.signal : AbortSignal.any([limits.signal, stop.signal]);
  const told = new Told();
  const turn = askTurn(model, call, { ...limits, signal, onDelta: (delta) => told.add(delta) });
  // What it fails with is thrown where it is awaited.
  turn.then(told.end, told.end);
  let isRead = false;
  try {
    for await (const delta of told) {
      if (delta.kind === "restart" && isRead) throw modelFailure("provider_error", brokenOff, { retry: "safe" });
      const chunk = toChunk(delta);
      isRead ||= chunk !== undefined;
      if (chunk !== undefined) yield chunk;
    }
    yield lastChunk(await turn, { content: "", thought: "" });
  } finally {
    // Nobody reads on.
    stop.abort();
  }
}

/** Readers of LangChain's streams cannot be told to forget what they have got. */
const brokenOff = "the model broke off in the middle of its answer; ask again";

function toChunk(delta: TurnDelta): AIMessageChunk | undefined {
  if (delta.kind === "text") return new AIMessageChunk({ content: delta.text });
  if (delta.kind !== "thinking") return undefined;
  return new AIMessageChunk({ content: "", additional_kwargs: { reasoning_content: delta.text } });
}

/** Pieces between the one who is told of them and the one who reads them. */
class Told implements AsyncIterable<TurnDelta> {
  readonly #waiting: TurnDelta[] = [];
  #news = Promise.withResolvers<void>();
  #ended = false;

  add(delta: TurnDelta): void {
    this.#waiting.push(delta);
    this.#news.resolve();
  }

  readonly end = (): void => {
    this.#ended = true;
    this.#news.resolve();
  };

  async *[Symbol.asyncIterator](): AsyncGenerator<TurnDelta> {
    for (;;) {
      for (let delta = this.#waiting.shift(); delta !== undefined; delta = this.#waiting.shift()) yield delta;
      if (this.#ended) return;
      await this.#news.promise;
      this.#news = Promise.withResolvers<void>();
    }
  }
}
