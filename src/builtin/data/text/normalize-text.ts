import { stripUnsafe } from "../../../text/index.ts";

/** The normalization steps for texts. */
export const normalizeSteps = [
  "nfc",
  "nfkc",
  "line_ends",
  "invisible",
  "half_width",
  "full_width",
  "quotes",
  "whitespace",
] as const;

/** One of {@link normalizeSteps}. */
export type NormalizeStep = (typeof normalizeSteps)[number];

const steps: Readonly<Record<NormalizeStep, (text: string) => string>> = {
  nfc: (text) => text.normalize("NFC"),
  nfkc: (text) => text.normalize("NFKC"),
  line_ends: (text) => text.replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, "\n"),
  invisible: stripUnsafe,
  half_width: toHalfWidth,
  full_width: toFullWidth,
  quotes: (text) => text.replaceAll(/[“”„‟«»]/g, '"').replaceAll(/[‘’‚‛]/g, "'"),
  whitespace: collapseWhitespace,
};

/** The default steps. */
export const defaultNormalizeSteps: readonly NormalizeStep[] = ["nfc", "line_ends", "invisible", "whitespace"];

/** Applies these steps in order. */
export function normalizeText(text: string, requested: readonly NormalizeStep[] = defaultNormalizeSteps): string {
  return requested.reduce((done, step) => steps[step](done), text);
}

/** Collapses runs of blanks, trims lines, and collapses runs of blank lines. */
function collapseWhitespace(text: string): string {
  return text
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/ ?\n ?/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** Converts full-width letters, digits, signs and blanks; Chinese punctuation is wide by nature and stays. */
function toHalfWidth(text: string): string {
  return text
    .replaceAll(/[\uff02-\uff07\uff0a\uff0b\uff0d-\uff19\uff1c-\uff1e\uff20-\uff5d]/g, (character) =>
      String.fromCharCode(character.charCodeAt(0) - 0xfee0),
    )
    .replaceAll("\u3000", " ");
}

/** Converts visible ASCII to full width. */
function toFullWidth(text: string): string {
  return text
    .replaceAll(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0))
    .replaceAll(" ", "\u3000");
}
