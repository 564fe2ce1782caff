import type { Attachment } from "../../tool/index.ts";
import type { JsonSchema } from "../../schema/index.ts";

/** Returns the attachment kind for this MIME type. */
export function attachmentKind(mimeType: string): Attachment["kind"] {
  const [top] = mimeType.split("/");
  return top === "image" || top === "audio" ? top : "file";
}

/** A schema of arguments; adds `type: "object"`, which some frameworks allow to omit. */
export function objectSchema(schema: JsonSchema): JsonSchema {
  const says = ["type", "$ref", "allOf", "anyOf", "oneOf"].some((key) => Object.hasOwn(schema, key));
  return says ? schema : { ...schema, type: "object" };
}
