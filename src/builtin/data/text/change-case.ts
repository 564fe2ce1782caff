/** Letter cases. */
export type LetterCase =
  | "upper"
  | "lower"
  | "capitalize"
  | "title_case"
  | "camel_case"
  | "pascal_case"
  | "snake_case"
  | "kebab_case";

/** Converts a text to another case; scripts without case are unchanged. */
export function changeCase(text: string, to: LetterCase, locale: string = "en"): string {
  const upper = (part: string): string => part.toLocaleUpperCase(locale);
  const lower = (part: string): string => part.toLocaleLowerCase(locale);
  const capital = (word: string): string => {
    const [first = ""] = word;
    return upper(first) + lower(word.slice(first.length));
  };
  switch (to) {
    case "upper":
      return upper(text);
    case "lower":
      return lower(text);
    case "capitalize":
      return text.replace(/\p{L}/u, upper);
    case "title_case":
      return text.replaceAll(/\p{L}[\p{L}\p{M}\p{N}'’]*/gu, capital);
    case "camel_case":
      return splitCaseWords(text)
        .map((word, at) => (at === 0 ? lower(word) : capital(word)))
        .join("");
    case "pascal_case":
      return splitCaseWords(text).map(capital).join("");
    case "snake_case":
      return splitCaseWords(text).map(lower).join("_");
    case "kebab_case":
      return splitCaseWords(text).map(lower).join("-");
  }
}

/** Splits `parseHTTPRequest2` into parse, HTTP, Request2. */
function splitCaseWords(text: string): string[] {
  const apart = text.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " ").replaceAll(/(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ");
  return apart.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}
