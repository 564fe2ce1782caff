import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** One message of a conversation with a model. */
export interface ChatMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** What a model is asked: one text, or a conversation. */
export type Question =
  | { readonly prompt: string; readonly messages?: undefined }
  | { readonly messages: readonly ChatMessage[]; readonly prompt?: undefined };

/** A question as models take it. */
export function toPrompt(question: Question, system: string | undefined): LanguageModelV4Prompt {
  const messages = question.messages ?? [{ role: "user" as const, content: question.prompt }];
  return [...(system === undefined ? [] : [{ role: "system" as const, content: system }]), ...messages.map(toMessage)];
}

function toMessage({ role, content }: ChatMessage): LanguageModelV4Message {
  return { role, content: [{ type: "text", text: content }] };
}
