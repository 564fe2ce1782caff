import { isRecord } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import type { Attachment } from "../../tool/index.ts";
import { attachmentKind } from "../frameworks/attachment-kind.ts";

/** What the content of a message comes to. */
export interface ReadContent {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

type Block = Readonly<Record<string, unknown>>;

/** Reads the content of a tool's message: a text, or blocks in any of the forms that LangChain and its models know. */
export function readBlocks(content: unknown): ReadContent {
  if (typeof content === "string") return { text: stripUnsafe(content), attachments: [] };
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const texts = blocks.flatMap((block) => textOf(block));
  return { text: stripUnsafe(texts.join("\n\n")), attachments: blocks.flatMap(attachmentOf) };
}

function textOf(block: Block): string[] {
  const { type, text } = block;
  if (typeof text === "string" && (type === "text" || type === "text-plain" || type === "file")) return [text];
  const url = urlOf(block);
  if (url !== undefined && !url.startsWith("data:")) return [`[${String(type)}: ${url}]`];
  return dataOf(block) === undefined ? [JSON.stringify(block)] : [];
}

function attachmentOf(block: Block): Attachment[] {
  const found = dataOf(block);
  if (found === undefined) return [];
  const { mimeType, data } = found;
  const { name, filename } = isRecord(block["metadata"]) ? { ...block, ...block["metadata"] } : block;
  const called = [filename, name].find((each) => typeof each === "string");
  return [
    { kind: attachmentKind(mimeType), mimeType, data, ...(called !== undefined && { name: stripUnsafe(called) }) },
  ];
}

/** `{ type: "image", mimeType, data }`, its elder `{ source_type: "base64", mime_type, data }`, or an address with data. */
function dataOf(block: Block): { readonly mimeType: string; readonly data: Uint8Array } | undefined {
  const { data, mimeType = block["mime_type"] } = block;
  const type = typeof mimeType === "string" ? stripUnsafe(mimeType) : "application/octet-stream";
  if (data instanceof Uint8Array) return { mimeType: type, data };
  if (typeof data === "string") return { mimeType: type, data: bytesOf(data) };
  const inline = /^data:([^;,]*);base64,(.*)$/s.exec(urlOf(block) ?? "");
  if (inline === null) return undefined;
  return { mimeType: inline[1] || type, data: bytesOf(inline[2] ?? "") };
}

function urlOf(block: Block): string | undefined {
  const image = block["image_url"];
  const url = isRecord(image) ? image["url"] : (image ?? block["url"]);
  return typeof url === "string" ? url : undefined;
}

function bytesOf(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, "base64"));
}
