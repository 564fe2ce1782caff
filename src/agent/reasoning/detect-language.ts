import type { ReasoningLanguage } from "./reasoning-block.ts";

/**
 * The language of progress messages for the author of this prompt. Kanji among kana are Japanese, for which there are
 * no texts.
 */
export function detectLanguage(prompt: string): ReasoningLanguage {
  return /\p{Script=Han}/u.test(prompt) && !/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(prompt) ? "zh" : "en";
}
