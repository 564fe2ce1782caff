import { totalmem } from "node:os";

/** Resources that this process used during an operation. */
export interface ProcessUsage {
  /** Processor time of all threads. */
  readonly cpuMs: number;
  /** The most memory it has held so far. */
  readonly peakRssBytes: number;
  /** Memory that it may use: that of the machine, or the limit of its container. */
  readonly memoryBytes: number;
}

/** Minimum interval between reads: a read takes as long as several steps, and many runs may begin at once. */
const exactMs = 1;

let known: NodeJS.CpuUsage = { user: 0, system: 0 };
let knownAt = -Infinity;

/** Read once: it takes as long as several steps. */
let memoryLimit: number | undefined;

function findMemoryLimit(): number {
  const machine = totalmem();
  // Without a limit it is 0, or larger than the memory of the machine.
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, machine) : machine;
}

/** The processor time of all threads so far, for {@link processUsageSince}. */
export function cpuTime(): NodeJS.CpuUsage {
  const now = performance.now();
  if (now - knownAt < exactMs) return known;
  knownAt = now;
  known = process.cpuUsage();
  return known;
}

/** Resource usage since a {@link cpuTime}. Memory is only read from the system when the property is accessed. */
export function processUsageSince(before: NodeJS.CpuUsage): ProcessUsage {
  const { user, system } = cpuTime();
  return {
    cpuMs: (user - before.user + system - before.system) / 1000,
    get peakRssBytes() {
      return process.resourceUsage().maxRSS * 1024;
    },
    get memoryBytes() {
      return (memoryLimit ??= findMemoryLimit());
    },
  };
}
