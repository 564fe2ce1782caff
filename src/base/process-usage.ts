/** Resources that this process used during an operation. */
export interface ProcessUsage {
  /** Processor time of all threads. */
  readonly cpuMs: number;
  /** The most memory it has held so far. */
  readonly peakRssBytes: number;
}

/** Minimum interval between reads: a read takes as long as several steps, and many runs may begin at once. */
const exactMs = 1;

let known: NodeJS.CpuUsage = { user: 0, system: 0 };
let knownAt = -Infinity;

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
  };
}
