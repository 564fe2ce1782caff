import { type Model, type ToolImage, imageSupport } from "../../model/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";
import type { Attachment, ToolResult, ToolSuccess } from "../../tool/index.ts";

/** Maximum size of one image: in base64, services accept 5 MB. */
const maxImageBytes = 3_750_000;
/** Maximum number of images of one result. */
const maxImages = 8;
/** Maximum number of described attachments, and maximum length of a name or type in a description. */
const maxNotes = 20;
const maxNameLength = 100;

/** Key in `meta` of a result, which is plain JSON, as the journal requires. */
const attachedKey = "attached";

/** The attachments of a result, as a model gets them. */
export interface AttachedContent {
  /** Images that are sent. */
  readonly images: readonly ToolImage[];
  /** Descriptions of the attachments that are not sent. */
  readonly notes: readonly string[];
}

/** Moves the attachments of a result into its `meta`: images that the model takes, and descriptions of all others. */
export function withAttachedContent(result: ToolSuccess, model: Model | undefined): ToolSuccess {
  // A handler may report a value under the same key.
  if (result.attachments === undefined && result.meta[attachedKey] === undefined) return result;
  const takesImages = model !== undefined && imageSupport(model) !== "none";
  const images: ToolImage[] = [];
  const notes: string[] = [];
  for (const attachment of result.attachments ?? []) {
    const image = imageIn(attachment, takesImages);
    if (typeof image !== "string" && images.length < maxImages) images.push(image);
    else notes.push(describe(attachment, typeof image === "string" ? image : `there are more than ${maxImages}`));
  }
  const more = notes.length - maxNotes;
  const shown = more > 0 ? [...notes.slice(0, maxNotes), `${more} more attachments`] : notes;
  const { attachments: _, ...rest } = result;
  return { ...rest, meta: { ...rest.meta, [attachedKey]: { images, notes: shown } } };
}

/** The attached content that {@link withAttachedContent} stored; undefined if the result had no attachments. */
export function attachedContentOf({ meta }: ToolResult): AttachedContent | undefined {
  // Written by `withAttachedContent`, which replaces any other value.
  return meta[attachedKey] as AttachedContent | undefined;
}

/** The attachment as an image; or the reason why it is not sent, empty if it is not an image. */
function imageIn({ kind, mimeType, data }: Attachment, takesImages: boolean): ToolImage | string {
  if (kind !== "image" && !mimeType.startsWith("image/")) return "";
  if (!takesImages) return "this model takes no images";
  // Services reject a whole request because of one image that is not what it claims to be.
  const type = imageTypes.find(([, isType]) => isType(data))?.[0];
  if (type === undefined) return "it is not a PNG, JPEG, GIF or WebP image";
  if (data.byteLength > maxImageBytes) return "it is too large for a model";
  return { mimeType: type, data: Buffer.from(data).toString("base64") };
}

const imageTypes: readonly (readonly [string, (data: Uint8Array) => boolean])[] = [
  ["image/png", (data) => startsWith(data, "\u0089PNG")],
  ["image/jpeg", (data) => startsWith(data, "\u00ff\u00d8\u00ff")],
  ["image/gif", (data) => startsWith(data, "GIF8")],
  ["image/webp", (data) => startsWith(data, "RIFF") && startsWith(data.subarray(8), "WEBP")],
];

function startsWith(data: Uint8Array, bytes: string): boolean {
  return (
    Buffer.from(data.buffer, data.byteOffset, Math.min(bytes.length, data.byteLength)).toString("latin1") === bytes
  );
}

function describe({ mimeType, data, name }: Attachment, why: string): string {
  const title = name === undefined ? "" : `, ${shortText(name)}`;
  return `not shown: ${shortText(mimeType)}, ${data.byteLength} bytes${title}${why === "" ? "" : `; ${why}`}`;
}

function shortText(text: string): string {
  return cutText(stripUnsafe(text).replaceAll(/\s+/g, " ").trim(), maxNameLength).text;
}
