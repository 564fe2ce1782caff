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
