import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** One message of a conversation with a model. */
export interface ChatMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** Input of a model request: one text, or a conversation. */
export type ModelPrompt =
  | { readonly prompt: string; readonly messages?: undefined }
  | { readonly messages: readonly ChatMessage[]; readonly prompt?: undefined };

/** A prompt in the format of the AI SDK. */
export function toPrompt(request: ModelPrompt, system: string | undefined): LanguageModelV4Prompt {
  const messages = request.messages ?? [{ role: "user" as const, content: request.prompt }];
  return [...(system === undefined ? [] : [{ role: "system" as const, content: system }]), ...messages.map(toMessage)];
}

function toMessage({ role, content }: ChatMessage): LanguageModelV4Message {
  return { role, content: [{ type: "text", text: content }] };
}
