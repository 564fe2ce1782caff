/**
 * A valid name similar to an invalid one: characters other than letters, digits and `_` become `-`. Undefined if
 * nothing remains.
 */
export function suggestName(name: string, before = ""): string | undefined {
  const words = name
    .slice(0, 200)
    .normalize("NFC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll(/[^\p{L}\p{M}\p{N}_]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "");
  if (words === "") return undefined;
  return (/^[\p{L}_]/u.test(words) ? words : `${before}${words}`).slice(0, 64).replace(/-+$/, "");
}
