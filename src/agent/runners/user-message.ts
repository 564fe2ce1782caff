import type { AgentPrompt } from "../run/runner.ts";
import { type ToolImage, withImages } from "../../model/index.ts";
import type { ConversationMessage } from "../events/message.ts";

/** The prompt as a message, with its images and those of tool results in its text. */
export function userMessage(
  { images = [] }: Pick<AgentPrompt, "images">,
  text: string,
  toolImages: readonly ToolImage[] = [],
): ConversationMessage {
  return {
    role: "user",
    content: [
      withImages({ type: "text", text }, toolImages),
      ...images.map(({ mimeType, data }) => ({
        type: "file" as const,
        mediaType: mimeType,
        data: { type: "data" as const, data },
      })),
    ],
  };
}
