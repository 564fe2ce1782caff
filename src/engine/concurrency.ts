import { FailureError } from "../base/index.ts";
import { type Rate, parseRate } from "./rate-window.ts";

/** What happens when every place is taken: wait in order, wait by priority, or be refused. */
export type QueueStrategy = "fifo" | "priority" | "reject";

/** How much may run at once. */
export interface ConcurrencyOptions {
  /** Root calls at once; 10 where absent. */
  readonly maxConcurrent?: number;
  /** Root calls that may wait; 100 where absent. */
  readonly queueSize?: number;
  /** How long a call may wait for a place; 30 s where absent. */
  readonly queueTimeoutMs?: number;
  readonly strategy?: QueueStrategy;
  /** Calls at once per category, such as `{ http: 5 }`. */
  readonly bucketLimits?: Readonly<Record<string, number>>;
  /** Starts per category and time, such as `{ http: "10/s" }`. */
  readonly rateLimits?: Readonly<Record<string, string>>;
}

/** {@link ConcurrencyOptions} with every default filled in. */
export interface ConcurrencySettings {
  readonly maxConcurrent: number;
  readonly queueSize: number;
  readonly queueTimeoutMs: number;
  readonly strategy: QueueStrategy;
  readonly bucketLimits: ReadonlyMap<string, number>;
  readonly rateLimits: ReadonlyMap<string, Rate>;
}

/** The documented defaults. */
export const concurrencyDefaults = {
  maxConcurrent: 10,
  queueSize: 100,
  queueTimeoutMs: 30_000,
  strategy: "fifo",
} as const;

/** Checks the options and fills in the defaults. */
export function concurrencySettings(options: ConcurrencyOptions): ConcurrencySettings {
  const { strategy = concurrencyDefaults.strategy } = options;
  if (!["fifo", "priority", "reject"].includes(strategy))
    throw invalid("strategy", strategy, "fifo, priority or reject");
  return {
    strategy,
    maxConcurrent: wholeAtLeast(1, "maxConcurrent", options.maxConcurrent ?? concurrencyDefaults.maxConcurrent),
    queueSize: wholeAtLeast(0, "queueSize", options.queueSize ?? concurrencyDefaults.queueSize),
    queueTimeoutMs: atLeast(0, "queueTimeoutMs", options.queueTimeoutMs ?? concurrencyDefaults.queueTimeoutMs),
    bucketLimits: new Map(
      Object.entries(options.bucketLimits ?? {}).map(([name, limit]) => [
        name,
        wholeAtLeast(1, `bucketLimits.${name}`, limit),
      ]),
    ),
    rateLimits: new Map(Object.entries(options.rateLimits ?? {}).map(([name, text]) => [name, parseRate(text)])),
  };
}

function atLeast(least: number, name: string, value: number): number {
  if (typeof value !== "number" || !(value >= least)) throw invalid(name, value, `a number of at least ${least}`);
  return value;
}

/** Half a place would let a whole call in. */
function wholeAtLeast(least: number, name: string, value: number): number {
  if (typeof value !== "number" || !(value >= least) || !(Number.isInteger(value) || value === Infinity))
    throw invalid(name, value, `a whole number of at least ${least}`);
  return value;
}

function invalid(name: string, value: unknown, expected: string): FailureError {
  return new FailureError(`concurrency ${name} must be ${expected}, got ${JSON.stringify(value)}`, {
    code: "file_invalid",
  });
}
