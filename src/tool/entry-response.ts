import { plainJsonSize, parseJson } from "../base/index.ts";
import type { HttpResponse } from "../net/index.ts";
import { type Attachment, attachmentKind } from "./result.ts";

/** A body in a form that a model can use: JSON or text in the output, anything else as an attachment. */
export interface ResponseContent {
  readonly body: unknown;
  readonly attachment?: Attachment;
}

const json = /^(?:application|text)\/(?:[\w.-]+\+)?json$/;
const text =
  /^text\/|[/+](?:json|xml|yaml)(?:-seq)?$|^application\/(?:javascript|ecmascript|x-javascript|x-www-form-urlencoded|graphql|sql|toml|x-ndjson|jsonl|x-yaml|x-sh|http|rtf|x-tex|pgp-.*|x-pem-file)$/;

/** Content types that servers send if they do not know the real one. */
const unknown: ReadonlySet<string> = new Set(["", "application/octet-stream", "binary/octet-stream"]);

/** Reads a response's body by its content type; if that is unknown, by its bytes. */
export function readResponse({ headers, body, truncated, url }: HttpResponse): ResponseContent {
  const { type, charset } = contentType(String(headers["content-type"] ?? ""));
  if (body.length === 0) return { body: "" };
  if (unknown.has(type) ? !looksLikeText(body) : !text.test(type)) {
    return { body: null, attachment: attach(body, type, url) };
  }
  const decoded = decode(body, charset, truncated);
  return { body: json.test(type) ? parsed(decoded) : decoded };
}

/** The type and the charset of `text/html; charset="utf-8"`. */
function contentType(header: string): { type: string; charset: string } {
  const type = header.split(";", 1)[0] ?? "";
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(header)?.[1];
  return { type: type.trim().toLowerCase(), charset: charset ?? "utf-8" };
}

/** A byte order mark overrides the header; an unknown charset is read as UTF-8. */
function decode(bytes: Uint8Array, charset: string, cut: boolean): string {
  const decoder = decoderFor(markOf(bytes) ?? charset);
  // A character that the size limit split is dropped.
  return decoder.decode(bytes, { stream: cut });
}

function decoderFor(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function markOf([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xff && b === 0xfe ? "utf-16le" : undefined;
}

/**
 * Text that does not parse, or cannot be written as JSON again (nested too deeply, numbers beyond a double), stays
 * text.
 */
function parsed(source: string): unknown {
  const value = parseJson(source);
  return plainJsonSize(value, Number.MAX_SAFE_INTEGER) === -1 ? source : value;
}

function looksLikeText(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 4096);
  if (markOf(head) !== undefined) return true;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return !head.includes(0);
  } catch {
    return false;
  }
}

function attach(data: Uint8Array, type: string, url: string): Attachment {
  const mimeType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type) ? type : "application/octet-stream";
  const name = nameIn(url);
  return { kind: attachmentKind(mimeType), mimeType, data, ...(name !== undefined && { name }) };
}

/** The last part of the URL's path, if it is a plain file name. */
function nameIn(url: string): string | undefined {
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  return /^[\w-][\w.-]{0,99}$/.test(last) ? last : undefined;
}
