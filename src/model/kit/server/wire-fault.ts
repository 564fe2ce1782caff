/** What goes wrong on the way of an otherwise good answer. Pieces of a stream are counted from 0. */
export interface WireFaults {
  /**
   * The connection breaks after so many pieces of the stream, or bytes of the body; with `cleanly` the answer ends there
   * as if it were whole. An answer that is not streamed breaks in its middle where pieces are given.
   */
  readonly cut?: { readonly chunk?: number; readonly byte?: number; readonly cleanly?: boolean };
  /** Silence instead of this piece, until the asker leaves. */
  readonly hangAtChunk?: number;
  /** This piece is no JSON. */
  readonly malformedChunk?: number;
  /** Instead of this piece the API tells of an error of its own within the stream. */
  readonly errorAtChunk?: number;
  /** Left out: the ids or the indexes of tool calls, the count of tokens, the mark at the end of a stream. */
  readonly omit?: readonly ("id" | "index" | "usage" | "end")[];
  /** The arguments of tool calls come as an object where the API says text, as an empty text, or not at all. */
  readonly arguments?: "object" | "empty" | "absent";
  /** The answer ends by `length` in the middle of the last call's arguments. */
  readonly cutArguments?: boolean;
  /** Thinking comes as `<think>…</think>` in the text, the tags in several pieces. */
  readonly thinkTags?: boolean;
  /** A line with the role in front of the text: `assistant` where only true. */
  readonly leakedRole?: boolean | string;
  /** So many characters in a piece of text; usually up to eight, or a word. */
  readonly chunkChars?: number;
  /** The bytes go out so many at a time: through the middle of lines and characters. */
  readonly packetBytes?: number;
}

/** An answer of an API that is no answer: busy, broken, refused. */
export interface ErrorAnswer {
  /** 429, 500, 529, … */
  readonly status: number;
  readonly message?: string;
  /** In `retry-after`, in seconds. */
  readonly retryAfter?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the API's own form; a text goes out as it is. */
  readonly body?: unknown;
  readonly delayMs?: number;
}

/** Nothing at all, until the asker leaves. */
export interface HangingAnswer {
  readonly hang: true;
}
