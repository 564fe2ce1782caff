import { FailureError } from "../../../base/index.ts";
import { isRecord } from "../../../schema/index.ts";
import { stripUnsafe } from "../../../text/index.ts";
import { type Flow, all } from "../../flow/flow.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentQuestion } from "../../runner.ts";
import { documentsIn, searchNotes } from "../notes/search-notes.ts";
import { GivenOptions } from "../options/given-options.ts";
import { runnerOptions } from "../options/runner-options.ts";
import { canUse, ownCall } from "../own-call.ts";
import { holdsTopic } from "./holds-topic.ts";
import { type Passage, plainTitle } from "./passage.ts";

/** What was found in the notes for a question. */
export interface FoundPassages {
  /** The best first; where no words were looked for, the newest. */
  readonly passages: readonly Passage[];
  /** What was looked for. */
  readonly terms: readonly string[];
  /** The time that the question names. */
  readonly time: string | undefined;
  /** No such note is of that time: these are of other times. */
  readonly missedTime: boolean;
  /** There are more of them. */
  readonly more: boolean;
}

const readTool = "read_note";
const usualLimit = 6;
const mostPassages = 20;
/** Of a note that is longer, so many lines around the place that was found. */
const passageChars = 2000;
const linesAbove = 6;
const linesAfter = 30;
/** A note that fits beyond this line is longer. */
const shortLines = 100;

/** What to find. */
export interface Wanted {
  readonly question: AgentQuestion;
  readonly terms: readonly string[];
}

/** Finds the notes that a question is about, and reads them: short ones whole, others around the places that fit. */
export function* findPassages(run: AgentRun, { question, terms }: Wanted): Flow<FoundPassages> {
  // Of a time people want to see all.
  const limit = readLimit(run, terms.length === 0 ? mostPassages : usualLimit);
  const found = yield* searchNotes(run, { part: "search", text: question.text, terms, limit: limit + 1 });
  const { result, time, anyTime } = found;
  if (!result.success) throw new FailureError(result.error.message, { ...result.error });
  const documents = documentsIn(result.output);
  const canRead = yield* canUse(run, { part: "search", round: 1 }, readTool);
  const isListing = terms.length === 0;
  const reading = documents
    .slice(0, limit)
    .map((document, index) => read(run, document, { index, terms, canRead, isListing }));
  const passages = onTopic(yield* all(reading, run.spec.maxParallel));
  return { passages, terms, time, missedTime: anyTime, more: documents.length > limit };
}

/** `options.limit`: how many notes are read. */
function readLimit(run: AgentRun, usual: number): number {
  return Math.min(new GivenOptions(run, runnerOptions.vault).take("limit", usual), mostPassages);
}

interface ReadPassage {
  readonly passage: Passage;
  /** The passage is all there is of the note. */
  readonly isWhole: boolean;
  readonly isOnTopic: boolean;
}

/** Without the notes that have only a number of the question. In a part that was not read a note may have more. */
function onTopic(read: readonly ReadPassage[]): Passage[] {
  const isAnyOnTopic = read.some(({ isOnTopic }) => isOnTopic);
  return read.flatMap(({ passage, isWhole, isOnTopic }) => (isOnTopic || !(isWhole || isAnyOnTopic) ? [passage] : []));
}

type Document = Readonly<Record<string, unknown>>;

interface Reading {
  readonly index: number;
  readonly terms: readonly string[];
  readonly canRead: boolean;
  /** Nothing is looked for, so that the beginning of a note is what there is to see. */
  readonly isListing: boolean;
}

function* read(run: AgentRun, document: Document, reading: Reading): Flow<ReadPassage> {
  const path = textOf(document, "path");
  const snippet = textOf(document, "snippet");
  const line = typeof document["line"] === "number" ? document["line"] : 1;
  const about = {
    title: plainTitle(textOf(document, "title") || path),
    path,
    location: path === "" ? textOf(document, "cite") : `${path}:${line}`,
    snippet,
    modified: textOf(document, "modified"),
  };
  const note = reading.canRead && path !== "" ? yield* readNote(run, { ...reading, path, line }) : undefined;
  const { isWhole = false, ...shown } = note ?? { text: snippet, firstLine: undefined, fence: undefined };
  const tags = Array.isArray(document["tags"]) ? document["tags"].join(" ") : "";
  const seen = [about.title, path, tags, snippet, shown.text].join("\n");
  return { passage: { ...about, ...shown }, isWhole, isOnTopic: holdsTopic(seen, reading.terms) };
}

interface Place extends Reading {
  readonly path: string;
  readonly line: number;
}

interface NoteText extends Pick<Passage, "text" | "firstLine" | "fence"> {
  readonly isWhole: boolean;
}

/** The whole note where it is short, or else what is around a line; undefined where there is nothing to read. */
function* readNote(run: AgentRun, place: Place): Flow<NoteText | undefined> {
  const { index, line, isListing } = place;
  const begins = isListing || line <= 1 + linesAbove;
  if (begins || line <= shortLines) {
    const start = yield* readFrom(run, place, { name: `read-${index + 1}`, from: 1 });
    if (begins || start?.isWhole === true) return start;
  }
  return yield* readFrom(run, place, {
    name: `read-${index + 1}-near`,
    from: line - linesAbove,
    to: line + linesAfter,
  });
}

interface Lines {
  readonly name: string;
  readonly from: number;
  readonly to?: number;
}

function* readFrom(run: AgentRun, { path }: Place, { name, from, to }: Lines): Flow<NoteText | undefined> {
  const args = {
    note: path,
    from_line: from,
    ...(to !== undefined && { to_line: to }),
    max_characters: passageChars,
  };
  const result = yield* ownCall(run, { place: { part: "search", round: 1 }, name, tool: readTool, args });
  const output = result.success && isRecord(result.output) ? result.output : {};
  const text = textOf(output, "text");
  if (text.trim() === "") return undefined;
  const isWhole = from === 1 && to === undefined && output["truncated"] === false;
  return { text, firstLine: from, fence: textOf(output, "code_fence") || undefined, isWhole };
}

/** What a field says; whatever a tool of somebody else put there. */
function textOf(record: Document, key: string): string {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return typeof value === "string" ? stripUnsafe(value) : "";
}
