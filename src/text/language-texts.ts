/** A language of the texts for users. */
export type Language = "en" | "zh";

/** The language of the texts for the author of this prompt. Kanji among kana are Japanese, for which there are none. */
export function detectLanguage(prompt: string): Language {
  return /\p{Script=Han}/u.test(prompt) && !/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(prompt) ? "zh" : "en";
}

/**
 * One of several messages as data: its code, and the parameters that belong to this code.
 *
 * @example
 * ```ts
 * interface TideParams {
 *   readonly high_tide: { readonly port: string };
 *   readonly no_tide: NoParams;
 * }
 * const message: Coded<TideParams> = { code: "high_tide", params: { port: "Rye" } };
 * ```
 */
export type Coded<Params> = {
  readonly [Code in keyof Params]: { readonly code: Code; readonly params: Params[Code] };
}[keyof Params];

/** The parameters of a message that has none. */
export type NoParams = Readonly<Record<string, never>>;

/** The texts of coded messages in one language. */
export type CodedTexts<Params> = { readonly [Code in keyof Params]: (params: Params[Code]) => string };

/**
 * Renders a coded message in the language of these texts.
 *
 * @example
 * ```ts
 * const english: CodedTexts<TideParams> = { high_tide: ({ port }) => `high tide in ${port}`, no_tide: () => "no tide" };
 * renderCoded(english, message); // "high tide in Rye"
 * ```
 */
export function renderCoded<Params>(texts: CodedTexts<Params>, { code, params }: Coded<Params>): string {
  return texts[code](params);
}
