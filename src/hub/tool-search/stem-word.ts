/** Plural and verb endings; the first match is removed if a word remains. */
const endings: readonly (readonly [RegExp, string])[] = [
  [/(?<=[a-z]{3})ies$/, "y"],
  [/(?<=ss|sh|ch|x|z)es$/, ""],
  [/(?<=[a-z]{2}[^siu])s$/, ""],
];
const doing: readonly (readonly [RegExp, string])[] = [
  [/(?<=[a-z]{3})(?:ing|ed)$/, ""],
  [/(?<=[a-z]{4}[st])ion$/, ""],
];

/**
 * The form in which English words are compared: without plural and verb endings. Light on purpose: the words that it
 * unifies nearly always belong together.
 *
 * @example
 * ```ts
 * stemWord("scheduling") === stemWord("schedules"); // true
 * ```
 */
export function stemWord(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  const single = without(word, endings);
  const stem = without(single, doing);
  // `planned` and `plan`, `merging` and `merge`.
  const undoubled = stem === single ? stem : stem.replace(/([bdgklmnprt])\1$/, "$1");
  return undoubled.length > 3 ? undoubled.replace(/e$/, "") : undoubled;
}

function without(word: string, table: readonly (readonly [RegExp, string])[]): string {
  for (const [ending, left] of table) if (ending.test(word)) return word.replace(ending, left);
  return word;
}
