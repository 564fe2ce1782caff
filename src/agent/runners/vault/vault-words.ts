import type { ReasoningLanguage } from "../../reasoning/reasoning-block.ts";

/** What the runner itself says in an answer. */
interface VaultWords {
  readonly nothing: (terms: string) => string;
  readonly extracted: string;
  /** Where no note is of the time that was asked for. */
  readonly otherTimes: (time: string) => string;
  readonly list: string;
}

/** In the language of the question. */
export const vaultWords: Readonly<Record<ReasoningLanguage, VaultWords>> = {
  en: {
    nothing: (terms) => `Nothing was found in the notes${terms === "" ? "" : ` for ${terms}`}.`,
    extracted:
      "No model has worded this: these are the sentences of the notes that fit the question best, word for word.",
    otherTimes: (time) => `No note is of the time "${time}"; these are of other times.`,
    list: ", ",
  },
  zh: {
    nothing: (terms) => `笔记里没有找到${terms === "" ? "相关内容" : `与${terms}有关的内容`}。`,
    extracted: "以下未经模型改写，是笔记中与问题最相符的原句。",
    otherTimes: (time) => `没有“${time}”的笔记；以下来自其他时间。`,
    list: "、",
  },
};
