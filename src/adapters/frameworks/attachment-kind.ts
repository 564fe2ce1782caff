import type { Attachment } from "../../tool/index.ts";

/** Returns the attachment kind for this MIME type. */
export function attachmentKind(mimeType: string): Attachment["kind"] {
  const [top] = mimeType.split("/");
  return top === "image" || top === "audio" ? top : "file";
}
