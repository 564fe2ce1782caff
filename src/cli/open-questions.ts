import type { Approval, ApprovalStore } from "../store/index.ts";
import { oneLine } from "./format-table.ts";

/** The questions of a run that nobody has decided yet, the oldest first. */
export async function openQuestions(
  approvals: Pick<ApprovalStore, "list">,
  runId: string,
  now: number = Date.now(),
): Promise<Approval[]> {
  const pending = await approvals.list(now, "pending");
  return pending.filter((approval) => approval.runId === runId).reverse();
}

/** What a question of a run is about: `step send`, `undo of step send`, or `round 2, call 1` of an agent. */
export function aboutStep(question: Question): string {
  const call = agentCall.exec(question.step ?? "")?.groups;
  if (call !== undefined) {
    const { part = "", round = "", index = "0" } = call;
    return `${part === "main" ? "" : `${part}, `}round ${round}, call ${Number(index) + 1}`;
  }
  return `${isUndo(question) ? "undo of step" : "step"} ${oneLine(question.step ?? "?")}`;
}

/** What is asked, and about what: `undo of step send: may cancel_mail be called?` */
export function askedAbout(question: Question): string {
  const text = isUndo(question) ? question.message.slice(undoOf(question).length) : question.message;
  return `${aboutStep(question)}: ${oneLine(text)}`;
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
