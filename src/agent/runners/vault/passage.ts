import type { AnswerSource } from "../../events/agent-result.ts";

/** A part of a note that may contain the answer. */
export interface Passage {
  readonly title: string;
  /** Empty if unknown. */
  readonly path: string;
  /** Citation: `path:line`. */
  readonly location: string;
  /** The part of it that best matches the prompt, on one line. */
  readonly snippet: string;
  readonly text: string;
  /** The line of the note at which the text begins; undefined if the note was not read. */
  readonly firstLine: number | undefined;
  /** The fence of the code block in which the text begins; undefined if it begins in none. */
  readonly fence: string | undefined;
  /** The time of the note, ISO 8601; empty if unknown. */
  readonly modified: string;
}

/** A passage as a source of an answer. */
export function toSource({ title, location, snippet }: Passage, number: number): AnswerSource {
  return { number, title, location, ...(snippet !== "" && { quote: snippet }) };
}

/** A title without anything like a citation: the author of a note must not be able to cite another note. */
export function plainTitle(title: string): string {
  return title.replaceAll(/\s+/gu, " ").replaceAll(/[[【［]\s*(\^?\d[^[\]【】［］]*)[\]】］]/gu, "($1)");
}
