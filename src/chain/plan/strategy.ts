import { suggest } from "../../text/index.ts";

/** What can be done about a step that failed. */
export const strategyWords = ["fallback", "retry", "abort", "continue"] as const;

/** One of {@link strategyWords}. */
export type StrategyWord = (typeof strategyWords)[number];

/** A `strategy:` taken apart. */
export interface Strategy {
  /** In the order in which they are tried; what comes after `abort` or `continue` is left out. */
  readonly words: readonly StrategyWord[];
  /** Parts that are no strategy, with the word that was probably meant. */
  readonly unknown: readonly { readonly word: string; readonly near: string | undefined }[];
  /** The part that can never have its turn, as it stands after `abort` or `continue`. */
  readonly unreachable: string | undefined;
}

/** Reads `retry|fallback`: words joined by bars, tried in that order. */
export function readStrategy(text: string): Strategy {
  const words: StrategyWord[] = [];
  const unknown: { word: string; near: string | undefined }[] = [];
  let unreachable: string | undefined;
  for (const part of text.split("|").slice(0, 20)) {
    const name = part.trim();
    const word = strategyWords.find((known) => known === name);
    if (word === undefined) unknown.push({ word: name, near: suggest(name, strategyWords) });
    else if (words.some((before) => before === "abort" || before === "continue")) unreachable ??= word;
    else if (!words.includes(word)) words.push(word);
  }
  return { words, unknown, unreachable };
}
