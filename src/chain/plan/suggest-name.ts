/**
 * The name that somebody probably wants where the one that was given cannot be: what is no letter, digit or `_`
 * becomes `-`. Undefined where nothing is left.
 */
export function correctedName(name: string, before = ""): string | undefined {
  const words = name
    .slice(0, 200)
    .normalize("NFC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll(/[^\p{L}\p{M}\p{N}_]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "");
  if (words === "") return undefined;
  return (/^[\p{L}_]/u.test(words) ? words : `${before}${words}`).slice(0, 64).replace(/-+$/, "");
}
