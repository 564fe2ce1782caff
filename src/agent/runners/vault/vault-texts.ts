import type { ReasoningLanguage } from "../../reasoning/reasoning-block.ts";
import { widestTerms } from "../notes/salient-terms.ts";

/** Texts of the runner itself in an answer. */
interface VaultTexts {
  readonly nothing: (terms: string) => string;
  /** Used if the prompt names nothing to search for. */
  readonly noTopic: string;
  readonly extracted: string;
  /** Used without search terms: the notes of a time, or all. */
  readonly listed: (time: string | undefined) => string;
  readonly more: string;
  /** Used if no matching note is of the requested time. */
  readonly otherTimes: (time: string, terms: string) => string;
  readonly quoted: (term: string) => string;
  readonly list: string;
}

/** By the language of the prompt. */
export const vaultTexts: Readonly<Record<ReasoningLanguage, VaultTexts>> = {
  en: {
    nothing: (terms) => `Nothing was found in the notes${terms === "" ? "" : ` for ${terms}`}.`,
    noTopic:
      "The prompt names nothing to search for in the notes. Name a topic or a time; quoted text is searched for exactly.",
    extracted:
      "No model wrote this answer: these are the sentences of the notes that match the prompt best, word for word.",
    listed: (time) =>
      `No model wrote this answer: these are the ${time === undefined ? "newest notes" : `notes of the time "${time}"`}, the newest first, each with its first sentence.`,
    more: "There are more of them.",
    otherTimes: (time, terms) =>
      `No note${terms === "" ? " is" : ` that fits ${terms} is`} of the time "${time}"; these are of other times.`,
    quoted: (term) => `"${term}"`,
    list: ", ",
  },
  zh: {
    nothing: (terms) => `笔记里没有找到${terms === "" ? "相关内容" : `与${terms}有关的内容`}。`,
    noTopic: "这句话里没有可以在笔记中查找的内容。请说出主题或时间；加引号的词会原样查找。",
    extracted: "以下未经模型改写，是笔记中与问题最相符的原句。",
    listed: (time) =>
      `以下未经模型改写，是${time === undefined ? "最新的笔记" : `“${time}”的笔记`}，由新到旧，各附第一句。`,
    more: "还有更多。",
    otherTimes: (time, terms) => `没有“${time}”${terms === "" ? "" : `与${terms}有关`}的笔记；以下来自其他时间。`,
    quoted: (term) => `“${term}”`,
    list: "、",
  },
};

const maxListed = 5;

/** Formats the search terms for the user. */
export function formatTerms(terms: readonly string[], { quoted, list }: VaultTexts): string {
  return widestTerms(terms).slice(0, maxListed).map(quoted).join(list);
}
