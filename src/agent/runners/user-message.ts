import type { AgentQuestion } from "../runner.ts";
import type { ConversationMessage } from "../message.ts";

/** The question as a message, with its images. */
export function userMessage({ images = [] }: Pick<AgentQuestion, "images">, text: string): ConversationMessage {
  return {
    role: "user",
    content: [
      { type: "text", text },
      ...images.map(({ mimeType, data }) => ({
        type: "file" as const,
        mediaType: mimeType,
        data: { type: "data" as const, data },
      })),
    ],
  };
}
