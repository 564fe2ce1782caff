import { ContenderProcess } from "./contender-process.ts";
import type { Sample } from "./contender.ts";
import type { Entry } from "./catalog.ts";
import { reasonOf } from "./reason.ts";
import { packageVersion } from "./package-version.ts";
import type { Plan } from "./plan.ts";
import type { Row } from "./results.ts";
import { ratioOf, spreadOf } from "./statistics.ts";

/** What is measured of a list of contenders. */
export interface Measurement {
  readonly entries: readonly Entry[];
  /** `call sync`, `limit`, …: what the contender's process is told. */
  readonly work: "call" | "limit" | "records";
  readonly answering?: "sync" | "async";
  /** Of whom to count the bytes. */
  readonly bytes: (entry: Entry) => boolean;
  readonly plan: Plan;
  readonly skip: (id: string, why: string) => void;
}

export interface Measured {
  readonly entry: Entry;
  readonly samples: Sample[];
  bytes?: number;
}

/** Garbage is on the account of whoever made it, also when other processes keep the second core busy. */
const collectOnMainThread = ["--single-threaded-gc"];

/** A young generation so large that nothing is collected while allocations are counted. */
const noCollection = ["--min-semi-space-size=256", "--max-semi-space-size=256"];

/** Fresh processes, rounds interleaved: A B C A B C …; whoever cannot run is left out and the reason kept. */
export async function measure(measurement: Measurement): Promise<Measured[]> {
  const { plan, skip } = measurement;
  const measured = measurement.entries.filter(isInstalled(skip)).map((entry): Measured => ({ entry, samples: [] }));
  let running = measured;
  for (let index = 0; index < plan.processes; index++) {
    const started = await startAll(running, measurement);
    running = started.map(({ one }) => one);
    if (running[0] !== measured[0]) throw new Error("without its floor nothing can be compared");
    for (const { child } of started) await child.ask({ kind: "warm", ...plan });
    for (let round = 0; round < plan.rounds; round++) {
      for (const { one, child } of started) {
        const { sample } = await child.ask({ kind: "sample" });
        if (sample) one.samples.push(sample);
      }
    }
    await Promise.all(started.map(({ child }) => child.end()));
  }
  for (const one of running) if (measurement.bytes(one.entry)) one.bytes = await countBytes(one.entry, measurement);
  return running;
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
    };
  });
}

function isInstalled(skip: Measurement["skip"]) {
  return ({ id, package: name }: Entry): boolean => {
    if (name === undefined || packageVersion(name).version !== undefined) return true;
    skip(id, `${name} is not installed; run: npm ci --prefix bench`);
    return false;
  };
}

async function startAll(running: readonly Measured[], measurement: Measurement) {
  const started: { one: Measured; child: ContenderProcess }[] = [];
  for (const one of running) {
    try {
      // The store is about its threads; calls and tasks are about the one that everything else needs.
      const flags = measurement.work === "records" ? [] : collectOnMainThread;
      started.push({ one, child: await ContenderProcess.start(argsOf(one.entry, measurement), flags) });
    } catch (error) {
      measurement.skip(one.entry.id, reasonOf(error));
    }
  }
  return started;
}

async function countBytes(entry: Entry, measurement: Measurement): Promise<number> {
  const child = await ContenderProcess.start(argsOf(entry, measurement), noCollection);
  const { bytes } = await child.ask({ kind: "bytes" });
  await child.end();
  return bytes ?? Number.NaN;
}

function argsOf({ file, variant }: Entry, { work, answering }: Measurement): string[] {
  return [work, file, ...(answering === undefined ? [] : [answering]), ...(variant === undefined ? [] : [variant])];
}
