import type { FailureError } from "../../../base/index.ts";

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/** How {@link guardBody} guards. */
export interface GuardOptions {
  /** The most bytes of one message. */
  readonly mostBytes: number;
  /** A stream of events has many messages, each ended by an empty line; any other body is one. */
  readonly isEvents: boolean;
  readonly tooLarge: () => FailureError;
  /** Waited for before each piece: whoever does not read slows down whoever writes. */
  readonly pace?: () => Promise<void> | undefined;
}

/** The bytes of a body, as long as no message in it is too large. */
export async function* guardBody(
  body: AsyncIterable<Uint8Array>,
  { mostBytes, isEvents, tooLarge, pace }: GuardOptions,
): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  let lineIsEmpty = true;
  for await (const piece of body) {
    // Pieces are small, so that a message may exceed the limit by one of them at most.
    for (const byte of isEvents ? piece : []) {
      size++;
      if (byte === carriageReturn) continue;
      if (byte === lineFeed && lineIsEmpty) size = 0;
      lineIsEmpty = byte === lineFeed;
    }
    if (!isEvents) size += piece.length;
    if (size > mostBytes) throw tooLarge();
    await pace?.();
    yield piece;
  }
}
