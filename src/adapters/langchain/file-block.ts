import type { SharedV4FileData } from "@ai-sdk/provider";
import type { ContentBlock } from "@langchain/core/messages";
import { attachmentKind } from "../frameworks/attachment-kind.ts";

/** A file in a Windlass message. */
export interface FileLike {
  readonly data: SharedV4FileData;
  readonly mediaType: string;
  readonly filename?: string | undefined;
}

/** Converts a file to a block of a LangChain message, in the form that most of its models support. */
export function toBlock({ data, mediaType, filename }: FileLike): ContentBlock {
  const mime_type = mediaType.includes("/") && !mediaType.endsWith("/*") ? mediaType : normalizeMediaType(mediaType);
  const name = filename === undefined ? {} : { metadata: { filename } };
  const kind = attachmentKind(mime_type);
  switch (data.type) {
    case "text":
      return { type: "text", text: data.text };
    case "reference":
      return { type: kind, source_type: "id", id: Object.values(data.reference)[0] ?? "", ...name };
    case "url": {
      const url = data.url.toString();
      return kind === "image" ? image(url) : { type: kind, source_type: "url", mime_type, url, ...name };
    }
    case "data": {
      const base64 = typeof data.data === "string" ? data.data : Buffer.from(data.data).toString("base64");
      if (kind === "image") return image(`data:${mime_type};base64,${base64}`);
      return { type: kind, source_type: "base64", mime_type, data: base64, ...name };
    }
    default:
      return data satisfies never;
  }
}

/** Supported by all of them, unlike the newer forms. */
function image(url: string): ContentBlock {
  return { type: "image_url", image_url: { url } };
}

function normalizeMediaType(mediaType: string): string {
  const [top] = mediaType.split("/");
  const defaults: Readonly<Record<string, string>> = { image: "image/png", audio: "audio/wav", text: "text/plain" };
  return defaults[top ?? ""] ?? "application/octet-stream";
}

/** Block types that hold files, with the MIME type assumed if the block has none. */
const fileTypes: Readonly<Record<string, string>> = {
  image: "image",
  audio: "audio",
  video: "video",
  file: "application/octet-stream",
  "text-plain": "text/plain",
};

type Block = Readonly<Record<string, unknown>>;

/** Converts a block of a LangChain message, in its standard form, to a file; undefined if it is not a file block. */
export function fromBlock(block: Block): Omit<FileLike, "filename"> | undefined {
  const { type, mimeType } = block;
  const defaults = typeof type === "string" && Object.hasOwn(fileTypes, type) ? fileTypes[type] : undefined;
  const data = dataIn(block);
  if (defaults === undefined || data === undefined) return undefined;
  return { mediaType: typeof mimeType === "string" && mimeType !== "" ? mimeType : defaults, data };
}

function dataIn({ data, text, url, fileId }: Block): SharedV4FileData | undefined {
  if (data instanceof Uint8Array || typeof data === "string") return { type: "data", data };
  if (typeof text === "string") return { type: "text", text };
  if (typeof url === "string" && URL.canParse(url)) return { type: "url", url: new URL(url) };
  return typeof fileId === "string" ? { type: "reference", reference: { file: fileId } } : undefined;
}
