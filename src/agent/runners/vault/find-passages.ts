import { FailureError } from "../../../base/index.ts";
import { isRecord, ownValue, textOf } from "../../../schema/index.ts";
import { stripUnsafe } from "../../../text/index.ts";
import { type RunProgram, runAll } from "../../../run/index.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { documentsIn, searchNotes } from "../notes/search-notes.ts";
import { readRunnerOptions, vaultTable } from "../options/runner-options.ts";
import { canUse, callToolForRunner } from "../call-tool-for-runner.ts";
import { type Passage, plainTitle } from "./passage.ts";
import { wordSet } from "../../verify/token-similarity.ts";
import { isNumber } from "../notes/salient-terms.ts";

/** Passages found in the notes for a prompt. */
export interface FoundPassages {
  /** The best first; without search terms, the newest first. */
  readonly passages: readonly Passage[];
  /** The search terms. */
  readonly terms: readonly string[];
  /** The time that the prompt names. */
  readonly time: string | undefined;
  /** No matching note is of that time: these are of other times. */
  readonly missedTime: boolean;
  /** There are more such notes. */
  readonly more: boolean;
}

const readTool = "read_note";
const defaultLimit = 6;
const maxPassages = 20;
/** Length of the excerpt around a match in a longer note. */
const passageChars = 2000;
const linesAbove = 6;
const linesAfter = 30;
/** A note with a match beyond this line counts as long. */
const shortLines = 100;

/** Finds the notes for a prompt, and reads them: short ones whole, others around the matches. */
export function* findPassages(run: AgentRun, prompt: string, terms: readonly string[]): RunProgram<FoundPassages> {
  // For a time, all notes are of interest.
  const limit = readLimit(run, terms.length === 0 ? maxPassages : defaultLimit);
  const found = yield* searchNotes(run, { part: "search", text: prompt, terms, limit: limit + 1 });
  const { result, time, anyTime } = found;
  if (!result.success) throw new FailureError(result.error.message, { ...result.error });
  const documents = documentsIn(result.output);
  const canRead = yield* canUse(run, { part: "search", round: 1 }, readTool);
  const isListing = terms.length === 0;
  const reading = documents
    .slice(0, limit)
    .map((document, index) => read(run, document, { index, terms, canRead, isListing }));
  const passages = onTopic(yield* runAll(reading, run.spec.maxParallel));
  return { passages, terms, time, missedTime: anyTime, more: documents.length > limit };
}

/** `options.limit`: number of notes to read. */
function readLimit(run: AgentRun, defaults: number): number {
  return Math.min(readRunnerOptions(run, vaultTable).limit ?? defaults, maxPassages);
}

interface ReadPassage {
  readonly passage: Passage;
  /** The passage is the whole note. */
  readonly isWhole: boolean;
  readonly isOnTopic: boolean;
}

/** Drops notes that match only a number of the prompt. A note may match more in a part that was not read. */
function onTopic(read: readonly ReadPassage[]): Passage[] {
  const isAnyOnTopic = read.some(({ isOnTopic }) => isOnTopic);
  return read.flatMap(({ passage, isWhole, isOnTopic }) => (isOnTopic || !(isWhole || isAnyOnTopic) ? [passage] : []));
}

type Document = Readonly<Record<string, unknown>>;

interface Reading {
  readonly index: number;
  readonly terms: readonly string[];
  readonly canRead: boolean;
  /** There are no search terms, so the beginning of a note is shown. */
  readonly isListing: boolean;
}

function* read(run: AgentRun, document: Document, reading: Reading): RunProgram<ReadPassage> {
  const path = fieldText(document, "path");
  const snippet = fieldText(document, "snippet");
  const line = typeof document["line"] === "number" ? document["line"] : 1;
  const about = {
    title: plainTitle(fieldText(document, "title") || path),
    path,
    location: path === "" ? fieldText(document, "cite") : `${path}:${line}`,
    snippet,
    modified: fieldText(document, "modified"),
  };
  const note = reading.canRead && path !== "" ? yield* readNote(run, { ...reading, path, line }) : undefined;
  const { isWhole = false, ...shown } = note ?? { text: snippet, firstLine: undefined, fence: undefined };
  const tags = Array.isArray(document["tags"]) ? document["tags"].join(" ") : "";
  const seen = [about.title, path, tags, snippet, shown.text].join("\n");
  return { passage: { ...about, ...shown }, isWhole, isOnTopic: containsTopic(seen, reading.terms) };
}

interface PassageRange extends Reading {
  readonly path: string;
  readonly line: number;
}

interface NoteText extends Pick<Passage, "text" | "firstLine" | "fence"> {
  readonly isWhole: boolean;
}

/** The whole note if it is short, otherwise the text around a line; undefined if there is nothing to read. */
function* readNote(run: AgentRun, range: PassageRange): RunProgram<NoteText | undefined> {
  const { index, line, isListing } = range;
  const begins = isListing || line <= 1 + linesAbove;
  if (begins || line <= shortLines) {
    const start = yield* readFrom(run, range, { name: `read-${index + 1}`, from: 1 });
    if (begins || start?.isWhole === true) return start;
  }
  return yield* readFrom(run, range, {
    name: `read-${index + 1}-near`,
    from: line - linesAbove,
    to: line + linesAfter,
  });
}

function* readFrom(
  run: AgentRun,
  { path }: PassageRange,
  { name, from, to }: { readonly name: string; readonly from: number; readonly to?: number },
): RunProgram<NoteText | undefined> {
  const args = {
    note: path,
    from_line: from,
    ...(to !== undefined && { to_line: to }),
    max_characters: passageChars,
  };
  const result = yield* callToolForRunner(run, { turnRef: { part: "search", round: 1 }, name, tool: readTool, args });
  const output = result.success && isRecord(result.output) ? result.output : {};
  const text = fieldText(output, "text");
  if (text.trim() === "") return undefined;
  const isWhole = from === 1 && to === undefined && output["truncated"] === false;
  return { text, firstLine: from, fence: fieldText(output, "code_fence") || undefined, isWhole };
}

/** Text of a field, which a third-party tool may have filled with any value. */
function fieldText(record: Document, key: string): string {
  return stripUnsafe(textOf(ownValue(record, key)));
}

/**
 * True if a text contains one of the search terms, and not only a number. A term of several words counts if all of them
 * occur; singular and plural are the same.
 */
function containsTopic(text: string, terms: readonly string[]): boolean {
  const reporting = terms.filter((term) => !isNumber(term));
  if (reporting.length === 0) return true;
  const words = [...wordSet(text)];
  const compact = compactOf(text);
  return reporting.some((term) => {
    if (/[^\p{Script=Latin}\p{N}\s]/u.test(term)) return compact.includes(compactOf(term));
    return [...wordSet(term)].every((word) => words.some((one) => one.startsWith(stemOf(word))));
  });
}

/** C++, e-mail and texts without spaces are compared without separators. */
function compactOf(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}'’]/gu, "");
}

/** The common beginning of all forms of a word. */
function stemOf(word: string): string {
  return word.slice(0, Math.max(3, word.length - 2));
}
