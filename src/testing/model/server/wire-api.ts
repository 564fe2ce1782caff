import type { IssuedTurns } from "./issued-turns.ts";
import type { JsonRecord } from "./read-json.ts";
import type { WireTurn } from "./wire-turn.ts";

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
