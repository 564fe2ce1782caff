import { cutText, sentenceEnds, stripUnsafe } from "../../text/index.ts";

/** More of a text is not read to find where its first sentence ends. */
const farthest = 2000;

/** The first sentence of a description on one line, of at most so many characters. Descriptions may be a stranger's. */
export function firstSentence(description: string, longest: number): string {
  const text = stripUnsafe(description.slice(0, farthest)).replaceAll(/\s+/g, " ").trim();
  const [end = text.length] = sentenceEnds(text);
  return cutText(text.slice(0, end), longest).text;
}
