import { isRecord } from "../../../schema/index.ts";
import type { ToolResult } from "../../../tool/index.ts";
import type { CallDecider, Place } from "../../agent-event.ts";
import type { Flow } from "../../flow/flow.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { canUse, ownCall } from "../own-call.ts";
import { salientTerms, widestTerms } from "./salient-terms.ts";
import { type TimePhrase, timePhraseIn } from "./time-phrase.ts";

/** The tool that finds notes. */
export const notesTool = "localSearch";
const timeTool = "getTimeRangeMs";

/** What is looked for in the notes. */
export interface NoteQuery {
  readonly part: string;
  /** The question: a time that it names limits the search. */
  readonly text: string;
  /** The words that are looked for, and no others: where there are none, the newest notes are listed. */
  readonly terms: readonly string[];
  readonly limit?: number;
  /** Who wants them searched; the runner itself where absent. */
  readonly decidedBy?: CallDecider;
}

/** What came of it. */
export interface FoundNotes {
  readonly result: ToolResult;
  /** The words for a time to which the question limits it, where they were understood. */
  readonly time?: string;
  /** There were no such notes of that time, and those of all times were searched. */
  readonly anyTime: boolean;
}

const longestQuery = 2000;

/**
 * Searches the notes for a question. Words such as "last week" limit the search to that time, and where they are all
 * that a question says, the notes of that time are what it asks for; where there are none, all notes are searched.
 */
export function* searchNotes(run: AgentRun, wanted: NoteQuery): Flow<FoundNotes> {
  const { part, text, limit, decidedBy = "runner" } = wanted;
  const time = yield* timeIn(run, { part, round: 1 }, text);
  const timeRange = time === undefined ? undefined : yield* rangeOf(run, { part, round: 1 }, time);
  // A model may name the time among the words that matter; no note has to hold it.
  const terms = timeRange === undefined ? wanted.terms : wanted.terms.filter((term) => salientTerms(term).length > 0);
  const query = {
    // With the words that ask, notes about anything would be found.
    ...(terms.length > 0 && { query: queryOf(terms), salientTerms: terms }),
    ...(limit !== undefined && { limit }),
  };
  const search = (round: number, args: unknown): Flow<ToolResult> =>
    ownCall(run, { place: { part, round }, name: "notes", tool: notesTool, args, decidedBy });
  if (time === undefined || timeRange === undefined) {
    return { result: yield* search(1, query), anyTime: false };
  }
  const result = yield* search(1, { ...query, timeRange });
  if (!result.success || documentsIn(result.output).length > 0) return { result, time: time.phrase, anyTime: false };
  run.note(`no notes of the time "${time.phrase}" were found; notes of all times were searched`);
  return { result: yield* search(2, query), time: time.phrase, anyTime: true };
}

function queryOf(terms: readonly string[]): string {
  return widestTerms(terms).join(" ").slice(0, longestQuery).toWellFormed();
}

/** The words for a time in a question, where there is a tool that understands them. */
function* timeIn(run: AgentRun, place: Place, text: string): Flow<TimePhrase | undefined> {
  const phrase = timePhraseIn(text);
  return phrase !== undefined && (yield* canUse(run, place, timeTool)) ? phrase : undefined;
}

function* rangeOf(run: AgentRun, place: Place, { phrase }: TimePhrase): Flow<unknown> {
  const result = yield* ownCall(run, { place, name: "time", tool: timeTool, args: { description: phrase } });
  if (!result.success) {
    run.note(`the time "${phrase}" was not understood; notes of all times were searched`);
    return undefined;
  }
  return result.output;
}

/** The notes in what the search gave. */
export function documentsIn(output: unknown): readonly Readonly<Record<string, unknown>>[] {
  const documents = isRecord(output) ? output["documents"] : undefined;
  return Array.isArray(documents) ? documents.filter(isRecord) : [];
}
