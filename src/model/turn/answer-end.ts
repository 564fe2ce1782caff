import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider";

/** What an answer says besides its parts. */
export interface AnswerEnd {
  readonly finishReason: LanguageModelV4FinishReason;
  readonly usage: LanguageModelV4Usage;
  readonly structuredText?: string | undefined;
}
