import type { AnswerSource } from "../../agent-result.ts";

/** A part of a note that may hold the answer. */
export interface Passage {
  readonly title: string;
  /** How to cite it: `path:line`. */
  readonly location: string;
  /** The part of it that fits the question best, on one line. */
  readonly snippet: string;
  readonly text: string;
  /** When the note was changed, ISO 8601; empty where it is not known. */
  readonly modified: string;
}

/** A passage as a source of an answer. */
export function toSource({ title, location, snippet }: Passage): AnswerSource {
  return { title, location, ...(snippet !== "" && { quote: snippet }) };
}
