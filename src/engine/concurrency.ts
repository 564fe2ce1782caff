import { FailureError } from "../base/index.ts";
import type { OptionsOf } from "../schema/index.ts";
import { type Rate, parseRate } from "./rate-window.ts";

/** Queueing strategy when all slots are in use: wait in order, wait by priority, or reject. */
export type QueueStrategy = (typeof concurrencyTable.strategy.choices)[number];

/** Limits on concurrent calls. */
export interface ConcurrencyOptions extends Partial<OptionsOf<typeof concurrencyTable>> {}

/** {@link ConcurrencyOptions} with every default filled in. */
export interface ConcurrencySettings {
  readonly maxConcurrent: number;
  readonly queueSize: number;
  readonly queueTimeoutMs: number;
  readonly strategy: QueueStrategy;
  readonly bucketLimits: ReadonlyMap<string, number>;
  readonly rateLimits: ReadonlyMap<string, Rate>;
}

/** Settings of `concurrency:` in `windlass.yaml`. */
export const concurrencyTable = {
  maxConcurrent: { type: "count", default: 10, about: "Maximum concurrent calls." },
  queueSize: { type: "whole", default: 100, about: "Maximum calls that wait for a slot." },
  queueTimeoutMs: {
    type: "timeout",
    key: "default_timeout",
    default: 30,
    about: "Time that a call may wait for a slot.",
  },
  strategy: {
    type: "text",
    choices: ["fifo", "priority", "reject"],
    default: "fifo",
    about: "Queueing strategy when all slots are in use.",
  },
  bucketLimits: {
    type: "map",
    of: { type: "count" },
    about: "Maximum concurrent calls per category, such as { http: 5 }.",
  },
  rateLimits: {
    type: "map",
    of: { type: "text", format: "rate" },
    about: "Maximum call starts per category and unit of time, such as { http: 10/s }.",
  },
} as const;

/** Checks the options and fills in the defaults. */
export function concurrencySettings(options: ConcurrencyOptions): ConcurrencySettings {
  const table = concurrencyTable;
  const { strategy = table.strategy.default, maxConcurrent = table.maxConcurrent.default } = options;
  const { queueSize = table.queueSize.default, queueTimeoutMs = table.queueTimeoutMs.default * 1000 } = options;
  if (!table.strategy.choices.includes(strategy)) throw invalid("strategy", strategy, "fifo, priority or reject");
  return {
    strategy,
    maxConcurrent: checkWholeMin(1, "maxConcurrent", maxConcurrent),
    queueSize: checkWholeMin(0, "queueSize", queueSize),
    queueTimeoutMs: checkMin(0, "queueTimeoutMs", queueTimeoutMs),
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
