import { type Approval, type ApprovalStore, type RunJournal, isAgentRun } from "../store/index.ts";
import { oneLine } from "./format-table.ts";
import { type QuestionWords, questionWords } from "./question-words.ts";

/** Where questions and the runs that ask them are found. */
export interface Asked {
  readonly approvals: Pick<ApprovalStore, "list">;
  /** Absent where no run is kept. */
  readonly store?: { readonly runs: Pick<RunJournal, "read"> } | undefined;
}

/** The questions that nobody has decided yet, each with the runs that wait for it. */
export async function askedByRuns({
  approvals,
  store,
}: Asked): Promise<{ readonly question: Approval; readonly runs: readonly string[] }[]> {
  const pending = await approvals.list(Date.now(), "pending");
  const waiting = new Map<string, readonly string[]>();
  for (const { runId } of pending) {
    if (runId !== undefined && !waiting.has(runId)) waiting.set(runId, await waitingFor(runId, store));
  }
  return pending.map((question) => ({ question, runs: waiting.get(question.runId ?? "") ?? [] }));
}

/** The questions that a run waits for, also by an agent that it called, the oldest first. */
export async function openQuestions(asked: Asked, runId: string): Promise<Approval[]> {
  const all = await askedByRuns(asked);
  return all.flatMap(({ question, runs }) => (runs.includes(runId) ? [question] : [])).reverse();
}

/** The run that asked, and those that called it as a tool. */
async function waitingFor(runId: string, store: Asked["store"]): Promise<readonly string[]> {
  const found = await store?.runs.read(runId);
  if (store === undefined || found === undefined || !isAgentRun(found.run)) return [runId];
  return (await import("../agent/index.ts")).runsAbove(store.runs, runId);
}

/** What a question of a run is about: `step send`, `undo of step send`, or `round 2, call 1` of an agent. */
export function aboutStep(question: Question, words: QuestionWords = questionWords.en): string {
  const call = agentCall.exec(question.step ?? "")?.groups;
  if (call !== undefined) {
    const { part = "", round = "", index = "0" } = call;
    return words.place({ part: part === "main" ? undefined : part, round, call: Number(index) + 1 });
  }
  return `${isUndo(question) ? "undo of step" : "step"} ${oneLine(question.step ?? "?")}`;
}

/** What is asked, and about what: `undo of step send: may cancel_mail be called?` */
export function askedAbout(question: Question, words: QuestionWords = questionWords.en): string {
  const text = isUndo(question) ? question.message.slice(undoOf(question).length) : question.message;
  return `${aboutStep(question, words)}: ${oneLine(words.question(text))}`;
}

/** A tool call of an agent, by the key that it has in the journal. */
const agentCall = /^(?<part>[\w~-]+)\.(?<round>\d+)\.(?<index>\d+)$/;

type Question = Pick<Approval, "step" | "message">;

function isUndo(question: Question): boolean {
  return question.message.startsWith(undoOf(question));
}

/** What runs write before a question that is about undoing a step. */
function undoOf({ step = "?" }: Question): string {
  return `Undo of step ${step}: `;
}
