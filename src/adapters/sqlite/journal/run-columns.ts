import type {
  FinishedRun,
  JournalEvent,
  NewRun,
  RunKindId,
  RunStatus,
  RunWait,
  StoredRun,
  ConversationTurn,
} from "../../../store/index.ts";
import { checkStorable } from "../database/check-storable.ts";
import { type ExtractedOutput, restoreOutput } from "./extracted-output.ts";
import type { EventValues, RunRows, RunWrite, SqlRow, SqlValue } from "../thread/worker-ops.ts";

/** The columns of a new run, in order. */
export const newRunColumns: readonly string[] =
  "id kind name input context format fingerprints started_at rerun_of called_by conversation after_turn".split(" ");

/** The columns of a run, in order. */
export const runColumns: readonly string[] = [
  ...newRunColumns.map((column) => `runs.${column}`),
  "(SELECT data FROM blobs WHERE number = runs.definition)",
  "runs.status",
  "runs.finished_at",
  "runs.output",
  "runs.error",
  "runs.cancel_requested",
  "runs.cancel_by",
  "runs.epoch",
  "runs.lease_holder",
  "runs.deaths",
  "runs.waits_for",
];

/** The same with an output of any size. */
export const wholeRunColumns: readonly string[] = runColumns.map((column) =>
  column === "runs.output" ? "ifnull(output, (SELECT data FROM blobs WHERE number = runs.output_blob))" : column,
);

/** The columns of an event, in order. */
export const eventColumns: readonly string[] = [
  "seq",
  "kind",
  "key",
  "at",
  "data",
  "output_at",
  "(SELECT blobs.data FROM blobs WHERE number = run_events.blob)",
];

/** The write that creates a run with its first events. */
export function toRunWrite(run: NewRun, owner: string | null, events: readonly EventValues[]): RunWrite {
  const { id, kind, name, input, context, format, fingerprints, startedAt, conversation } = run;
  const of = [run.rerunOf ?? null, run.calledBy ?? null, conversation?.id ?? null, conversation?.after ?? null];
  const values = [id, kind, name, input, context, Math.trunc(format), fingerprints, startedAt, ...of];
  checkStorable([...values, run.definition, owner]);
  return ["run", values, run.definition, owner, events];
}

/** A run of a row in the order of {@link runColumns}. */
export function toRun(row: SqlRow): StoredRun {
  const [id, kind, name, input, context, format, fingerprints, startedAt, ...more] = row;
  const [rerunOf, calledBy, conversation, after, definition, ...rest] = more;
  const [status, finishedAt, output, error, cancelRequested, cancelBy, epoch, leaseHolder, ...last] = rest;
  const [deaths, waitsFor] = last;
  return {
    id: text(id),
    // Only this store writes the column.
    kind: kind as RunKindId,
    name: text(name),
    definition: text(definition),
    input: text(input),
    context: text(context),
    format: Number(format),
    fingerprints: text(fingerprints),
    startedAt: Number(startedAt),
    ...(typeof rerunOf === "string" && { rerunOf }),
    ...(typeof calledBy === "string" && { calledBy }),
    ...(typeof conversation === "string" && { conversation: { id: conversation, after: Number(after) } }),
    // Only this store writes the column.
    status: status as RunStatus,
    // Written by this store.
    ...(typeof waitsFor === "string" && { waitsFor: JSON.parse(waitsFor) as RunWait }),
    ...(typeof finishedAt === "number" && { finishedAt }),
    ...(typeof output === "string" && { output }),
    ...(typeof error === "string" && { error }),
    cancelRequested: cancelRequested === 1,
    ...(typeof cancelBy === "string" && { cancelBy }),
    ...(typeof leaseHolder === "string" && { leaseHolder }),
    epoch: Number(epoch),
    deaths: Number(deaths),
  };
}

/** The columns of a finished run for statistics, in order. */
export const finishedRunColumns: readonly string[] = ["name", "status", "started_at", "finished_at", "metrics"];

/** A finished run of a row in the order of {@link finishedRunColumns}. */
export function toFinishedRun([chain, status, startedAt, finishedAt, metrics]: SqlRow): FinishedRun {
  return {
    chain: text(chain),
    // Only this store writes the column.
    status: status as FinishedRun["status"],
    startedAt: Number(startedAt),
    finishedAt: Number(finishedAt),
    ...(typeof metrics === "string" && { metrics }),
  };
}

/** The columns of a turn, in order. */
export const turnColumns: readonly string[] = ["number", "after", "run_id", "at", "data"];

/** A turn of a row in the order of {@link turnColumns}. */
export function toTurn([number, after, runId, at, data]: SqlRow): ConversationTurn {
  return {
    number: Number(number),
    after: Number(after),
    ...(typeof runId === "string" && { runId }),
    at: Number(at),
    data: text(data),
  };
}

/** A run and its events. */
export function toRunAndEvents({ run, events }: RunRows): { run: StoredRun; events: JournalEvent[] } {
  return { run: toRun(run), events: events.map(toEvent) };
}

/** An event of a row in the order of {@link eventColumns}. */
export function toEvent([seq, kind, key, at, data, outputAt, large]: SqlRow): JournalEvent {
  const positioned: ExtractedOutput = { data: nullable(data), outputPath: nullable(outputAt), large: nullable(large) };
  return {
    seq: Number(seq),
    // Only this store writes the column.
    kind: kind as JournalEvent["kind"],
    key: text(key),
    at: Number(at),
    data: restoreOutput(positioned),
  };
}

function text(value: SqlValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function nullable(value: SqlValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}
