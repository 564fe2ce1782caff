import type { AgentPrompt } from "../run/runner.ts";
import { type ToolImage, withImages } from "../../model/index.ts";
import type { ConversationMessage } from "../events/message.ts";
import { fencedDataRule } from "../../text/index.ts";
import type { AgentRun } from "../run/agent-run.ts";

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

/** The system prompt of a runner, after the instructions of the user. The same in every run, so that it is cached. */
export function systemPrompt({ spec }: AgentRun, rules: readonly string[]): string {
  return [...(spec.instructions === undefined ? [] : [spec.instructions]), ...base, ...rules].join("\n\n");
}

const base = [
  "You are a careful assistant. Answer in the language of the question. Say so when you do not know, and what is missing.",
];

/** Rules for runners whose model calls tools. */
export const toolRules: readonly string[] = [
  "Use tools when they help; call several at once when they do not need each other's results. A result that says what " +
    "is wrong with a call shows how to correct it: correct the call, and do not repeat one that failed in the same way. " +
    "When you have what you need, answer as text.",
  "Before a search about a time such as last week, ask for the time range, and pass it on. A search of notes takes the " +
    "query and its salient terms: the words that matter, in the language of the notes.",
  fencedDataRule,
];
