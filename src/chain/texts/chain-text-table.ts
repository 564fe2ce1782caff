import type { CodedTexts } from "../../text/index.ts";
import type { NotRetriedParams, SkipReason } from "../interpreter/step-state.ts";
import type { ChainNoticeParams } from "./chain-notice.ts";
import type { ExplainFactParams } from "./explain-fact.ts";

/** The texts of chains in one language. */
export interface ChainTextTable {
  readonly notices: CodedTexts<ChainNoticeParams>;
  /** Sentences. */
  readonly facts: CodedTexts<ExplainFactParams>;
  /** Clauses: why a failed attempt was not retried. */
  readonly notRetried: CodedTexts<NotRetriedParams>;
  /** A clause: why a step was skipped. */
  readonly skipped: (reason: SkipReason) => string;
}
