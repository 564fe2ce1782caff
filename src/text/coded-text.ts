/** A language of the texts for users. */
export type Language = "en" | "zh";

/** One of several messages as data: its code, and the parameters that belong to this code. */
export type Coded<Params> = {
  readonly [Code in keyof Params]: { readonly code: Code; readonly params: Params[Code] };
}[keyof Params];

/** The texts of coded messages in one language. */
export type CodedTexts<Params> = { readonly [Code in keyof Params]: (params: Params[Code]) => string };

/** The parameters of a message that has none. */
export type NoParams = Readonly<Record<string, never>>;

/** Renders a coded message in the language of these texts. */
export function renderCoded<Params>(texts: CodedTexts<Params>, { code, params }: Coded<Params>): string {
  return texts[code](params);
}
