import type { FailureError } from "../../../base/index.ts";

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/** Options of {@link limitBody}. */
export interface BodyLimitOptions {
  /** Maximum size of one message. */
  readonly maxBytes: number;
  /**
   * True for a stream of events, which has many messages, each ended by an empty line; any other body is one message.
   */
  readonly isEvents: boolean;
  readonly tooLarge: () => FailureError;
  /** Awaited before each event, so that a slow reader applies backpressure to the writer. */
  readonly pace?: () => Promise<void> | undefined;
}

/** Passes on the bytes of a body while no message exceeds the limit; a stream of events is passed on one event at a time. */
export async function* limitBody(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, isEvents, tooLarge, pace }: BodyLimitOptions,
): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  let lineIsEmpty = true;
  for await (const piece of body) {
    let from = 0;
    const searched = isEvents ? piece.length : 0;
    for (let at = 0; at < searched; at++) {
      const byte = piece[at];
      if (byte === carriageReturn) continue;
      const ends = byte === lineFeed && lineIsEmpty;
      lineIsEmpty = byte === lineFeed;
      if (!ends) continue;
      await pace?.();
      yield piece.subarray(from, at + 1);
      from = at + 1;
      size = 0;
    }
    size += piece.length - from;
    // Chunks are small, so a message exceeds the limit by one of them at most.
    if (size > maxBytes) throw tooLarge();
    if (from < piece.length) yield piece.subarray(from);
  }
}
