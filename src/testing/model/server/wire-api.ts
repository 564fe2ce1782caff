import type { Issued } from "./issued.ts";
import type { JsonRecord } from "./read-json.ts";
import type { WireTurn } from "./wire-turn.ts";

/** Which API a request is written for. */
export type FamilyName = "openai" | "anthropic" | "gemini";

/** A request as the families look at it. */
export interface WireRequest {
  readonly family: FamilyName;
  /** The path without a key that may be in its query. */
  readonly path: string;
  /** Lower-case names; the values of those that hold keys are `[redacted]`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonRecord;
  /** The model that is asked. */
  readonly model: string;
  /** Whether the answer is to be streamed. */
  readonly stream: boolean;
}

/** What a server demands beyond the form. */
export interface Demands {
  readonly issued: Issued;
  /** Thinking has to come back with the tool calls that it led to, as DeepSeek, Kimi and GLM want it. */
  readonly reasoningEchoed: boolean;
}

/** Under which name thinking goes over the OpenAI protocol. */
export type ReasoningField = "reasoning_content" | "reasoning";

/** One API: its paths, its rules, its answers. */
export interface WireFamily {
  readonly name: FamilyName;
  /** How the ids of its tool calls begin. */
  readonly idPrefix: string;
  /** Whether it signs the first call of every answer. */
  readonly signsCalls: boolean;
  /** What is asked at this path; undefined where it is none of this API. */
  readonly at: (path: string, body: JsonRecord) => { readonly model: string; readonly stream: boolean } | undefined;
  /** The key in these headers or this query. */
  readonly keyOf: (headers: Readonly<Record<string, string | undefined>>, query: URLSearchParams) => string | undefined;
  /** Throws a `Refusal` for what the API would not take. */
  readonly check: (request: WireRequest, demands: Demands) => void;
  /** An answer in one piece. */
  readonly whole: (turn: WireTurn, request: WireRequest, field: ReasoningField) => unknown;
  /** An answer in the pieces of a stream, as they stand in it; the last ones mark its end. */
  readonly events: (turn: WireTurn, request: WireRequest, field: ReasoningField) => Iterable<string>;
  /** An error in the API's form. */
  readonly error: (status: number, message: string, retryAfter: number | undefined) => unknown;
  /** An error within a stream. */
  readonly errorEvent: (message: string) => string;
}
