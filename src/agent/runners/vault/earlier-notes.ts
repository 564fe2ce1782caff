import { parseJson } from "../../../base/index.ts";
import type { AnswerSource } from "../../events/agent-result.ts";
import type { ConversationMessage } from "../../events/message.ts";

/** A title, and a location in parentheses which may itself contain some: `Tide mills (mills (1).md:4)`. */
const titled = String.raw`(.{0,1000}?) \(((?:[^()\n]|\([^()\n]{0,200}\)){0,2500})\)`;
/** Heading above a note for the model. */
const heading = new RegExp(String.raw`^\[(\d{1,4})\] ${titled}(?:, (?:of|changed) [\d-]{10})?$`, "u");
/** The line above a note, which opens its envelope. */
const opening = /^<data-([0-9a-f]{12}) name=("(?:[^"\\\n]|\\.)*")>\n/gmu;
/** A quote in an answer without a model, with its location. */
const quote = new RegExp(String.raw`^> .* \[(\d{1,4})\]\n> \u2014 ${titled}(?:, [\d-]{10})?$`, "gmu");

/** Heading of a note for a model; {@link earlierNotes} parses it. `modified` is an ISO 8601 time, or empty. */
export function noteHeading(
  { title, location }: Omit<AnswerSource, "number">,
  number: number,
  modified: string,
): string {
  const date = modified === "" ? "" : `, of ${modified.slice(0, 10)}`;
  return `[${number}] ${title} (${location})${date}`;
}

/** The notes that a conversation has shown so far, by the numbers they are cited with: no other note may get those. */
export function earlierNotes(history: readonly ConversationMessage[]): ReadonlyMap<number, AnswerSource> {
  const notes = new Map<number, AnswerSource>();
  for (const { role, content } of history) {
    if (typeof content === "string") continue;
    for (const part of content) {
      if (part.type !== "text") continue;
      for (const [number, source] of role === "user" ? notesShownIn(part.text) : quotedIn(part.text)) {
        notes.set(number, source);
      }
    }
  }
  return notes;
}

type Entry = readonly [number: number, source: AnswerSource];

function notesShownIn(text: string): Entry[] {
  return envelopeNames(text).flatMap((name) => {
    const [, number, title = "", location = ""] = heading.exec(name) ?? [];
    return number === undefined ? [] : [entry(number, { title, location })];
  });
}

/** The names of the envelopes in a text. The content of an envelope is skipped: it cannot contain its closing line. */
function envelopeNames(text: string): string[] {
  const names: string[] = [];
  for (let from = 0; ;) {
    opening.lastIndex = from;
    const [whole, hash = "", name = ""] = opening.exec(text) ?? [];
    if (whole === undefined) return names;
    const end = text.indexOf(`\n</data-${hash}>`, opening.lastIndex - 1);
    // Envelopes are always closed: the user pasted this one.
    if (end === -1) return names;
    names.push(String(parseJson(name, "")));
    from = end + 1;
  }
}

function quotedIn(text: string): Entry[] {
  return [...text.matchAll(quote)].map(([, number = "", title = "", location = ""]) =>
    entry(number, { title, location }),
  );
}

function entry(digits: string, source: AnswerSource): Entry {
  const number = Number(digits);
  return [number, { number, ...source }];
}
