import type { FinishReason } from "../model.ts";

/** What an answer says besides its parts. */
export interface AnswerEnd {
  /** `other` where the model does not say. */
  readonly finishReason: FinishReason;
  readonly usage: ToldUsage;
  readonly structuredText?: string | undefined;
}

/** What a model says that it used: anything of it may be missing, or no number. */
export interface ToldUsage {
  readonly inputTokens?: {
    readonly total?: unknown;
    readonly cacheRead?: unknown;
    readonly cacheWrite?: unknown;
  } | null;
  readonly outputTokens?: { readonly total?: unknown; readonly reasoning?: unknown } | null;
}

/** How an answer ended, from a model that may leave it unsaid. */
export function endOf(told: {
  readonly finishReason?: { readonly unified?: FinishReason } | null;
  readonly usage?: ToldUsage | null;
}): Pick<AnswerEnd, "finishReason" | "usage"> {
  return { finishReason: told.finishReason?.unified ?? "other", usage: told.usage ?? {} };
}
