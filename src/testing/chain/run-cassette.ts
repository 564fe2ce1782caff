import { fail } from "../../base/index.ts";
import type { JournalEvent, RunStatus, StoredRun } from "../../store/index.ts";
import { createRedactor, processSecrets } from "../../secrets/index.ts";
import type { HostOutcome, SettledOutcome } from "../../run/index.ts";
import {
  type LogRedactor,
  logValue,
  type Plan,
  interpret,
  parseRunEnvironment,
  stepPathOfKey,
} from "../../chain/index.ts";
import { ReplayHost } from "./replay-host.ts";

/** One call of a recorded run. */
export interface RecordedCall {
  /** Key of the call within the run: step, item, round, fallback and attempt. */
  readonly key: string;
  /** The path of the step. */
  readonly step: string;
  readonly tool: string;
  /** Secrets redacted. */
  readonly args: unknown;
}

/** A finished run, as a recording to run chains against. Plain data; it contains the tool results unchanged. */
export interface RunCassette {
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
  /** All settled outcomes, in order. */
  readonly settled: readonly SettledOutcome[];
}

/** Options for turning a run into a cassette. */
export interface RunCassetteOptions {
  /** The plan that the run followed, not the current chain. */
  readonly plan: Plan;
  readonly redactor?: LogRedactor;
}

/**
 * Creates a cassette from a finished run and its journal. The arguments of the tools are recomputed by executing the
 * plan again.
 *
 * @example
 * ```ts
 * const recorded = await journal.read("run-1");
 * const cassette = await toRunCassette(recorded, { plan });
 * ```
 *
 * @see docs/how-to/test-a-chain.md
 */
export async function toRunCassette(
  { run, events }: { readonly run: StoredRun; readonly events: readonly JournalEvent[] },
  options: RunCassetteOptions,
): Promise<RunCassette> {
  if (run.status === "running" || run.status === "waiting")
    throw fail(`run ${run.id} is not finished (${run.status}); only a finished run can become a cassette`, {
      code: "validation_error",
      reason: "run_not_over",
    });
  const { plan, redactor = createRedactor(processSecrets()) } = options;
  // The journal data of a settled event is its outcome.
  const settled = events.flatMap(({ kind, key, at, data }) =>
    kind === "settled" ? { key, at, outcome: data as HostOutcome } : [],
  );
  const input: unknown = JSON.parse(run.input);
  const { context, env } = parseRunEnvironment(run.context);
  const calls: RecordedCall[] = [];
  const host = new ReplayHost({
    runId: run.id,
    startedAt: run.startedAt,
    settled,
    onStart: (key, { tool, args }) => {
      calls.push({ key, step: stepPathOfKey(key), tool, args: logValue(args, redactor) });
    },
  });
  const { status, output } = await interpret({ plan, host, input, env, context, listener: undefined });
  const { id: runId, name: chain, startedAt } = run;
  return { runId, chain, startedAt, input, context, env, status, output, calls, settled };
}
