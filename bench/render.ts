import { agentTable, conversationTable } from "./agent-table.ts";
import { type Entry, callEntries, limitEntries, recordEntries, startEntries, syncEntries } from "./catalog.ts";
import { chainTables } from "./chain-tables.ts";
import { dutyMarks } from "./duty-marks.ts";
import { httpEntries } from "./http-catalog.ts";
import type { RecordRow, Results, Row, StartRow, Verdict } from "./results.ts";
import { bytes, figure, name, notes, ratio, table } from "./table.ts";

/** Renders the generated part of the page from the results. */
export function render(results: Results): string {
  const { suites } = results;
  return [
    provenance(results),
    section("Budgets", budgetTable(results.budgets)),
    suites.async && section("One call, async handler", callTable(suites.async, callEntries)),
    suites.sync && section("One call, sync handler", callTable(suites.sync, syncEntries)),
    (suites.async ?? suites.sync) && section("Duties per call", `${dutyMarks(callEntries)}\n\n${notes(callEntries)}`),
    suites.limit && section("10,000 tasks with a limit of ten", limitTable(suites.limit)),
    suites.records && section("Records on disk", recordTable(suites.records)),
    ...chainTables(suites).map(([title, body]) => section(title, body)),
    suites.agent && section("Turns of an agent", agentTable(suites.agent)),
    suites.conversation && section("Prompts of a long conversation", conversationTable(suites.conversation)),
    suites.http && section("A call over HTTP", httpTable(suites.http)),
    suites.start && section("Startup", startTable(suites.start)),
    results.skipped.length > 0 && section("Not measured", skippedList(results.skipped)),
  ]
    .filter((part) => typeof part === "string")
    .join("\n\n");
}

function provenance({ measuredAt, node, platform, subject, rounds }: Results): string {
  const what = subject === "bundle" ? "the bundle in `dist/`" : "the source in `src/`, because no bundle was built";
  return `Measured on ${measuredAt.slice(0, 10)} with Node ${node} on ${platform}, ${rounds} rounds, against ${what}. The quartiles are in parentheses.`;
}

function section(title: string, body: string): string {
  return `### ${title}\n\n${body}`;
}

function budgetTable(budgets: readonly Verdict[]): string {
  return table(
    ["figure", "budget", "measured", ""],
    budgets.map(({ what, budget, value, holds }) => [
      what,
      budget,
      value === undefined ? "not measured" : figure(value),
      holds ? "holds" : "**broken**",
    ]),
  );
}

function callTable(rows: readonly Row[], entries: readonly Entry[]): string {
  return table(
    ["contender", "µs of CPU", "× zod + handler", "bytes allocated"],
    rows.map((row) => [name(row, entries), figure(row.cpuUs.median), ratio(row.ratio), bytes(row.bytes)]),
  );
}

function httpTable(rows: readonly Row[]): string {
  const body = table(
    ["server", "µs of main-thread CPU per request", "× bare Hono"],
    rows.map((row) => [name(row, httpEntries), figure(row.cpuUs.median), ratio(row.ratio)]),
  );
  return `The tool \`echo\`, called by eight connections from another process.\n\n${body}\n\n${notes(httpEntries)}`;
}

function limitTable(rows: readonly Row[]): string {
  const body = table(
    ["contender", "µs of CPU per task", "× semaphore", "bytes per queued task"],
    rows.map((row) => [name(row, limitEntries), figure(row.cpuUs.median), ratio(row.ratio), bytes(row.bytes)]),
  );
  return `${body}\n\n${notes(limitEntries)}`;
}

function recordTable(rows: readonly RecordRow[]): string {
  const body = table(
    ["contender", "records per second", "quartiles", "µs of main-thread CPU per record", "main thread busy"],
    rows.map((row) => [
      name(row, recordEntries),
      figure(row.perSecond.median),
      `${figure(row.perSecond.low)} – ${figure(row.perSecond.high)}`,
      figure(row.cpuUs.median),
      `${Math.round(row.mainShare * 100)} %`,
    ]),
  );
  return `${body}\n\n${notes(recordEntries)}`;
}

function startTable(rows: readonly StartRow[]): string {
  const body = table(
    ["process", "ms of CPU", "× bare node", "elapsed ms", "× bare node"],
    rows.map((row) => [
      name(row, startEntries),
      row.cpuMs === undefined ? "" : figure(row.cpuMs.median),
      row.cpuRatio === undefined ? "" : ratio(row.cpuRatio),
      figure(row.wallMs.median),
      ratio(row.wallRatio),
    ]),
  );
  return `${body}\n\n${notes(startEntries)}`;
}

function skippedList(skipped: Results["skipped"]): string {
  return skipped.map(({ id, why }) => `- ${id}: ${why}`).join("\n");
}
