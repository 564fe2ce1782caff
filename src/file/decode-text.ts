import { refuseFile } from "./file-reasons.ts";
import type { Pace } from "./pace.ts";
import { shown } from "./path-parts.ts";

/** Text of a file, and how its bytes were read. */
export interface DecodedText {
  readonly text: string;
  /** Such as `utf-8`, `utf-16le` or `gbk`. */
  readonly encoding: string;
  /** The file starts with a byte order mark, which is not part of the text. */
  readonly bom: boolean;
  /** Some bytes were no text in this encoding, and are shown as U+FFFD. */
  readonly lossy: boolean;
}

/** What to expect of the bytes. */
export interface DecodeOptions {
  /** A label such as `gbk`; by default a byte order mark decides, else UTF-8. */
  readonly encoding?: string;
  /** The bytes start somewhere within the file. */
  readonly from?: "start" | "middle";
  /** The bytes end before the file does, perhaps within a character. */
  readonly cut?: boolean;
  /** How the file is called in messages. */
  readonly path: string;
}

/** A NUL this early is no text; later ones happen in logs. */
const looksAt = 8_192;

/**
 * Bytes as text. Without an encoding a byte order mark decides, else they are UTF-8; bytes that are neither are read
 * as well as can be and marked `lossy`, and what looks binary is refused.
 */
export function decodeText(bytes: Uint8Array, options: DecodeOptions): DecodedText {
  const { encoding, bom, body } = encodingOf(bytes, options);
  // A cut text is decoded as one that goes on: a character without its end is left out.
  const stream = options.cut === true;
  const exact = decode(() => decoderFor(encoding, true).decode(body, { stream }));
  if (exact !== undefined) return { text: exact, encoding, bom, lossy: false };
  return { text: decoderFor(encoding, false).decode(body, { stream }), encoding, bom, lossy: true };
}

/** So many bytes are decoded at a time. */
const partBytes = 262_144;

/** The same for many bytes, part by part, so that nobody waits for it. */
export async function decodeInParts(bytes: Uint8Array, options: DecodeOptions, pace: Pace): Promise<DecodedText> {
  if (bytes.length <= partBytes) return decodeText(bytes, options);
  const { encoding, bom, body } = encodingOf(bytes, options);
  for (const fatal of [true, false]) {
    const decoder = decoderFor(encoding, fatal);
    const parts: string[] = [];
    for (let at = 0; at < body.length; at += partBytes) {
      const stream = options.cut === true || at + partBytes < body.length;
      const part = decode(() => decoder.decode(body.subarray(at, at + partBytes), { stream }));
      if (part === undefined) break;
      parts.push(part);
      await pace.rest();
    }
    const isWhole = parts.length === Math.ceil(body.length / partBytes);
    if (isWhole) return { text: parts.join(""), encoding, bom, lossy: !fatal };
  }
  throw refuseFile("bad_encoding", `${shown(options.path)} cannot be read as ${encoding}`);
}

/** Reads the text of a file from its bytes, given part by part; `first` are the first ones. Never fails over what is no text. */
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

/** Can text be written back in this encoding without loss? */
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
    throw refuseFile("bad_encoding", `there is no encoding ${JSON.stringify(label)}; try "utf-8", "gbk" or "base64"`);
  }
}

/** A part that starts within a character of UTF-8 starts with the next one. */
function trimStart(bytes: Uint8Array, encoding: string, { from }: DecodeOptions): Uint8Array {
  if (from !== "middle" || encoding !== "utf-8") return bytes;
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}

interface FoundEncoding {
  readonly encoding: string;
  readonly bom: boolean;
  /** The bytes without a byte order mark, or the rest of a character that began before them. */
  readonly body: Uint8Array;
}

function encodingOf(bytes: Uint8Array, options: DecodeOptions): FoundEncoding {
  const mark = options.from === "middle" ? undefined : markOf(bytes);
  const encoding = options.encoding === undefined ? (mark?.encoding ?? "utf-8") : canonical(options.encoding);
  if (!encoding.startsWith("utf-16") && bytes.subarray(0, looksAt).includes(0)) {
    throw refuseFile("binary", `${shown(options.path)} is no text file; read it with the encoding "base64"`);
  }
  const bom = mark !== undefined && mark.encoding === encoding;
  return { encoding, bom, body: trimStart(bom ? bytes.subarray(mark.length) : bytes, encoding, options) };
}

function decoderFor(encoding: string, fatal: boolean): InstanceType<typeof TextDecoder> {
  return new TextDecoder(encoding, { fatal, ignoreBOM: true });
}

/** Undefined where the bytes are no text in the encoding. */
function decode(work: () => string): string | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
