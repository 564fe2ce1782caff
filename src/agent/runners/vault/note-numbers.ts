import type { AnswerSource } from "../../events/agent-result.ts";
import type { Passage } from "./passage.ts";

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
