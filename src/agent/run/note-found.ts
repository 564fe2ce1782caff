import { isFailureError } from "../../base/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";
import { summaryOf } from "./summary-of.ts";
import type { AgentRun } from "./agent-run.ts";

/** Of the calls that went well, the last so many. */
const mostResults = 5;
const longestText = 500;

/** Did a run end because its budget was used up? */
export function isOverBudget(error: unknown): boolean {
  return isFailureError(error) && error.reason === "budget_exceeded";
}

/** Notes what a run has found that can no longer answer: it was paid for. */
export function noteFound(run: AgentRun): void {
  const given = run.made.given.slice(-mostResults).map((result) => `${result.tool}: ${summaryOf(run, result)}`);
  const said = saidLast(run);
  const found = said === "" ? given : [...given, `the model: ${said}`];
  if (found.length > 0) run.note(`found before the budget was used up: ${found.join("; ")}`);
}

/** What the model said beside the calls that were too much. */
function saidLast(run: AgentRun): string {
  const last = run.messages.slice(run.messages.findLastIndex(({ role }) => role === "user") + 1);
  const texts = last.flatMap(({ role, content }) =>
    role === "assistant" ? content.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
  );
  const text = run.shown(texts.at(-1) ?? "");
  return cutText(stripUnsafe(String(text)).replaceAll(/\s+/g, " ").trim(), longestText).text;
}
