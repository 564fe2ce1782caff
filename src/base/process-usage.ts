/** What this process used in the course of something. */
export interface Usage {
  /** Processor time of all threads. */
  readonly cpuMs: number;
  /** The most memory it has held so far. */
  readonly peakRssBytes: number;
}

/** The system is asked no more often: asking takes as long as several steps, and many runs may begin at once. */
const exactMs = 1;

let known: NodeJS.CpuUsage = { user: 0, system: 0 };
let knownAt = -Infinity;

/** The processor time of all threads so far, for {@link usageSince}. */
export function cpuTime(): NodeJS.CpuUsage {
  const now = performance.now();
  if (now - knownAt < exactMs) return known;
  knownAt = now;
  known = process.cpuUsage();
  return known;
}

/** What has been used since a {@link cpuTime}. The system is asked for the memory when somebody looks at it. */
export function usageSince(before: NodeJS.CpuUsage): Usage {
  const { user, system } = cpuTime();
  return {
    cpuMs: (user - before.user + system - before.system) / 1000,
    get peakRssBytes() {
      return process.resourceUsage().maxRSS * 1024;
    },
  };
}
