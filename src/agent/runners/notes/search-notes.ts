import { isRecord } from "../../../schema/index.ts";
import type { ToolResult } from "../../../tool/index.ts";
import type { CallInitiator, TurnRef } from "../../events/agent-event.ts";
import type { RunProgram } from "../../../run/index.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { canUse, callToolForRunner } from "../call-tool-for-runner.ts";
import { salientTerms, widestTerms } from "./salient-terms.ts";
import { type TimePhrase, timePhraseIn } from "./time-phrase.ts";

/** The tool that searches notes. */
export const notesTool = "local_search";
const timeTool = "get_time_range_ms";
/** Name of the time tool in journal keys: runs of earlier versions contain it. */
const timeKey = "getTimeRangeMs";

/** Query for the notes. */
export interface NoteQuery {
  readonly part: string;
  /** The prompt: a time that it names limits the search. */
  readonly text: string;
  /** The search terms: if there are none, the newest notes are listed. */
  readonly terms: readonly string[];
  readonly limit?: number;
  /** Initiator of the search. Default: the runner itself. */
  readonly initiator?: CallInitiator;
}

/** Result of the search. */
export interface NoteSearchResult {
  readonly result: ToolResult;
  /** The time phrase of the prompt that limits the search, if it was understood. */
  readonly time?: string;
  /** There were no matching notes of that time, so all times were searched. */
  readonly anyTime: boolean;
}

const maxQueryLength = 2000;

/**
 * Searches the notes for a prompt. A phrase such as "last week" limits the search to that time; if it is all that the
 * prompt contains, the notes of that time are the result. If there are none, all notes are searched.
 */
export function* searchNotes(run: AgentRun, request: NoteQuery): RunProgram<NoteSearchResult> {
  const { part, text, limit, initiator = "runner" } = request;
  const time = yield* timeIn(run, { part, round: 1 }, text);
  const timeRange = time === undefined ? undefined : yield* rangeOf(run, { part, round: 1 }, time);
  // A model may include the time in the search terms; notes need not contain it.
  const terms = timeRange === undefined ? request.terms : request.terms.filter((term) => salientTerms(term).length > 0);
  const query = {
    // The words of request would match notes about anything.
    ...(terms.length > 0 && { query: queryOf(terms), salientTerms: terms }),
    ...(limit !== undefined && { limit }),
  };
  const search = (round: number, args: unknown): RunProgram<ToolResult> =>
    callToolForRunner(run, { turnRef: { part, round }, name: "notes", tool: notesTool, args, initiator });
  if (time === undefined || timeRange === undefined) {
    return { result: yield* search(1, query), anyTime: false };
  }
  const result = yield* search(1, { ...query, timeRange });
  if (!result.success || documentsIn(result.output).length > 0) return { result, time: time.phrase, anyTime: false };
  run.notice({ code: "time_without_notes", params: { time: time.phrase } });
  return { result: yield* search(2, query), time: time.phrase, anyTime: true };
}

function queryOf(terms: readonly string[]): string {
  return widestTerms(terms).join(" ").slice(0, maxQueryLength).toWellFormed();
}

/** The time phrase in a prompt, if there is a tool that understands it. */
function* timeIn(run: AgentRun, turnRef: TurnRef, text: string): RunProgram<TimePhrase | undefined> {
  const phrase = timePhraseIn(text);
  return phrase !== undefined && (yield* canUse(run, turnRef, timeTool, timeKey)) ? phrase : undefined;
}

function* rangeOf(run: AgentRun, turnRef: TurnRef, { phrase }: TimePhrase): RunProgram<unknown> {
  const result = yield* callToolForRunner(run, {
    turnRef,
    name: "time",
    tool: timeTool,
    args: { description: phrase },
  });
  if (!result.success) {
    run.notice({ code: "time_not_understood", params: { time: phrase } });
    return undefined;
  }
  return result.output;
}

/** The notes in the result of a search. */
export function documentsIn(output: unknown): readonly Readonly<Record<string, unknown>>[] {
  const documents = isRecord(output) ? output["documents"] : undefined;
  return Array.isArray(documents) ? documents.filter(isRecord) : [];
}
