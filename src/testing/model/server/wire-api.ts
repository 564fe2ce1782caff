import type { WireTurn } from "./wire-turn.ts";
import { createHash } from "node:crypto";
import { recordOf } from "../../../schema/index.ts";

/** The API that a request is written for. */
export type WireApiName = "openai" | "anthropic" | "gemini";

/** A request as the API implementations see it. */
export interface WireRequest {
  readonly family: WireApiName;
  /** The path, with a key in its query removed. */
  readonly path: string;
  /** Lower-case names; values of headers that contain keys are `[redacted]`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonRecord;
  /** The requested model. */
  readonly model: string;
  /** True if the response is to be streamed. */
  readonly stream: boolean;
}

/** Requirements of a server beyond the request format. */
export interface ApiRequirements {
  readonly issued: IssuedTurns;
  /** Thinking has to come back with the tool calls that it led to, as DeepSeek, Kimi and GLM require. */
  readonly reasoningEchoed: boolean;
}

/** Name of the thinking field in the OpenAI protocol. */
export type ReasoningField = "reasoning_content" | "reasoning";

/** One API: its paths, its rules, its responses. */
export interface WireApi {
  readonly name: WireApiName;
  /** Prefix of the ids of its tool calls. */
  readonly idPrefix: string;
  /** True if it signs the first call of every response. */
  readonly signsCalls: boolean;
  /** The model and mode requested at this path; undefined if the path does not belong to this API. */
  readonly at: (path: string, body: JsonRecord) => { readonly model: string; readonly stream: boolean } | undefined;
  /** The key in these headers or this query. */
  readonly keyOf: (headers: Readonly<Record<string, string | undefined>>, query: URLSearchParams) => string | undefined;
  /** Throws an `ApiRejection` for a request that the API would reject. */
  readonly check: (request: WireRequest, demands: ApiRequirements) => void;
  /** A response in one piece. */
  readonly whole: (turn: WireTurn, request: WireRequest, field: ReasoningField) => unknown;
  /** A response as the chunks of a stream; the last ones mark its end. */
  readonly events: (turn: WireTurn, request: WireRequest, field: ReasoningField) => Iterable<string>;
  /** An error in the API's form. */
  readonly error: (status: number, message: string, retryAfter: number | undefined) => unknown;
  /** An error within a stream. */
  readonly errorEvent: (message: string) => string;
}

/** Turns issued by a server, as far as an API can check whether they come back unchanged. */
export class IssuedTurns {
  readonly #byCall = new Map<string, WireTurn>();
  readonly #bySignature = new Map<string, string>();
  #signed = 0;

  /** A unique signature; the same in every run of a test. */
  sign(text: string): string {
    const stamp = `${++this.#signed}:${text}`;
    return createHash("sha256").update(stamp).digest("base64");
  }

  /** Records a turn. */
  add(turn: WireTurn): void {
    if (turn.signature !== undefined) this.#bySignature.set(turn.signature, turn.thinking ?? "");
    for (const call of turn.calls) {
      this.#byCall.set(call.id, turn);
      if (call.signature !== undefined) this.#bySignature.set(call.signature, call.argumentsText);
    }
  }

  /** The turn in which this call was made; undefined for a call from elsewhere. */
  turnOf(callId: string): WireTurn | undefined {
    return this.#byCall.get(callId);
  }

  /** The text behind a signature; undefined for a signature that was not issued here. */
  signedText(signature: string): string | undefined {
    return this.#bySignature.get(signature);
  }
}

/** Faults on the wire of an otherwise good response. Chunks of a stream are counted from 0. */
export interface WireFaults {
  /**
   * Cuts the connection after this number of chunks of the stream or bytes of the body. With `cleanly`, the response
   * ends there as if it were complete. With `chunk`, a response that is not streamed is cut in its middle.
   */
  readonly cut?: { readonly chunk?: number; readonly byte?: number; readonly cleanly?: boolean };
  /** Silence instead of this chunk, until the client disconnects. */
  readonly hangAtChunk?: number;
  /** This chunk is not valid JSON. */
  readonly malformedChunk?: number;
  /** Instead of this chunk, the API reports an error within the stream. */
  readonly errorAtChunk?: number;
  /** Omitted parts: the ids or the indexes of tool calls, the token usage, the end marker of a stream. */
  readonly omit?: readonly ("id" | "index" | "usage" | "end")[];
  /** The arguments of tool calls are an object where the API specifies text, an empty text, or missing. */
  readonly arguments?: "object" | "empty" | "absent";
  /** The response ends with `length` in the middle of the last call's arguments. */
  readonly cutArguments?: boolean;
  /** Thinking arrives as `<think>…</think>` in the text, with the tags split over chunks. */
  readonly thinkTags?: boolean;
  /** A line with the role before the text; `assistant` if `true`. */
  readonly leakedRole?: boolean | string;
  /** Number of characters per text chunk. Default: up to eight, or one word. */
  readonly chunkChars?: number;
  /** Sends this number of bytes at a time, splitting lines and characters. */
  readonly packetBytes?: number;
}

/** An error response of an API: busy, failed, refused. */
export interface ErrorResponse {
  /** 429, 500, 529, … */
  readonly status: number;
  readonly message?: string;
  /** In `retry-after`, in seconds. */
  readonly retryAfter?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the API's own error body; a string is sent unchanged. */
  readonly body?: unknown;
  readonly delayMs?: number;
}

/** No response at all, until the client disconnects. */
export interface HangingResponse {
  readonly hang: true;
}

/** A request that the API rejects, with a message in its own style. */
export class ApiRejection extends Error {
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

export function isApiRejection(value: unknown): value is ApiRejection {
  return value instanceof ApiRejection;
}

/** Throws an {@link ApiRejection} unless this holds. */
export function requireThat(holds: boolean, message: string): asserts holds {
  if (!holds) throw new ApiRejection(message);
}

/** A JSON object from an untrusted source. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The objects of a list. An item that is not an object counts as an empty one, so that indexes stay the same. */
export function recordsOf(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}
