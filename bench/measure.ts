import { ContenderProcess, TooSlowError } from "./contender-process.ts";
import type { Sample } from "./contender.ts";
import type { Listed } from "./catalog.ts";
import { reasonOf } from "./reason.ts";
import { packageVersion } from "./package-version.ts";
import type { Plan } from "./plan.ts";
import type { Row } from "./results.ts";
import { ratioOf, spreadOf } from "./statistics.ts";

/** Name of the work that contenders do. */
export type WorkName =
  | "call"
  | "limit"
  | "records"
  | "sequence"
  | "fanout"
  | "dag"
  | "concurrent"
  | "durable"
  | "agent"
  | "http";

/** A measurement of a list of contenders. */
export interface Measurement {
  readonly entries: readonly Listed[];
  readonly work: WorkName;
  /** Argument for every contender process: the kind of handler, the number of steps, … */
  readonly setting?: string;
  /** Selects the contenders whose bytes are counted. Default: none. */
  readonly bytes?: (entry: Listed) => boolean;
  readonly plan: Plan;
  readonly skip: (id: string, why: string) => void;
}

export interface Measured {
  readonly entry: Listed;
  readonly samples: Sample[];
  bytes?: number;
  /** Set if the contender was slow: there is only one sample, … */
  once?: true;
  /** … or it did not finish within this time. */
  overMs?: number;
}

/** Attributes garbage collection to the contender that caused it, even if other processes keep the second core busy. */
const collectOnMainThread = ["--single-threaded-gc"];

/** A young generation so large that no garbage is collected while allocations are counted. */
const noCollection = ["--min-semi-space-size=256", "--max-semi-space-size=256"];

/** Work that mostly waits, and so takes long. */
const waiting: ReadonlySet<WorkName> = new Set<WorkName>(["dag", "concurrent"]);

/**
 * Work measured by elapsed time, so that other threads count as well; everything else is measured on the main thread.
 */
const byTheClock: ReadonlySet<WorkName> = new Set<WorkName>(["records", "durable", ...waiting]);

/** Work whose tables report a contender that took too long; elsewhere it counts as not measured. */
const slowIsReported: ReadonlySet<WorkName> = new Set<WorkName>(["fanout", ...waiting]);

/**
 * Measures in fresh processes with interleaved rounds: A B C A B C …. A contender that cannot run is skipped, with the
 * reason.
 */
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
    if (started[0]?.one !== all[0]) throw new Error("the baseline could not be measured, so nothing can be compared");
    const steady = await warmAll(started, measurement, giveUp);
    for (let round = 0; round < rounds; round++) {
      for (const { one, child } of steady.filter(({ one }) => !out.has(one))) {
        const answer = await child
          .request({ kind: "sample" }, plan.limitMs)
          .catch((error: unknown) => giveUp(one, error));
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

/** Returns the rows of a table; the first contender is the baseline. */
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

/**
 * Returns the contenders to measure in rounds. A slow contender is finished already: it has its only sample, or is
 * marked as too slow.
 */
async function warmAll(started: readonly Started[], { plan, work }: Measurement, giveUp: GiveUp): Promise<Started[]> {
  const steady: Started[] = [];
  for (const each of started) {
    const { one, child } = each;
    try {
      const { sample } = await child.request({ kind: "warm", ...plan }, plan.limitMs);
      // The baseline takes part in every round; and a contender that was fast enough before was only disturbed by other
      // processes.
      if (sample === undefined || each === started[0] || one.samples.length > 0) {
        steady.push(each);
      } else {
        one.samples.push(sample);
        one.once = true;
      }
    } catch (error) {
      if (error instanceof TooSlowError && slowIsReported.has(work)) one.overMs = plan.limitMs;
      else giveUp(one, error);
      await child.end();
    }
  }
  return steady;
}

async function countBytes(entry: Listed, measurement: Measurement): Promise<number> {
  const child = await ContenderProcess.start(argsOf(entry, measurement), noCollection);
  const { bytes } = await child.request({ kind: "bytes" }, measurement.plan.limitMs);
  await child.end();
  return bytes ?? Number.NaN;
}

function argsOf({ file, variant }: Listed, { work, setting }: Measurement): string[] {
  return [work, file, ...(setting === undefined ? [] : [setting]), ...(variant === undefined ? [] : [variant])];
}
