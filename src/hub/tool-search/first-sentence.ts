import { cutText, sentenceEnds, stripUnsafe } from "../../text/index.ts";

/** Maximum length of a text that is scanned for the end of its first sentence. */
const maxScannedChars = 2000;

/** The first sentence of a description on one line, up to a maximum length. Descriptions may be untrusted. */
export function firstSentence(description: string, maxLength: number): string {
  const text = stripUnsafe(description.slice(0, maxScannedChars)).replaceAll(/\s+/g, " ").trim();
  const [end = text.length] = sentenceEnds(text);
  return cutText(text.slice(0, end), maxLength).text;
}
