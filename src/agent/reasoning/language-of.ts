import type { ReasoningLanguage } from "./reasoning-block.ts";

/** The language in which whoever asked this is told what goes on. Kanji among kana are Japanese, of which there are no words here. */
export function languageOf(question: string): ReasoningLanguage {
  return /\p{Script=Han}/u.test(question) && !/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(question) ? "zh" : "en";
}
