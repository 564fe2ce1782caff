import { parseJson } from "../../../base/index.ts";
const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Longer than every relevant name and id. */
const maxRetained = 64;

/**
 * Finds the `id` of a message that is too large to buffer: reads each byte once and stores next to nothing. Only the
 * `id` of the message itself counts, never a nested one.
 */
export class TopLevelId {
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** Between the colon after a name and the comma after its value. */
  #inValue = false;
  #name = "";
  #value = "";

  feed(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#inText) this.#text(byte);
      else this.#mark(byte);
    }
  }

  /** The id, once the whole message was read; undefined if it has none. */
  get id(): string | number | undefined {
    const id = parseJson(this.#value);
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  }

  #text(byte: number): void {
    this.#keep(byte);
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) this.#inText = false;
  }

  #mark(byte: number): void {
    if (byte === closeBrace || byte === closeBracket) this.#depth--;
    else if (byte === openBrace || byte === openBracket) this.#depth++;
    else if (byte === quote) {
      this.#inText = true;
      if (this.#depth === 1 && !this.#inValue) this.#name = "";
      this.#keep(byte);
    } else if (this.#depth === 1 && byte === colon) this.#inValue = true;
    else if (this.#depth === 1 && byte === comma) this.#inValue = false;
    else this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#depth !== 1) return;
    if (!this.#inValue) {
      if (this.#name.length < maxRetained) this.#name += String.fromCharCode(byte);
    } else if (this.#name.trim() === '"id"' && this.#value.length < maxRetained) {
      this.#value += String.fromCharCode(byte);
    }
  }
}
