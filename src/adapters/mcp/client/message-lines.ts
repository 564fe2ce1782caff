import { TopLevelId } from "./top-level-id.ts";

const lineEnd = 0x0a;

/** A line of a program's output, or what is known of one that was too long to be kept. */
export type MessageLine =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "oversized"; readonly id: string | number | undefined; readonly bytes: number };

/** Cuts a stream of bytes into lines; of a line beyond the limit only the message's id is kept. */
export class MessageLines {
  readonly #mostBytes: number;
  #pieces: Uint8Array[] = [];
  #size = 0;
  #skipped: TopLevelId | undefined;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** The lines that this piece completes. */
  *feed(piece: Uint8Array): Generator<MessageLine, void> {
    let from = 0;
    for (let end = piece.indexOf(lineEnd); end !== -1; end = piece.indexOf(lineEnd, from)) {
      this.#add(piece.subarray(from, end));
      from = end + 1;
      yield this.#complete();
    }
    this.#add(piece.subarray(from));
  }

  #add(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#skipped !== undefined) {
      this.#skipped.feed(bytes);
      return;
    }
    this.#pieces.push(bytes);
    if (this.#size <= this.#mostBytes) return;
    this.#skipped = new TopLevelId();
    for (const kept of this.#pieces) this.#skipped.feed(kept);
    this.#pieces = [];
  }

  #complete(): MessageLine {
    const [pieces, bytes, skipped] = [this.#pieces, this.#size, this.#skipped];
    this.#pieces = [];
    this.#size = 0;
    this.#skipped = undefined;
    if (skipped !== undefined) return { kind: "oversized", id: skipped.id, bytes };
    const [first] = pieces;
    const whole = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
    return { kind: "line", text: Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString("utf8") };
  }
}
