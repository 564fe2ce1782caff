import type { FailureError } from "../../../base/index.ts";

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/** How {@link guardBody} guards. */
export interface GuardOptions {
  /** The most bytes of one message. */
  readonly mostBytes: number;
  /** A stream of events has many messages, each ended by an empty line; any other body is one. */
  readonly isEvents: boolean;
  readonly tooLarge: () => FailureError;
  /** Waited for before each event: whoever does not read slows down whoever writes. */
  readonly pace?: () => Promise<void> | undefined;
}

/** The bytes of a body, as long as no message in it is too large; of a stream of events, one event after the other. */
export async function* guardBody(
  body: AsyncIterable<Uint8Array>,
  { mostBytes, isEvents, tooLarge, pace }: GuardOptions,
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
    // Pieces are small, so that a message may exceed the limit by one of them at most.
    if (size > mostBytes) throw tooLarge();
    if (from < piece.length) yield piece.subarray(from);
  }
}
