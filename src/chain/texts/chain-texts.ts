import { type Language, renderCoded } from "../../text/index.ts";
import type { SkipReason } from "../interpreter/step-state.ts";
import type { ChainNotice, ChainNoticeListener, ChainTextTable } from "./chain-text-table.ts";
import { chinese } from "./chinese.ts";
import { english } from "./english.ts";
import type { ExplainFact } from "./explain-fact.ts";

/** The texts of chains by language. */
export const chainTexts: Readonly<Record<Language, ChainTextTable>> = { en: english, zh: chinese };

/**
 * The text of a notice of a chain run.
 *
 * @example
 * ```ts
 * await runs.start(plan, { onNotice: (_message, notice) => console.log(chainNoticeText(notice, "zh")) });
 * ```
 */
export function chainNoticeText(notice: ChainNotice, language: Language = "en"): string {
  return renderCoded(chainTexts[language].notices, notice);
}

/** Passes a notice to the listener of a run. */
export function notifyRun(listener: ChainNoticeListener | undefined, notice: ChainNotice): void {
  listener?.(chainNoticeText(notice), notice);
}

/**
 * The sentence of a fact.
 *
 * @example
 * ```ts
 * explainFactText({ code: "waits_for_slot", params: { slots: 4 } }, "zh"); // "等待 4 个步骤名额中的一个（max_parallel）。"
 * ```
 */
export function explainFactText(fact: ExplainFact, language: Language = "en"): string {
  return renderCoded(chainTexts[language].facts, fact);
}

/**
 * Explains in one clause why a step was skipped.
 *
 * @example
 * ```ts
 * skipSentence({ kind: "needs", step: "search", status: "failed" }); // "it needs search, which failed"
 * ```
 */
export function skipSentence(reason: SkipReason): string {
  return english.skipped(reason);
}
