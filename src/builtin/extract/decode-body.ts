import { isUtf8 } from "./is-utf8.ts";
import { sniffCharset } from "./sniff-charset.ts";

/** Source of the charset name. */
export type CharsetSource = "header" | "bom" | "meta" | "sniffed";

/** The text of a body, and how it was encoded. */
export interface DecodedBody {
  readonly text: string;
  /** The WHATWG name, such as `utf-8`, `gbk` or `shift_jis`. */
  readonly charset: string;
  readonly source: CharsetSource;
}

interface Candidate {
  readonly charset: string;
  readonly source: CharsetSource;
}

/** A declaration beyond this is ignored; browsers check 1,024 bytes. */
const declarationBytes = 4096;

/** Enough to distinguish UTF-8 from a wrong declaration. */
const checkedBytes = 65_536;

/**
 * Decodes the text of a body: by its byte order mark, else by the charset that its header or the document declares, else
 * by its bytes. A declaration that is unknown, or claims UTF-8 for other bytes, is ignored.
 *
 * @example
 * ```ts
 * decodeBody(new Uint8Array([0xc4, 0xe3, 0xba, 0xc3]), "text/plain; charset=gb2312");
 * // { text: "你好", charset: "gbk", source: "header" }
 * ```
 */
export function decodeBody(bytes: Uint8Array, contentType?: string): DecodedBody {
  const found = fromMark(bytes) ?? declared(bytes, contentType) ?? sniffed(bytes);
  const text = new TextDecoder(found.charset).decode(bytes);
  return { text, ...found };
}

function fromMark(bytes: Uint8Array): Candidate | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return { charset: "utf-8", source: "bom" };
  if (first === 0xff && second === 0xfe) return { charset: "utf-16le", source: "bom" };
  if (first === 0xfe && second === 0xff) return { charset: "utf-16be", source: "bom" };
  return undefined;
}

function declared(bytes: Uint8Array, contentType: string | undefined): Candidate | undefined {
  const header = knownCharset(charsetOf(contentType));
  if (header !== undefined && fits(bytes, header)) return { charset: header, source: "header" };
  const meta = knownCharset(charsetInside(bytes));
  if (meta !== undefined && fits(bytes, meta)) return { charset: meta, source: "meta" };
  return undefined;
}

function sniffed(bytes: Uint8Array): Candidate {
  return { charset: sniffCharset(bytes.subarray(0, checkedBytes)), source: "sniffed" };
}

/** The charset parameter of a content type. */
function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s;"',]+)/i.exec(contentType ?? "")?.[1];
}

/** Returns the charset that the document declares: in an XML declaration, or a meta element outside of comments. */
function charsetInside(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, declarationBytes)).toString("latin1");
  const xml = /^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([^"']{1,40})/i.exec(head)?.[1];
  const stated = xml ?? metaCharset(head.replaceAll(/<!--.*?(?:-->|$)/gs, ""));
  // A declaration that is readable as ASCII is not UTF-16.
  return stated !== undefined && /^utf-?16/i.test(stated) ? "utf-8" : stated;
}

function metaCharset(head: string): string | undefined {
  for (const [meta] of head.matchAll(/<meta\b[^>]{0,1000}/gi)) {
    const charset = /[\s"'/;]charset\s*=\s*["']?\s*([^\s"'/>;]{1,40})/i.exec(meta)?.[1];
    if (charset !== undefined) return charset;
  }
  return undefined;
}

/** Returns the WHATWG name of a charset; undefined if it cannot be decoded here. */
function knownCharset(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    const { encoding } = new TextDecoder(label);
    return encoding === "x-user-defined" ? undefined : encoding;
  } catch {
    return undefined;
  }
}

/** True if the bytes can be in this charset. Many servers declare everything as UTF-8. */
function fits(bytes: Uint8Array, charset: string): boolean {
  return charset !== "utf-8" || isUtf8(bytes.subarray(0, checkedBytes)) || looksDamaged(bytes);
}

/** True for a few broken bytes in otherwise valid UTF-8, such as a text that was cut or concatenated. */
function looksDamaged(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, checkedBytes));
  let wide = 0;
  let broken = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0xff_fd) broken++;
    else if (unit > 0x7f) wide++;
  }
  return wide > broken * 10;
}
