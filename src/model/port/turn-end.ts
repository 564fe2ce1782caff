import type { FinishReason } from "./model.ts";

/** The end of a response: everything besides its parts. */
export interface TurnEnd {
  /** `other` if the model reports none. */
  readonly finishReason: FinishReason;
  readonly usage: ReportedUsage;
  readonly structuredText?: string | undefined;
}

/** The usage that a model reports: any field may be missing or not a number. */
export interface ReportedUsage {
  readonly inputTokens?: {
    readonly total?: unknown;
    readonly cacheRead?: unknown;
    readonly cacheWrite?: unknown;
  } | null;
  readonly outputTokens?: { readonly total?: unknown; readonly reasoning?: unknown } | null;
}

/** The end of a response, from a model that may omit it. */
export function toTurnEnd(reported: {
  readonly finishReason?: { readonly unified?: FinishReason } | null;
  readonly usage?: ReportedUsage | null;
}): Pick<TurnEnd, "finishReason" | "usage"> {
  return { finishReason: reported.finishReason?.unified ?? "other", usage: reported.usage ?? {} };
}
