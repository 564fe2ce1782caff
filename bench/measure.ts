import { ContenderProcess, TooSlowError } from "./contender-process.ts";
import type { Sample } from "./contender.ts";
import type { Listed } from "./catalog.ts";
import { reasonOf } from "./reason.ts";
import { packageVersion } from "./package-version.ts";
import type { Plan } from "./plan.ts";
import type { Row } from "./results.ts";
import { ratioOf, spreadOf } from "./statistics.ts";

/** What contenders are asked to do. */
export type WorkName =
  | "call"
  | "limit"
  | "records"
  | "sequence"
  | "fanout"
  | "dag"
  | "concurrent"
  | "durable"
  | "agent";

/** What is measured of a list of contenders. */
export interface Measurement {
  readonly entries: readonly Listed[];
  readonly work: WorkName;
  /** Said to every contender's process: how the handler answers, how many steps, … */
  readonly setting?: string;
  /** Of whom to count the bytes; of nobody where absent. */
  readonly bytes?: (entry: Listed) => boolean;
  readonly plan: Plan;
  readonly skip: (id: string, why: string) => void;
}

export interface Measured {
  readonly entry: Listed;
  readonly samples: Sample[];
  bytes?: number;
  /** It was slow: there is one sample, … */
  once?: true;
  /** … or it did not come to its end within this time. */
  overMs?: number;
}

/** Garbage is on the account of whoever made it, also when other processes keep the second core busy. */
const collectOnMainThread = ["--single-threaded-gc"];

/** A young generation so large that nothing is collected while allocations are counted. */
const noCollection = ["--min-semi-space-size=256", "--max-semi-space-size=256"];

/** What mostly waits takes long. */
const waiting: ReadonlySet<WorkName> = new Set<WorkName>(["dag", "concurrent"]);

/** Measured by the time that passes, so threads may help; everything else is about the thread that everything needs. */
const byTheClock: ReadonlySet<WorkName> = new Set<WorkName>(["records", "durable", ...waiting]);

/** Whose tables can say that somebody took too long; elsewhere that is no measurement. */
const slowIsTold: ReadonlySet<WorkName> = new Set<WorkName>(["fanout", ...waiting]);

/** Fresh processes, rounds interleaved: A B C A B C …; whoever cannot run is left out and the reason kept. */
export async function measure(measurement: Measurement): Promise<Measured[]> {
  const { plan, skip, work } = measurement;
  const all = measurement.entries.filter(isInstalled(measurement)).map((entry): Measured => ({ entry, samples: [] }));
  const out = new Set<Measured>();
  const giveUp = (one: Measured, error: unknown): void => {
    out.add(one);
    skip(`${one.entry.id} (${work})`, reasonOf(error));
  };
  const rounds = waiting.has(work) ? plan.waitRounds : plan.rounds;
  for (let index = 0; index < plan.processes; index++) {
    const due = all.filter((one) => !out.has(one) && one.once === undefined && one.overMs === undefined);
    const started = await startAll(due, measurement, giveUp);
    if (started[0]?.one !== all[0]) throw new Error("without its floor nothing can be compared");
    const steady = await warmAll(started, measurement, giveUp);
    for (let round = 0; round < rounds; round++) {
      for (const { one, child } of steady.filter(({ one }) => !out.has(one))) {
        const answer = await child.ask({ kind: "sample" }, plan.limitMs).catch((error: unknown) => giveUp(one, error));
        if (answer?.sample) one.samples.push(answer.sample);
      }
    }
    await Promise.all(started.map(({ child }) => child.end()));
  }
  const measured = all.filter((one) => !out.has(one));
  for (const one of measured) {
    if (measurement.bytes?.(one.entry) === true) one.bytes = await countBytes(one.entry, measurement);
  }
  return measured;
}

/** The rows of a table; the first contender is the floor. */
export function rowsOf(measured: readonly Measured[]): Row[] {
  const perUnit = (one: Measured | undefined): number[] =>
    (one?.samples ?? []).map(({ cpuUs, units }) => cpuUs / units);
  const floor = perUnit(measured[0]);
  return measured.map((one) => {
    const cpu = perUnit(one);
    return {
      id: one.entry.id,
      ...packageVersion(one.entry.package),
      cpuUs: spreadOf(cpu),
      ratio: ratioOf(cpu, floor),
      ...(one.bytes !== undefined && { bytes: Math.round(one.bytes) }),
      ...(one.once && { once: one.once }),
    };
  });
}

function isInstalled({ skip, work }: Measurement) {
  return ({ id, package: name }: Listed): boolean => {
    if (name === undefined || packageVersion(name).version !== undefined) return true;
    skip(`${id} (${work})`, `${name} is not installed; run: npm ci --prefix bench`);
    return false;
  };
}

interface Started {
  readonly one: Measured;
  readonly child: ContenderProcess;
}

type GiveUp = (one: Measured, error: unknown) => void;

async function startAll(due: readonly Measured[], measurement: Measurement, giveUp: GiveUp): Promise<Started[]> {
  const flags = byTheClock.has(measurement.work) ? [] : collectOnMainThread;
  const started: Started[] = [];
  for (const one of due) {
    try {
      started.push({ one, child: await ContenderProcess.start(argsOf(one.entry, measurement), flags) });
    } catch (error) {
      giveUp(one, error);
    }
  }
  return started;
}

/** Gives those that are measured in rounds. Who is slow is done with already: its only sample, or that it took too long. */
async function warmAll(started: readonly Started[], { plan, work }: Measurement, giveUp: GiveUp): Promise<Started[]> {
  const steady: Started[] = [];
  for (const each of started) {
    const { one, child } = each;
    try {
      const { sample } = await child.ask({ kind: "warm", ...plan }, plan.limitMs);
      // The floor is compared with in every round; and who was quick enough before had a neighbour in the way.
      if (sample === undefined || each === started[0] || one.samples.length > 0) {
        steady.push(each);
      } else {
        one.samples.push(sample);
        one.once = true;
      }
    } catch (error) {
      if (error instanceof TooSlowError && slowIsTold.has(work)) one.overMs = plan.limitMs;
      else giveUp(one, error);
      await child.end();
    }
  }
  return steady;
}

async function countBytes(entry: Listed, measurement: Measurement): Promise<number> {
  const child = await ContenderProcess.start(argsOf(entry, measurement), noCollection);
  const { bytes } = await child.ask({ kind: "bytes" }, measurement.plan.limitMs);
  await child.end();
  return bytes ?? Number.NaN;
}

function argsOf({ file, variant }: Listed, { work, setting }: Measurement): string[] {
  return [work, file, ...(setting === undefined ? [] : [setting]), ...(variant === undefined ? [] : [variant])];
}
