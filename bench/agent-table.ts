import { agentDuties, agentEntries, agentSizes } from "./agent-catalog.ts";
import { dutyMarks } from "./duty-marks.ts";
import { conversationSizes } from "./conversation-suite.ts";
import type { AgentCosts, AgentRow, ConversationRow } from "./results.ts";
import { figure, name, notes, ratio, table } from "./table.ts";

/** Renders the table of agent conversations. */
export function agentTable(rows: readonly AgentRow[]): string {
  const { few, many } = agentSizes.turns;
  const body = table(
    [
      "contender",
      "µs of CPU per turn, one call",
      "× by hand",
      `growth to ${many} turns`,
      "µs of CPU per turn, eight calls",
      "× by hand",
      `growth to ${many} turns`,
    ],
    rows.map((row) => [name(row, agentEntries), ...cells(row.one), ...cells(row.eight)]),
  );
  const intro =
    `A scripted model that responds immediately calls the search tool once, or eight times, in each of ${few} turns, and then gives its final answer; ` +
    "the cost of the whole conversation is divided by the number of turns. No two calls are identical, and every model request contains all results so far. " +
    "Growth is the growth of the ratio: a long conversation is also more expensive in a loop by hand, because more messages are held.";
  return `${intro}\n\n${body}\n\nDuties per turn:\n\n${dutyMarks(agentEntries, agentDuties)}\n\n${duties}\n\n${notes(agentEntries)}`;
}

/** Renders the table of prompts in a long conversation. */
export function conversationTable(rows: readonly ConversationRow[]): string {
  const { early, late } = conversationSizes;
  const body = table(
    ["prompt", `ms of CPU after ${early} prompts`, `ms of CPU after ${figure(late)} prompts`, "×"],
    rows.map((row) => [howSent[row.id] ?? row.id, figure(row.early.median), figure(row.late.median), ratio(row.ratio)]),
  );
  const intro =
    "An agent of a workspace, whose runs are in SQLite, sends prompts of 1,000 characters to a model server on this machine, which answers with as many. " +
    `The context window is the default one, which is nearly full after ${early} prompts; later, old messages are summarized. CPU time of all threads, without the server.`;
  return `${intro}\n\n${body}`;
}

const howSent: Readonly<Record<string, string>> = {
  session: "`session.send`",
  run: "`agent.run` with a conversation id",
};

function cells({ few, many }: AgentCosts): string[] {
  return [figure(few.cpuUs.median), ratio(few.ratio), figure(growthOf({ few, many }))];
}

/**
 * Cost ratio of a turn in a long conversation, relative to the ratio in a short one; the baseline is a loop by hand of
 * the same length.
 */
export function growthOf({ few, many }: AgentCosts): number {
  return many.ratio.median / few.ratio.median;
}

const duties =
  "Permission: rules are checked for every call. Deadline: every call has one. Retries: a model request is retried if the server is busy. " +
  "Repetition: an identical call is not executed twice. Limits: on tokens, cost and the length of the conversation. " +
  "Record: one for every call. Journal: another process can resume the run. Event: steps emit events.";
