import type { Attachment } from "../../tool/index.ts";

/** What an attachment of this type is. */
export function attachmentKind(mimeType: string): Attachment["kind"] {
  const [top] = mimeType.split("/");
  return top === "image" || top === "audio" ? top : "file";
}
