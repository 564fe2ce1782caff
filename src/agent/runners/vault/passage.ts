import type { AnswerSource } from "../../agent-result.ts";

/** A part of a note that may hold the answer. */
export interface Passage {
  readonly title: string;
  /** Empty where it is not known. */
  readonly path: string;
  /** How to cite it: `path:line`. */
  readonly location: string;
  /** The part of it that fits the question best, on one line. */
  readonly snippet: string;
  readonly text: string;
  /** The line of the note with which the text begins; undefined where the note was not read. */
  readonly firstLine: number | undefined;
  /** The mark of the block of code within which the text begins; undefined where it begins in none. */
  readonly fence: string | undefined;
  /** The time of the note, ISO 8601; empty where it is not known. */
  readonly modified: string;
}

/** A passage as a source of an answer. */
export function toSource({ title, location, snippet }: Passage, number: number): AnswerSource {
  return { number, title, location, ...(snippet !== "" && { quote: snippet }) };
}

/** A title in which nothing looks like a citation: whoever writes a note may not speak for another. */
export function plainTitle(title: string): string {
  return title.replaceAll(/\s+/gu, " ").replaceAll(/[[【［]\s*(\^?\d[^[\]【】［］]*)[\]】］]/gu, "($1)");
}
