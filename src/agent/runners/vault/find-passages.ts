import { FailureError } from "../../../base/index.ts";
import { isRecord } from "../../../schema/index.ts";
import { stripUnsafe } from "../../../text/index.ts";
import { type Flow, all } from "../../flow/flow.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentQuestion } from "../../runner.ts";
import { documentsIn, searchNotes } from "../notes/search-notes.ts";
import { canUse, ownCall } from "../own-call.ts";
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
/** Lines around the place that was found. */
const linesAbove = 6;
const linesAfter = 30;
const passageChars = 2000;

/** What to find, and from which number on the passages count. */
export interface Wanted {
  readonly question: AgentQuestion;
  readonly terms: readonly string[];
  readonly firstNumber: number;
}

/** Finds the notes that a question is about, and reads them around the places that fit. */
export function* findPassages(run: AgentRun, { question, terms, firstNumber }: Wanted): Flow<FoundPassages> {
  // Of a time people want to see all.
  const limit = limitOf(run) ?? (terms.length === 0 ? mostPassages : usualLimit);
  const found = yield* searchNotes(run, { part: "search", text: question.text, terms, limit: limit + 1 });
  const { result, time, anyTime } = found;
  if (!result.success) throw new FailureError(result.error.message, { ...result.error });
  const documents = documentsIn(result.output);
  // Where nothing was looked for, the note is read from its beginning on.
  const linesBefore = terms.length === 0 ? 0 : linesAbove;
  const canRead = yield* canUse(run, { part: "search", round: 1 }, readTool);
  const reading = documents
    .slice(0, limit)
    .map((document, index) => passageOf(run, document, { index, firstNumber, canRead, linesBefore }));
  const passages = yield* all(reading, run.spec.maxParallel);
  return { passages, terms, time, missedTime: anyTime, more: documents.length > limit };
}

/** `options.limit`: how many notes are read. */
function limitOf({ spec }: AgentRun): number | undefined {
  const limit = spec.options?.["limit"];
  const isCount = typeof limit === "number" && Number.isInteger(limit) && limit >= 1;
  return isCount ? Math.min(limit, mostPassages) : undefined;
}

interface Reading {
  readonly index: number;
  readonly firstNumber: number;
  readonly canRead: boolean;
  readonly linesBefore: number;
}

function* passageOf(
  run: AgentRun,
  document: Readonly<Record<string, unknown>>,
  { index, firstNumber, canRead, linesBefore }: Reading,
): Flow<Passage> {
  const path = textOf(document, "path");
  const snippet = textOf(document, "snippet");
  const line = typeof document["line"] === "number" ? document["line"] : 1;
  const passage = {
    number: firstNumber + index,
    title: plainTitle(textOf(document, "title") || path),
    path,
    location: path === "" ? textOf(document, "cite") : `${path}:${line}`,
    snippet,
    modified: textOf(document, "modified"),
  };
  if (!canRead || path === "") return { ...passage, text: snippet, firstLine: undefined };
  const from = Math.max(1, line - linesBefore);
  const args = { note: path, from_line: from, to_line: line + linesAfter, max_characters: passageChars };
  const place = { part: "search", round: 1 };
  const result = yield* ownCall(run, { place, name: `read-${index + 1}`, tool: readTool, args });
  const text = result.success && isRecord(result.output) ? textOf(result.output, "text") : "";
  return text.trim() === ""
    ? { ...passage, text: snippet, firstLine: undefined }
    : { ...passage, text, firstLine: from };
}

/** What a field says; whatever a tool of somebody else put there. */
function textOf(record: Readonly<Record<string, unknown>>, key: string): string {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return typeof value === "string" ? stripUnsafe(value) : "";
}
