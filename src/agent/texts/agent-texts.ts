import { type Language, renderCoded } from "../../text/index.ts";
import type { AgentNotice } from "../events/agent-notice.ts";
import type { AgentTextTable } from "./agent-text-table.ts";
import { chinese } from "./chinese.ts";
import { english } from "./english.ts";

/** The texts of agents by language. */
export const agentTexts: Readonly<Record<Language, AgentTextTable>> = { en: english, zh: chinese };

/**
 * The text of a notice.
 *
 * @example
 * ```ts
 * agentNoticeText({ code: "citations_unknown", params: { citations: ["[9]"] } }, "zh"); // "这些不对应任何笔记，保持原样：[9]"
 * ```
 *
 * @see docs/guide/agents.md
 */
export function agentNoticeText(notice: AgentNotice, language: Language = "en"): string {
  return renderCoded(agentTexts[language].notices, notice);
}
