/** What this process has used so far. */
export interface Usage {
  /** Processor time of all threads. */
  readonly cpuMs: number;
  /** The most memory it held. */
  readonly peakRssBytes: number;
}

/** Asks the system. */
export function systemUsage(): Usage {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakRssBytes: maxRSS * 1024 };
}
