import { dataFailure } from "../data-reasons.ts";

/** The supported encodings of a text. */
export const encodings = ["base64", "base64url", "hex", "url", "html", "json"] as const;

/** One of {@link encodings}. */
export type Encoding = (typeof encodings)[number];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Encodes a text; bytes are those of UTF-8. */
export function encodeAs(text: string, encoding: Encoding): string {
  switch (encoding) {
    case "base64":
    case "base64url":
    case "hex":
      return Buffer.from(text).toString(encoding);
    case "url":
      return encodeURIComponent(text.toWellFormed());
    case "html":
      return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
    case "json":
      return JSON.stringify(text);
  }
}

/** Decodes a text. */
export async function decodeEncodedText(text: string, encoding: Encoding): Promise<string> {
  switch (encoding) {
    case "base64":
    case "base64url":
      return toText(bytesOf(text, /^[A-Za-z0-9+/_-]*={0,2}$/, "base64"));
    case "hex":
      return toText(bytesOf(text, /^(?:[0-9A-Fa-f]{2})*$/, "hex"));
    case "url":
      return decodeUrl(text);
    case "html":
      return decodeEntities(text);
    case "json":
      return decodeJson(text);
  }
}

function bytesOf(text: string, shape: RegExp, encoding: "base64" | "hex"): Buffer {
  const compact = text.replaceAll(/\s+/g, "");
  if (!shape.test(compact) || (encoding === "base64" && compact.replace(/=+$/, "").length % 4 === 1)) {
    throw badEncoding(encoding);
  }
  return Buffer.from(compact, encoding);
}

function toText(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const message = `the ${bytes.length} bytes are not UTF-8 text but binary, which a text cannot hold`;
    throw dataFailure("not_text", message, { parameter: "text", cause: error });
  }
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw badEncoding("url", error);
  }
}

function decodeJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string") return value;
  } catch (error) {
    throw badEncoding("json", error);
  }
  throw dataFailure("bad_encoding", "the text is JSON but not a JSON string; use json_process for other values", {
    parameter: "text",
  });
}

/** Decodes character references, by the tables of HTML; tags are text here. */
async function decodeEntities(text: string): Promise<string> {
  if (!text.includes("&")) return text;
  const { Parser } = await import("htmlparser2");
  const parts: string[] = [];
  const parser = new Parser({ ontext: (part) => parts.push(part) }, { decodeEntities: true });
  parser.end(text.replaceAll("<", "&lt;"));
  return parts.join("");
}

function badEncoding(encoding: Encoding, cause?: unknown): Error {
  const message = `the text is not ${encoding === "json" ? "a JSON string" : `in ${encoding} encoding`}`;
  return dataFailure("bad_encoding", message, { parameter: "text", cause });
}
