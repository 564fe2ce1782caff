import { fail } from "../../base/index.ts";
import type { JournalEvent, RunStatus, StoredRun } from "../../store/index.ts";
import { createRedactor } from "../../text/index.ts";
import type { Outcome, Settled } from "../host/host.ts";
import { type LogRedactor, logValue } from "../log/log-value.ts";
import type { Plan } from "../plan/plan.ts";
import { interpret } from "../run/interpret.ts";
import { readSurroundings } from "../surroundings.ts";
import { ReplayHost } from "./replay-host.ts";
import { stepOfKey } from "../run/step-of-key.ts";

/** One call of a recorded run. */
export interface RecordedCall {
  /** Of the call within the run: step, item, round, fallback and attempt. */
  readonly key: string;
  /** The path of the step. */
  readonly step: string;
  readonly tool: string;
  /** Secrets redacted. */
  readonly args: unknown;
}

/** A run that is over, as a recording to run chains against. Plain data; it holds what the tools answered as it was. */
export interface Cassette {
  readonly runId: string;
  readonly chain: string;
  readonly startedAt: number;
  readonly input: unknown;
  readonly context: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly status: RunStatus;
  readonly output: unknown;
  /** In the order in which they began. */
  readonly calls: readonly RecordedCall[];
  /** Everything that happened, in order. */
  readonly settled: readonly Settled[];
}

/** How a run is made a cassette. */
export interface CassetteOptions {
  /** The plan that the run followed, not the chain as it is now. */
  readonly plan: Plan;
  readonly redactor?: LogRedactor;
}

/**
 * Makes a cassette of a run that is over and what its journal says. What the tools got is worked out by following the
 * plan once more.
 *
 * @example
 * ```ts
 * const recorded = await journal.read("run-1");
 * const cassette = await cassetteOf(recorded, { plan });
 * ```
 */
export async function cassetteOf(
  { run, events }: { readonly run: StoredRun; readonly events: readonly JournalEvent[] },
  options: CassetteOptions,
): Promise<Cassette> {
  if (run.status === "running" || run.status === "waiting")
    throw fail(`run ${run.id} is not over (${run.status}); only a finished run is a cassette`, {
      code: "validation_error",
      reason: "run_not_over",
    });
  const { plan, redactor = createRedactor([]) } = options;
  const settled = settledOf(events);
  const input: unknown = JSON.parse(run.input);
  const { context, env } = readSurroundings(run.context);
  const calls: RecordedCall[] = [];
  const host = new ReplayHost({
    runId: run.id,
    startedAt: run.startedAt,
    settled,
    onStart: (key, { tool, args }) => {
      calls.push({ key, step: stepOfKey(key), tool, args: logValue(args, redactor) });
    },
  });
  const { status, output } = await interpret({ plan, host, input, env, context, listener: undefined });
  const { id: runId, chain, startedAt } = run;
  return { runId, chain, startedAt, input, context, env, status, output, calls, settled };
}

function settledOf(events: readonly JournalEvent[]): Settled[] {
  // What the journal keeps of a settled event is its outcome.
  return events.flatMap(({ kind, key, at, data }) => (kind === "settled" ? { key, at, outcome: data as Outcome } : []));
}
