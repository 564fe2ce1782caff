import type { LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import { FailureError } from "../../base/index.ts";
import { type Attachment, ok } from "../../tool/index.ts";
import { attachmentKind } from "../frameworks/attachment-kind.ts";

/** What `toModelOutput` of the AI SDK gives. */
export type ModelOutput = LanguageModelV4ToolResultOutput;

type ContentPart = Extract<ModelOutput, { type: "content" }>["value"][number];

/** An output that was made for a model, as a handler of ours returns it: text, JSON, attachments, or a failure. */
export function readModelOutput(output: ModelOutput): unknown {
  switch (output.type) {
    case "text":
    case "json":
      return output.value;
    case "error-text":
      return new FailureError(output.value);
    case "error-json":
      return new FailureError(JSON.stringify(output.value));
    case "execution-denied":
      return new FailureError(output.reason ?? "the tool was not allowed to run", { code: "permission_denied" });
    case "content": {
      const text = output.value.flatMap((part) => textOf(part)).join("\n\n");
      const attachments = output.value.flatMap(attachmentOf);
      return attachments.length === 0 ? text : ok(text, { attachments });
    }
    default:
      output satisfies never;
      return output;
  }
}

function textOf(part: ContentPart): string[] {
  if (part.type === "text") return [part.text];
  if (part.type !== "file") return [];
  const { data, filename, mediaType } = part;
  if (data.type === "text") return [data.text];
  return data.type === "url" ? [`[${filename ?? mediaType}: ${data.url.toString()}]`] : [];
}

function attachmentOf(part: ContentPart): Attachment[] {
  if (part.type !== "file" || part.data.type !== "data") return [];
  const { mediaType, filename, data } = part;
  const bytes = typeof data.data === "string" ? new Uint8Array(Buffer.from(data.data, "base64")) : data.data;
  const name = filename === undefined ? {} : { name: filename };
  return [{ kind: attachmentKind(mediaType), mimeType: mediaType, data: bytes, ...name }];
}
