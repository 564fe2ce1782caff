/** Unsent bytes of a reader beyond which it is dropped. */
const maxUnsentBytes = 1 << 20;
/** Unsent bytes beyond which a reader that catches up is sent nothing more for now. */
const enoughBytes = 1 << 18;

const encoder = new TextEncoder();

/** The text of an event of the stream. */
export function encodeEvent(type: string, data: object, id?: string): Uint8Array {
  return encoder.encode(`${id === undefined ? "" : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** A comment, which keeps proxies from closing an idle connection. */
export const heartbeat: Uint8Array = encoder.encode(":\n\n");

/** One reader of the stream: the body of its response, and what it has not read yet. */
export class EventReader {
  readonly body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isOpen = true;
  #onClose: (() => void) | undefined;
  #waiting: (() => void) | undefined;
  readonly #disconnect: (() => void) | undefined;

  /** @param disconnect Closes the connection, which cancels the stream. */
  constructor(disconnect?: () => void) {
    this.#disconnect = disconnect;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#resume(),
        cancel: () => this.#ended(),
      },
      { highWaterMark: maxUnsentBytes, size: ({ byteLength }) => byteLength },
    );
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Calls `closed` when the reader has left, was dropped, or its stream has ended. */
  onClose(closed: () => void): void {
    this.#onClose = closed;
  }

  /** Sends bytes; drops the reader if it does not read. */
  send(bytes: Uint8Array): void {
    if (!this.#isOpen) return;
    this.#controller?.enqueue(bytes);
    if (this.#unsent <= maxUnsentBytes) return;
    // Frees what is unsent. The client reconnects and continues after the last event that it has received.
    this.#ended();
    if (this.#disconnect === undefined) this.#controller?.error(new Error("the reader of the events is too slow"));
    else this.#disconnect();
  }

  /** Resolves when the reader has read enough to be sent more. */
  async ready(): Promise<void> {
    while (this.#isOpen && this.#unsent > enoughBytes)
      await new Promise<void>((resolve) => void (this.#waiting = resolve));
  }

  /** Ends the stream after everything that was sent. */
  close(): void {
    if (!this.#isOpen) return;
    this.#controller?.close();
    this.#ended();
  }

  get #unsent(): number {
    return maxUnsentBytes - (this.#controller?.desiredSize ?? maxUnsentBytes);
  }

  #resume(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }

  #ended(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#resume();
    this.#onClose?.();
  }
}
