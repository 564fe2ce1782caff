import { agentDuties, agentEntries, agentSizes } from "./agent-catalog.ts";
import { dutyMarks } from "./duty-marks.ts";
import type { AgentCosts, AgentRow } from "./results.ts";
import { figure, name, notes, ratio, table } from "./table.ts";

/** Conversations of an agent. */
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
    `A model that answers at once calls the search tool once, or eight times, in each of ${few} turns, and then answers; ` +
    "the whole conversation is divided by those turns. No two calls are the same, and each question carries all results so far. " +
    "Growth is that of the ratio: long conversations cost a loop by hand more too, since more of them has to be kept.";
  return `${intro}\n\n${body}\n\nWhat each does per turn:\n\n${dutyMarks(agentEntries, agentDuties)}\n\n${duties}\n\n${notes(agentEntries)}`;
}

function cells({ few, many }: AgentCosts): string[] {
  return [figure(few.cpuUs.median), ratio(few.ratio), figure(growthOf({ few, many }))];
}

/** How many times as much a turn of a long conversation takes, beside one by hand of the same length. */
export function growthOf({ few, many }: AgentCosts): number {
  return many.ratio.median / few.ratio.median;
}

const duties =
  "Permission: rules on each call. Deadline: of each call. Retries: of a question whose server is busy. Repetition: a " +
  "call that was made before is not made again. Limits: tokens, money, and the length of the conversation. Record: one " +
  "for each call. Journal: a run can be taken up again by another process. Event: somebody is told of steps, or could be.";
