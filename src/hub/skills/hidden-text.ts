import { showUnsafe, stripUnsafe } from "../../text/index.ts";

/** An invisible character and its position. */
export interface HiddenCharacter {
  readonly offset: number;
  /** Such as `<U+202E>`. */
  readonly shown: string;
}

/** The first character of a text that is invisible, moves the cursor or changes the direction of the text after it. */
export function hiddenCharacter(text: string): HiddenCharacter | undefined {
  const plain = text.replaceAll("\r\n", "\n");
  if (stripUnsafe(plain) === plain) return undefined;
  let offset = 0;
  for (const character of text) {
    const shown = /[\t\n\r]/.test(character) ? character : showUnsafe(character);
    if (shown !== character) return { offset, shown };
    offset += character.length;
  }
  // Characters that are hidden only as a row of them.
  return { offset: 0, shown: "joiners in a row" };
}

/**
 * Characters that only serve to deceive in a text of many lines: characters that change the direction of reading, tag
 * characters, and runs of others without a width, in which data is hidden. A lone soft hyphen of a copied page is not
 * among them.
 */
const deceiving =
  // oxlint-disable-next-line no-misleading-character-class
  /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]|[\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f]{3,}|[\u200b\u2060-\u2064\ufeff]{2,}/u;

/** The first character of a text that hides something from human readers. */
export function misleadingCharacter(text: string): HiddenCharacter | undefined {
  const found = deceiving.exec(text);
  if (found === null) return undefined;
  const [first = ""] = found[0];
  return { offset: found.index, shown: showUnsafe(first) === first ? "joiners in a row" : showUnsafe(first) };
}
