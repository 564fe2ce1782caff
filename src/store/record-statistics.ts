import type { FailureCode } from "../base/index.ts";
import type { ConversationSummary, Statistics, ToolStatistics } from "./records.ts";

/** Numbers of calls of a tool. */
export interface ToolTally {
  readonly tool: string;
  readonly calls: number;
  readonly failures: number;
}

/** A tally with durations. */
interface TimedTally extends ToolTally, Pick<ToolStatistics, "averageMs" | "p50Ms" | "p95Ms" | "p99Ms"> {}

/** Input of the statistics. */
export interface Tallies {
  readonly tools: readonly TimedTally[];
  readonly failures: readonly (readonly [code: string, count: number])[];
}

/** Code of a call that waits for an approval. */
export const waitingCode: FailureCode = "approval_required";

/** Counts calls for the statistics; exact, at a cost of eight bytes per call while counting. */
export class CallCounter {
  readonly #tools = new Map<string, { durations: number[]; failures: number }>();
  readonly #codes = new Map<string, number>();

  /**
   * Counts one call; `code` is that of its failure, `null` for a success. A call that only waits for an approval has
   * neither failed nor run: the call that follows the approval is counted.
   */
  count(tool: string, durationMs: number, code: string | null): void {
    if (code === waitingCode) return;
    let entry = this.#tools.get(tool);
    if (entry === undefined) this.#tools.set(tool, (entry = { durations: [], failures: 0 }));
    entry.durations.push(durationMs);
    if (code === null) return;
    entry.failures++;
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
  }

  tallies(): Tallies {
    const tools = [...this.#tools].map(([tool, { durations, failures }]) => {
      const sorted = Float64Array.from(durations).sort();
      return {
        tool,
        calls: sorted.length,
        failures,
        averageMs: sorted.reduce((total, ms) => total + ms, 0) / sorted.length,
        p50Ms: nearestRank(sorted, 50),
        p95Ms: nearestRank(sorted, 95),
        p99Ms: nearestRank(sorted, 99),
      };
    });
    return { tools, failures: [...this.#codes] };
  }
}

/** Summarizes the tallies of one conversation. */
export function summarizeTallies(conversationId: string, tallies: readonly ToolTally[]): ConversationSummary {
  const totalCalls = sum(tallies, "calls");
  const failedCalls = sum(tallies, "failures");
  return {
    conversationId,
    totalCalls,
    successfulCalls: totalCalls - failedCalls,
    failedCalls,
    successRate: successRate(totalCalls, failedCalls),
    // Not by assignment: a tool may be called `__proto__`.
    toolUsage: Object.fromEntries(byUsageDescending(tallies).map(({ tool, calls }) => [tool, calls])),
  };
}

/** Converts tallies to statistics. */
export function toStatistics({ tools, failures }: Tallies): Statistics {
  const totalCalls = sum(tools, "calls");
  const failedCalls = sum(tools, "failures");
  return {
    totalCalls,
    successfulCalls: totalCalls - failedCalls,
    failedCalls,
    successRate: successRate(totalCalls, failedCalls),
    failures: Object.fromEntries(failures.toSorted(([a, m], [b, n]) => n - m || order(a, b))),
    tools: byUsageDescending(tools).map((tally) => ({
      ...tally,
      successRate: successRate(tally.calls, tally.failures),
    })),
  };
}

/** Returns the nearest-rank percentile of durations in ascending order. */
export function nearestRank(sorted: Float64Array, percent: number): number {
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0;
}

/** Returns the percentage of calls that succeeded; 100 if there were none. */
export function successRate(calls: number, failures: number): number {
  return calls === 0 ? 100 : ((calls - failures) / calls) * 100;
}

function sum(tallies: readonly ToolTally[], key: "calls" | "failures"): number {
  return tallies.reduce((total, tally) => total + tally[key], 0);
}

function byUsageDescending<T extends ToolTally>(tallies: readonly T[]): T[] {
  return tallies.toSorted((a, b) => b.calls - a.calls || order(a.tool, b.tool));
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
