import { FailureError } from "../../../base/index.ts";
import { isRecord } from "../../../schema/index.ts";
import { stripUnsafe } from "../../../text/index.ts";
import { type Flow, all } from "../../flow/flow.ts";
import type { ConversationMessage } from "../../loop/message.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentQuestion } from "../../runner.ts";
import { saidIn } from "../gathered.ts";
import { salientTerms } from "../notes/salient-terms.ts";
import { documentsIn, searchNotes } from "../notes/search-notes.ts";
import { canUse, ownCall } from "../own-call.ts";
import type { Passage } from "./passage.ts";

/** What was found in the notes for a question. */
export interface FoundPassages {
  /** The best first. */
  readonly passages: readonly Passage[];
  readonly terms: readonly string[];
  /** The time that the question names, where no note is of it: these are of other times. */
  readonly missedTime: string | undefined;
}

const readTool = "read_note";
const usualLimit = 6;
const mostPassages = 20;
/** Lines around the place that was found. */
const linesBefore = 6;
const linesAfter = 30;
const passageChars = 2000;

/** Finds the notes that a question is about, and reads them around the places that fit. */
export function* findPassages(run: AgentRun, question: AgentQuestion): Flow<FoundPassages> {
  const terms = termsFor(question);
  const limit = limitOf(run);
  const found = yield* searchNotes(run, { part: "search", text: question.text, terms, limit });
  const { result, time, anyTime } = found;
  if (!result.success) throw new FailureError(result.error.message, { ...result.error });
  const documents = documentsIn(result.output).slice(0, limit);
  const canRead = yield* canUse(run, { part: "search", round: 1 }, readTool);
  const reading = documents.map((document, index) => passageOf(run, document, canRead ? index + 1 : undefined));
  const passages = yield* all(reading, run.spec.maxParallel);
  return { passages, terms, missedTime: anyTime ? time : undefined };
}

/** `options.limit`: how many notes are read. */
function limitOf({ spec }: AgentRun): number {
  const limit = spec.options?.["limit"];
  const isCount = typeof limit === "number" && Number.isInteger(limit) && limit >= 1;
  return isCount ? Math.min(limit, mostPassages) : usualLimit;
}

const pointsBack = /\b(?:it|its|they|them|their|this|that|these|those|he|him|his|she|her)\b|[它他她]|这个?|那个?|该/iu;

/** The words that matter; where the question only points back, those of the one before as well. */
function termsFor({ text, history }: AgentQuestion): readonly string[] {
  const terms = salientTerms(text);
  if (terms.length > 1 && !pointsBack.test(text)) return terms;
  const before = salientTerms(lastQuestion(history));
  return [...new Set([...terms, ...before])].slice(0, 12);
}

function lastQuestion(history: readonly ConversationMessage[]): string {
  const last = history.findLast(({ role }) => role === "user");
  return last === undefined ? "" : saidIn(last);
}

function* passageOf(
  run: AgentRun,
  document: Readonly<Record<string, unknown>>,
  number: number | undefined,
): Flow<Passage> {
  const path = textOf(document, "path");
  const snippet = textOf(document, "snippet");
  const line = typeof document["line"] === "number" ? document["line"] : 1;
  const passage = {
    title: textOf(document, "title") || path,
    location: path === "" ? textOf(document, "cite") : `${path}:${line}`,
    snippet,
    modified: textOf(document, "modified"),
  };
  if (number === undefined || path === "") return { ...passage, text: snippet };
  const args = {
    note: path,
    from_line: Math.max(1, line - linesBefore),
    to_line: line + linesAfter,
    max_characters: passageChars,
  };
  const place = { part: "search", round: 1 };
  const result = yield* ownCall(run, { place, name: `read-${number}`, tool: readTool, args });
  const text = result.success && isRecord(result.output) ? textOf(result.output, "text") : "";
  return { ...passage, text: text.trim() === "" ? snippet : text };
}

/** What a field says; whatever a tool of somebody else put there. */
function textOf(record: Readonly<Record<string, unknown>>, key: string): string {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return typeof value === "string" ? stripUnsafe(value) : "";
}
