import type { DocumentKind } from "./extracted-page.ts";

/**
 * The kind to parse a body as: `html` and the other kinds, `markup` for XML of any kind, or undefined if it contains no
 * text.
 */
export type ContentKind = Exclude<DocumentKind, "feed" | "xml"> | "markup" | "unsupported";

/** Types of `application/` that are text nevertheless. */
const textTypes =
  /^(?:application\/(?:javascript|ecmascript|x-javascript|typescript|x-sh|x-yaml|yaml|toml|x-toml|sql|graphql|x-www-form-urlencoded|csv|rtf|x-subrip|x-tex|x-httpd-php|x-ndjson|ndjson|jsonl|x-jsonlines|x-perl|x-python|x-ruby)|message\/rfc822|model\/gltf\+json)$/;

/** Types that say nothing. */
const vagueTypes: ReadonlySet<string> = new Set([
  "",
  "application/octet-stream",
  "binary/octet-stream",
  "unknown/unknown",
  "application/unknown",
  "*/*",
]);

/** Returns the media type of a header, without its parameters. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Returns the kind of a body, by its type if that is specific, else by its first bytes. */
export function contentKind(contentType: string | undefined, bytes: Uint8Array, url?: string): ContentKind {
  const type = mediaType(contentType);
  if (hasSignature(bytes) || isBinary(bytes, contentType)) return "unsupported";
  const byType = vagueTypes.has(type) ? undefined : kindOfType(type);
  // Servers send pages, feeds and Markdown as plain text, so plain text is checked by its content.
  if (byType !== undefined && byType !== "text") return byType;
  return kindOfStart(bytes, type) ?? kindOfName(url) ?? byType ?? "text";
}

const knownTypes: ReadonlyMap<string, ContentKind> = new Map([
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
  ["application/json", "json"],
  ["text/json", "json"],
  ["application/xml", "markup"],
  ["text/xml", "markup"],
  ["text/markdown", "markdown"],
  ["text/x-markdown", "markdown"],
  ["image/svg+xml", "unsupported"],
]);

function kindOfType(type: string): ContentKind {
  const known = knownTypes.get(type);
  if (known !== undefined) return known;
  if (type.endsWith("+json")) return "json";
  if (type.endsWith("+xml")) return "markup";
  return type.startsWith("text/") || textTypes.test(type) ? "text" : "unsupported";
}

function kindOfName(url: string | undefined): ContentKind | undefined {
  const path = url === undefined ? undefined : URL.parse(url)?.pathname.toLowerCase();
  return path !== undefined && /\.(?:md|markdown|mdx)$/.test(path) ? "markdown" : undefined;
}

/**
 * Detects the kind by the first bytes. Code and styles may begin with anything; plain text and untyped content may be
 * something else.
 */
function kindOfStart(bytes: Uint8Array, type: string): ContentKind | undefined {
  if (type !== "text/plain" && !vagueTypes.has(type)) return undefined;
  if (hasZeros(bytes)) return "unsupported";
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 512)).toString("latin1");
  const text = start.replaceAll("\0", "").replace(/^[\s\u00ef\u00bb\u00bf\u00fe\u00ff]*(?:<!--[^]*?-->\s*)*/, "");
  if (/^<(?:!doctype\s+html|html|head|body)\b/i.test(text)) return "html";
  if (/^<(?:\?xml|rss|feed|rdf:rdf)\b/i.test(text)) return /<html\b/i.test(text) ? "html" : "markup";
  if (type === "text/plain") return undefined;
  if (/^<[a-z][a-z0-9]*[\s>]/i.test(text)) return "html";
  return /^[[{]/.test(text) ? "json" : undefined;
}

/** First bytes of well-known file formats without text. */
const signatures = [
  "%PDF-",
  "\u0089PNG",
  "GIF8",
  "\u00ff\u00d8\u00ff",
  "PK\u0003\u0004",
  "\u001f\u008b",
  "Rar!",
  "7z\u00bc\u00af",
  "OggS",
  "ID3",
  "\u007fELF",
  "MZ\u0090",
];

function hasSignature(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 8)).toString("latin1");
  return signatures.some((signature) => start.startsWith(signature)) || start.slice(4, 8) === "ftyp";
}

/** Maximum share of control characters in a text. About a tenth of compressed or random bytes are control characters. */
const maxControlShare = 0.02;
/** Length of the samples at the beginning, in the middle and at the end of a body. */
const sampleLength = 4096;

/** True if a body is not text in any encoding with single bytes, regardless of its declared type. */
function isBinary(bytes: Uint8Array, contentType: string | undefined): boolean {
  if (isUtf16(bytes) || /charset\s*=\s*["']?(?:utf-?(?:16|32)|ucs|unicode)/i.test(contentType ?? "")) return false;
  const starts = [0, Math.floor((bytes.length - sampleLength) / 2), bytes.length - sampleLength];
  return [...new Set(starts.map((start) => Math.max(0, start)))].some((start) => {
    const sample = bytes.subarray(start, start + sampleLength);
    return countControls(sample) > sample.length * maxControlShare;
  });
}

/** Zero bytes are not counted: unmarked UTF-16 has many. */
function countControls(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === 127 || (byte < 32 && byte > 0 && !textControls.has(byte))) count++;
  return count;
}

/** Backspace, tab, line feed, vertical tab, form feed, carriage return, and the escape of terminals and ISO-2022. */
const textControls: ReadonlySet<number> = new Set([8, 9, 10, 11, 12, 13, 27]);

/** True if a body begins with the byte order mark of UTF-16. */
function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** True if there are zero bytes, unless every second byte is one, as in UTF-16. */
function hasZeros(bytes: Uint8Array): boolean {
  const length = Math.min(bytes.length, 1024);
  if (isUtf16(bytes)) return false;
  const zeros: [number, number] = [0, 0];
  for (let at = 0; at < length; at++) if (bytes[at] === 0) zeros[at % 2 === 0 ? 0 : 1]++;
  const [even, odd] = zeros;
  return even + odd > 0 && Math.min(even, odd) > Math.max(even, odd) / 20;
}
