import { suggest } from "../../text/index.ts";

/** Strategies for a step that failed. */
export const failureStrategies = ["fallback", "retry", "abort", "continue"] as const;

/** One of {@link failureStrategies}. */
export type FailureStrategyName = (typeof failureStrategies)[number];

/** A parsed `strategy:`. */
export interface FailureStrategy {
  /** In the order in which they are tried; strategies after `abort` or `continue` are omitted. */
  readonly names: readonly FailureStrategyName[];
  /** Words that are not a strategy, each with the word that was probably intended. */
  readonly unknown: readonly { readonly word: string; readonly near: string | undefined }[];
  /** The strategy that can never be reached, because it stands after `abort` or `continue`. */
  readonly unreachable: string | undefined;
}

/** Parses `retry|fallback`: words joined by bars, tried in that order. */
export function parseFailureStrategy(text: string): FailureStrategy {
  const words: FailureStrategyName[] = [];
  const unknown: { word: string; near: string | undefined }[] = [];
  let unreachable: string | undefined;
  for (const part of text.split("|").slice(0, 20)) {
    const name = part.trim();
    const word = failureStrategies.find((known) => known === name);
    if (word === undefined) unknown.push({ word: name, near: suggest(name, failureStrategies) });
    else if (words.some((before) => before === "abort" || before === "continue")) unreachable ??= word;
    else if (!words.includes(word)) words.push(word);
  }
  return { names: words, unknown, unreachable };
}
