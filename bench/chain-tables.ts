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
    ...(fanout ? [["Parallel steps, and one that joins them", fanoutTable(fanout)] as const] : []),
    ...(dag ? [["Graphs of steps that wait", waitTable(dag, dagTexts)] as const] : []),
    ...(concurrent ? [["1,000 concurrent chains", waitTable(concurrent, concurrentTexts)] as const] : []),
    ...(durable ? [["Steps that survive a crash", durableTable(durable)] as const] : []),
  ];
}

function sequenceTable(rows: readonly Row[]): string {
  const body = table(
    ["contender", "µs of CPU per step", "× guarded by hand"],
    rows.map((row) => [name(row, sequenceEntries), figure(row.cpuUs.median), ratio(row.ratio)]),
  );
  return `${toolText}\n\n${body}\n\nDuties per step:\n\n${dutyMarks(sequenceEntries)}\n\n${notes(sequenceEntries)}`;
}

/** Describes the tool of the sequence, fan-out, concurrent and durable suites. */
const toolText =
  "Steps call the search tool of the call suites (text with bounds, a number with a default, an optional list, an optional object), with one additional number that each step increments. Text and number are passed to the next step; the baseline and every peer do the same. In Windlass these are two references per step, in the others the object itself.";

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
  return `All steps may run concurrently; the duties per step are listed above. ${onceText}\n\n${body}\n\n${notes(fanoutEntries)}`;
}

const onceText = "A figure marked (once) was measured once, because a single repetition took seconds.";

/** Time for ten times as many steps, relative to the smaller number of steps. */
function growth({ small, large }: FanoutRow): string {
  return "ms" in small && "ms" in large ? figure(large.ms.median / small.ms.median) : "";
}

interface WaitTexts {
  readonly entries: readonly Named[];
  readonly min: string;
  readonly intro: string;
  /** True if the CPU time is meaningful. */
  readonly cpu: boolean;
}

const dagTexts: WaitTexts = {
  entries: dagEntries,
  min: "critical path",
  intro:
    "Three random graphs of 40 steps of 5 to 40 ms each, one graph after the other. The critical path is the longest path through each of them, and so the lower bound.",
  // Steps that end on time poll the clock, and the CPU time would mostly consist of that polling.
  cpu: false,
};

const concurrentTexts: WaitTexts = {
  entries: concurrentEntries,
  min: "100 ms",
  intro: `Ten steps each, which wait 10 ms with a plain timer: 100 ms is the lower bound. The duties are listed above. ${onceText}`,
  cpu: true,
};

function waitTable(rows: readonly WaitRow[], { entries, min, intro, cpu }: WaitTexts): string {
  const body = table(
    ["contender", "elapsed ms", `× ${min}`, ...(cpu ? ["ms of main-thread CPU"] : [])],
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
      "steps per second",
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
    "500 concurrent runs of 20 steps of the same tool, which here is declared as writing (`idempotent`), in SQLite with `synchronous = FULL`. The start of a step is on disk before the step runs, and its outcome before the next step starts. Alone: one run has the disk to itself.";
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
