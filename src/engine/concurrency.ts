import { FailureError } from "../base/index.ts";
import { type Rate, parseRate } from "./rate-window.ts";

/** Queueing strategy when all slots are in use: wait in order, wait by priority, or reject. */
export type QueueStrategy = "fifo" | "priority" | "reject";

/** Limits on concurrent calls. */
export interface ConcurrencyOptions {
  /** Maximum number of concurrent root calls. Default: 10. */
  readonly maxConcurrent?: number;
  /** Maximum number of waiting root calls. Default: 100. */
  readonly queueSize?: number;
  /** Maximum wait for a slot. Default: 30 s. */
  readonly queueTimeoutMs?: number;
  readonly strategy?: QueueStrategy;
  /** Maximum number of concurrent calls per category, such as `{ http: 5 }`. */
  readonly bucketLimits?: Readonly<Record<string, number>>;
  /** Maximum number of starts per category and time, such as `{ http: "10/s" }`. */
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
    maxConcurrent: checkWholeMin(1, "maxConcurrent", options.maxConcurrent ?? concurrencyDefaults.maxConcurrent),
    queueSize: checkWholeMin(0, "queueSize", options.queueSize ?? concurrencyDefaults.queueSize),
    queueTimeoutMs: checkMin(0, "queueTimeoutMs", options.queueTimeoutMs ?? concurrencyDefaults.queueTimeoutMs),
    bucketLimits: new Map(
      Object.entries(options.bucketLimits ?? {}).map(([name, limit]) => [
        name,
        checkWholeMin(1, `bucketLimits.${name}`, limit),
      ]),
    ),
    rateLimits: new Map(Object.entries(options.rateLimits ?? {}).map(([name, text]) => [name, parseRate(text)])),
  };
}

function checkMin(min: number, name: string, value: number): number {
  if (typeof value !== "number" || !(value >= min)) throw invalid(name, value, `a number of at least ${min}`);
  return value;
}

/** Requires an integer: half a slot would admit a whole call. */
function checkWholeMin(min: number, name: string, value: number): number {
  if (typeof value !== "number" || !(value >= min) || !(Number.isInteger(value) || value === Infinity))
    throw invalid(name, value, `a whole number of at least ${min}`);
  return value;
}

function invalid(name: string, value: unknown, expected: string): FailureError {
  return new FailureError(`concurrency ${name} must be ${expected}, got ${JSON.stringify(value)}`, {
    code: "file_invalid",
  });
}
