import {
  concurrentEntries,
  dagEntries,
  durableEntries,
  fanoutEntries,
  fanoutSizes,
  sequenceEntries,
} from "./chain-catalog.ts";
import { dutyMarks } from "./duty-marks.ts";
import type { Cost, DurableRow, FanoutRow, Row, Suites, WaitRow } from "./results.ts";
import { type Named, figure, name, notes, ratio, table } from "./table.ts";

/** The tables about chains, each with its title. */
export function chainTables({ sequence, fanout, dag, concurrent, durable }: Suites): (readonly [string, string])[] {
  return [
    ...(sequence ? [["100 steps in a row", sequenceTable(sequence)] as const] : []),
    ...(fanout ? [["Steps side by side, and one that joins them", fanoutTable(fanout)] as const] : []),
    ...(dag ? [["Graphs of steps that wait", waitTable(dag, dagTexts)] as const] : []),
    ...(concurrent ? [["1,000 chains at once", waitTable(concurrent, concurrentTexts)] as const] : []),
    ...(durable ? [["Steps that survive a crash", durableTable(durable)] as const] : []),
  ];
}

function sequenceTable(rows: readonly Row[]): string {
  const body = table(
    ["contender", "µs of CPU per step", "× guarded by hand"],
    rows.map((row) => [name(row, sequenceEntries), figure(row.cpuUs.median), ratio(row.ratio)]),
  );
  return `${toolText}\n\n${body}\n\nWhat each does per step:\n\n${dutyMarks(sequenceEntries)}\n\n${notes(sequenceEntries)}`;
}

/** Of the steps in a row, side by side, at once and on the disk. */
const toolText =
  "Steps call the search tool that single calls are measured with (text with bounds, a number with a default, an optional list, an optional object), with one more number that each step adds one to; text and number are handed on, and the floor and every peer do the same. For Windlass that is two references per step, for the others the object itself.";

function fanoutTable(rows: readonly FanoutRow[]): string {
  const { small, large } = fanoutSizes;
  const body = table(
    [
      "contender",
      `ms of CPU, ${figure(small)} steps`,
      "× guarded by hand",
      `ms of CPU, ${figure(large)} steps`,
      "× guarded by hand",
      "growth",
    ],
    rows.map((row) => [
      name(row, fanoutEntries),
      taken(row.small),
      times(row.small),
      taken(row.large),
      times(row.large),
      growth(row),
    ]),
  );
  return `All steps may go on at once; what each does per step is said above. ${onceText}\n\n${body}\n\n${notes(fanoutEntries)}`;
}

const onceText = "Where it says (once), a single repetition took seconds and was measured once.";

/** How many times as long ten times as many steps take. */
function growth({ small, large }: FanoutRow): string {
  return "ms" in small && "ms" in large ? figure(large.ms.median / small.ms.median) : "";
}

interface WaitTexts {
  readonly entries: readonly Named[];
  readonly least: string;
  readonly intro: string;
  /** Whether the CPU time says something. */
  readonly cpu: boolean;
}

const dagTexts: WaitTexts = {
  entries: dagEntries,
  least: "critical path",
  intro:
    "Three random graphs of 40 steps that take 5 to 40 ms each, one after the other. The critical path is the longest way through each of them: nobody can be faster.",
  // Steps that end on time look at the clock again and again: that is what the time would show.
  cpu: false,
};

const concurrentTexts: WaitTexts = {
  entries: concurrentEntries,
  least: "100 ms",
  intro: `Ten steps each that wait 10 ms with a plain timer: nobody can take less than 100 ms. What each does is said above. ${onceText}`,
  cpu: true,
};

function waitTable(rows: readonly WaitRow[], { entries, least, intro, cpu }: WaitTexts): string {
  const body = table(
    ["contender", "ms that pass", `× ${least}`, ...(cpu ? ["ms of main-thread CPU"] : [])],
    rows.map((row) => [
      name(row, entries),
      taken(row.wall),
      times(row.wall),
      ...(cpu ? [row.cpuMs === undefined ? "" : figure(row.cpuMs.median)] : []),
    ]),
  );
  return [intro, body, notes(entries)].filter((part) => part !== "").join("\n\n");
}

function durableTable(rows: readonly DurableRow[]): string {
  const body = table(
    [
      "contender",
      "steps a second",
      "quartiles",
      "µs of main-thread CPU per step",
      "main thread busy",
      "ms per step, alone",
    ],
    rows.map((row) => [
      name(row, durableEntries),
      figure(row.perSecond.median),
      `${figure(row.perSecond.low)} – ${figure(row.perSecond.high)}`,
      figure(row.cpuUs.median),
      `${Math.round(row.mainShare * 100)} %`,
      figure(row.aloneMs.median),
    ]),
  );
  const intro =
    "500 runs of 20 steps of the same tool, which writes here (`idempotent`), at once, in SQLite with `synchronous = FULL`. A start is on the disk before its step begins, an outcome before the next step does. Alone: one run has the disk to itself.";
  return `${intro}\n\n${body}\n\n${notes(durableEntries)}`;
}

function taken(cost: Cost): string {
  if ("overMs" in cost) return `> ${figure(cost.overMs)}`;
  return cost.once ? `${figure(cost.ms.median)} (once)` : figure(cost.ms.median);
}

function times(cost: Cost): string {
  if ("overMs" in cost) return "";
  return cost.once ? figure(cost.ratio.median) : ratio(cost.ratio);
}
