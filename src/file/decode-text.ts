import { fileFailure } from "./file-reasons.ts";
import { type EventLoopYielder, orElse } from "../base/index.ts";
import { quotePath } from "./parse-path.ts";

/** Text of a file, and how its bytes were read. */
export interface DecodedText {
  readonly text: string;
  /** Such as `utf-8`, `utf-16le` or `gbk`. */
  readonly encoding: string;
  /** True if the file starts with a byte order mark, which is not part of the text. */
  readonly bom: boolean;
  /** True if some bytes were invalid in this encoding, and are shown as U+FFFD. */
  readonly lossy: boolean;
}

/** Options for decoding. */
export interface DecodeOptions {
  /** A label such as `gbk`. Default: by the byte order mark, else UTF-8. */
  readonly encoding?: string;
  /** The bytes start somewhere within the file. */
  readonly from?: "start" | "middle";
  /** The bytes end before the file does, perhaps within a character. */
  readonly cut?: boolean;
  /** Path of the file, for messages. */
  readonly path: string;
}

/** A NUL within this many bytes marks a binary file; later ones occur in logs. */
const looksAt = 8_192;

/**
 * Bytes as text. Without an encoding a byte order mark decides, else they are UTF-8; bytes that are neither are read
 * as well as can be and marked `lossy`, and what looks binary is refused.
 */
export function decodeText(bytes: Uint8Array, options: DecodeOptions): DecodedText {
  const { encoding, bom, body } = encodingOf(bytes, options);
  // Truncated bytes are decoded as a stream: an incomplete character at the end is dropped.
  const stream = options.cut === true;
  const exact = orElse(() => decoderFor(encoding, true).decode(body, { stream }), undefined);
  if (exact !== undefined) return { text: exact, encoding, bom, lossy: false };
  return { text: decoderFor(encoding, false).decode(body, { stream }), encoding, bom, lossy: true };
}

/** Number of bytes decoded at a time. */
const partBytes = 262_144;

/** Decodes many bytes part by part, so that the event loop is not blocked. */
export async function decodeInParts(
  bytes: Uint8Array,
  options: DecodeOptions,
  yielder: EventLoopYielder,
): Promise<DecodedText> {
  if (bytes.length <= partBytes) return decodeText(bytes, options);
  const { encoding, bom, body } = encodingOf(bytes, options);
  for (const fatal of [true, false]) {
    const decoder = decoderFor(encoding, fatal);
    const parts: string[] = [];
    for (let at = 0; at < body.length; at += partBytes) {
      const stream = options.cut === true || at + partBytes < body.length;
      const part = orElse(() => decoder.decode(body.subarray(at, at + partBytes), { stream }), undefined);
      if (part === undefined) break;
      parts.push(part);
      await yielder.yieldIfDue();
    }
    const isWhole = parts.length === Math.ceil(body.length / partBytes);
    if (isWhole) return { text: parts.join(""), encoding, bom, lossy: !fatal };
  }
  throw fileFailure("bad_encoding", `${quotePath(options.path)} cannot be read as ${encoding}`);
}

/**
 * Creates a decoder for the bytes of a file, passed part by part; `first` are the first ones. Never fails on invalid
 * bytes.
 */
export function textDecoder(first: Uint8Array, options: DecodeOptions): (bytes: Uint8Array, last: boolean) => string {
  const { encoding, bom } = encodingOf(first, options);
  const decoder = decoderFor(encoding, false);
  let skip = bom;
  return (bytes, last) => {
    const text = decoder.decode(bytes, { stream: !last });
    const start = skip && text.startsWith("\ufeff") ? 1 : 0;
    skip &&= text === "";
    return text.slice(start);
  };
}

/** True if text can be written back in this encoding without loss. */
export function canEncode(encoding: string): boolean {
  return ["utf-8", "utf-16le", "utf-16be"].includes(encoding);
}

/** Text as the bytes of a file that was read so; only the encodings that can be written back without loss. */
export function encodeText(text: string, { encoding, bom }: Pick<DecodedText, "encoding" | "bom">): Buffer | undefined {
  const marked = bom ? `\ufeff${text}` : text;
  if (encoding === "utf-8") return Buffer.from(marked, "utf8");
  if (encoding === "utf-16le") return Buffer.from(marked, "utf16le");
  return encoding === "utf-16be" ? Buffer.from(marked, "utf16le").swap16() : undefined;
}

const marks = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: "utf-8" },
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" },
] as const;

function markOf(bytes: Uint8Array): { readonly encoding: string; readonly length: number } | undefined {
  const mark = marks.find((mark) => mark.bytes.every((byte, at) => bytes[at] === byte));
  return mark && { encoding: mark.encoding, length: mark.bytes.length };
}

function canonical(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw fileFailure("bad_encoding", `there is no encoding ${JSON.stringify(label)}; try "utf-8", "gbk" or "base64"`);
  }
}

/** A part that starts within a character of UTF-8 starts with the next one. */
function trimStart(bytes: Uint8Array, encoding: string, { from }: DecodeOptions): Uint8Array {
  if (from !== "middle" || encoding !== "utf-8") return bytes;
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}

interface DetectedEncoding {
  readonly encoding: string;
  readonly bom: boolean;
  /** The bytes without a byte order mark, or the rest of a character that began before them. */
  readonly body: Uint8Array;
}

function encodingOf(bytes: Uint8Array, options: DecodeOptions): DetectedEncoding {
  const mark = options.from === "middle" ? undefined : markOf(bytes);
  const encoding = options.encoding === undefined ? (mark?.encoding ?? "utf-8") : canonical(options.encoding);
  if (!encoding.startsWith("utf-16") && bytes.subarray(0, looksAt).includes(0)) {
    throw fileFailure("binary", `${quotePath(options.path)} is not a text file; read it with the encoding "base64"`);
  }
  const bom = mark !== undefined && mark.encoding === encoding;
  return { encoding, bom, body: trimStart(bom ? bytes.subarray(mark.length) : bytes, encoding, options) };
}

function decoderFor(encoding: string, fatal: boolean): InstanceType<typeof TextDecoder> {
  return new TextDecoder(encoding, { fatal, ignoreBOM: true });
}
