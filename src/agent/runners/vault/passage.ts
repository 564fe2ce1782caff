import type { AnswerSource } from "../../events/agent-result.ts";
import type { AgentTextTable } from "../../texts/agent-text-table.ts";
import { widestTerms } from "../notes/salient-terms.ts";

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

const maxListed = 5;

/** Formats the search terms for the user. */
export function formatTerms(terms: readonly string[], { quoted, comma }: AgentTextTable): string {
  return widestTerms(terms).slice(0, maxListed).map(quoted).join(comma);
}

/** Assigns citation numbers to notes: one to each note, the same as before in the conversation. */
export class NoteNumbers {
  readonly #numbers = new Map<string, number>();
  #last = 0;

  /** @param earlier The notes that the conversation has shown, by their numbers: no other note gets one of those. */
  constructor(earlier: ReadonlyMap<number, AnswerSource>) {
    for (const [number, { location }] of earlier) {
      const note = noteOf(location);
      if (!this.#numbers.has(note)) this.#numbers.set(note, number);
      this.#last = Math.max(this.#last, number);
    }
  }

  of({ location }: Pick<Passage, "location">): number {
    const note = noteOf(location);
    const number = this.#numbers.get(note) ?? ++this.#last;
    this.#numbers.set(note, number);
    return number;
  }
}

/** Removes the line number. */
function noteOf(location: string): string {
  return location.replace(/:\d+$/u, "");
}
