import type { LanguageModelV4TextPart, LanguageModelV4ToolResultPart, SharedV4ProviderOptions } from "@ai-sdk/provider";

/** An image that a tool returned. Plain JSON: it is stored with its conversation. */
export interface ToolImage {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/**
 * Image support of a model: nowhere, only in messages of the user, or also in tool results. Services of the OpenAI
 * protocol reject images in tool results.
 */
export type ImageSupport = "none" | "user" | "tool";

/** Key of a part that holds the images that belong to its text. Clients ignore this key. */
const imagesKey = "windlass_images";

/** A part of a message, with any options. */
interface PartOptions {
  readonly providerOptions?: SharedV4ProviderOptions;
}

/** The images that belong to a part of a message. */
export function imagesOf({ providerOptions }: PartOptions): readonly ToolImage[] {
  const images = providerOptions?.[imagesKey]?.["images"];
  // Written by `withImages`.
  return Array.isArray(images) ? (images as unknown[] as readonly ToolImage[]) : [];
}

/** A text or a tool result with the images that belong to it; each request inserts them as its model takes them. */
export function withImages<Part extends LanguageModelV4TextPart | LanguageModelV4ToolResultPart>(
  part: Part,
  images: readonly ToolImage[],
): Part {
  if (images.length === 0) return part;
  const stored = images.map(({ mimeType, data }) => ({ mimeType, data }));
  return { ...part, providerOptions: { ...part.providerOptions, [imagesKey]: { images: stored } } };
}

/** A part without its images. */
export function withoutImages<Part extends PartOptions>(part: Part): Part {
  if (part.providerOptions?.[imagesKey] === undefined) return part;
  const { [imagesKey]: _, ...providerOptions } = part.providerOptions;
  return { ...part, providerOptions };
}
