import type { ReasoningLanguage } from "../../reasoning/reasoning-block.ts";
import { widestTerms } from "../notes/salient-terms.ts";

/** What the runner itself says in an answer. */
interface VaultWords {
  readonly nothing: (terms: string) => string;
  /** Where the question says nothing that could be looked for. */
  readonly noTopic: string;
  readonly extracted: string;
  /** Where no words were looked for: the notes of a time, or all. */
  readonly listed: (time: string | undefined) => string;
  readonly more: string;
  /** Where no such note is of the time that was asked for. */
  readonly otherTimes: (time: string, terms: string) => string;
  readonly quoted: (term: string) => string;
  readonly list: string;
}

/** In the language of the question. */
export const vaultWords: Readonly<Record<ReasoningLanguage, VaultWords>> = {
  en: {
    nothing: (terms) => `Nothing was found in the notes${terms === "" ? "" : ` for ${terms}`}.`,
    noTopic:
      "There is nothing in this to look for in the notes. Name a topic or a time; what is put in quotes is looked for as it is.",
    extracted:
      "No model has worded this: these are the sentences of the notes that fit the question best, word for word.",
    listed: (time) =>
      `No model has worded this: these are the ${time === undefined ? "newest notes" : `notes of the time "${time}"`}, the newest first, each with its first sentence.`,
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

const mostNamed = 5;

/** What was looked for, as it is told. */
export function namedTerms(terms: readonly string[], { quoted, list }: VaultWords): string {
  return widestTerms(terms).slice(0, mostNamed).map(quoted).join(list);
}
