import type { CodedTexts, Coded } from "../../text/index.ts";
import type { NotRetriedParams, SkipReason } from "../interpreter/step-state.ts";
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

/** The notices of chain runs: their codes with their parameters. */
export interface ChainNoticeParams {
  /** The run continues with the chain as stored with it: the file it was read from, or the chain by its name, is gone. */
  readonly chain_gone: { readonly run: string; readonly chain: string; readonly file?: string };
  readonly chain_changed: { readonly run: string; readonly chain: string };
  /** The tool of a step cannot work here; the run may succeed without it. */
  readonly tool_unavailable: { readonly step: string; readonly tool: string; readonly reason: string };
}

/** A notice of a chain run as data. */
export type ChainNotice = Coded<ChainNoticeParams>;

/** Receives the notices of a run that do not stop it: the English text, and the notice as data. */
export type ChainNoticeListener = (message: string, notice: ChainNotice) => void;

/** An external text within a sentence: on one line, cut, without its final stop. */
export function quoteSentence(text: string, maxLength: number = 200): string {
  const line = text.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…`.toWellFormed() : line;
}
