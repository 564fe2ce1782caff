import type { MessagePort } from "node:worker_threads";
import type { FailureCode } from "../../base/index.ts";
import type {
  Approval,
  ApprovalRequest,
  ApprovalStatus,
  Decision,
  PagePosition,
  RecordQuery,
  RunOwner,
  RunStatus,
  RunQuery,
  Tallies,
  ToolTally,
} from "../../store/index.ts";

/** What a column holds. */
export type SqlValue = string | number | null;

/** The values of one row. */
export type SqlRow = readonly SqlValue[];

/** A record on its way into the database. */
export type RecordWrite = readonly [kind: "record", ...values: SqlRow];

/**
 * A run that is to be made: its values in the order of `newRunColumns`, its definition, who executes it, and what has
 * happened to it already.
 */
export type RunWrite = readonly [
  kind: "run",
  values: SqlRow,
  definition: string,
  owner: RunOwner,
  events: readonly EventValues[],
];

/** What happened to a run. */
export type EventWrite = readonly [
  kind: "event",
  runId: string,
  epoch: number,
  values: EventValues,
  /** In the order of `recordColumns`. Without an output where the event holds it. */
  record: SqlRow | null,
];

/** The columns of an event. `large` goes to the blobs: the output when there is an `outputAt`, else all data. */
export type EventValues = readonly [
  seq: number,
  kind: string,
  key: string,
  at: number,
  data: string | null,
  outputAt: string | null,
  large: string | null,
];

/** A run that ends or is left. */
export type EndWrite = readonly [
  kind: "end",
  runId: string,
  epoch: number,
  status: string,
  finishedAt: number | null,
  output: string | null,
  error: string | null,
  /** What the run adds to its conversation. */
  turn: string | null,
];

/** Something on its way into the database. */
export type Write = RecordWrite | RunWrite | EventWrite | EndWrite;

/**
 * What came of a write that was not done; the others of its batch were. `lost`: its lease is no longer the run's;
 * `gap`: it does not follow the event before, whose number is told; `taken`: there is a run with this id.
 */
export type Answer = readonly [index: number, what: "lost" | "gap" | "taken", last: number];

/** Writes that are committed together, in order, exactly once. */
export interface Batch {
  /** The store that sends it. */
  readonly writer: string;
  /** Counts the batches of that store from 1. A batch that is sent again keeps its number. */
  readonly number: number;
  readonly now: number;
  readonly writes: readonly Write[];
}

/** An approval to find or to make. */
export interface ApprovalAsked {
  readonly id: string;
  readonly now: number;
  /** `args` is their JSON text. */
  readonly request: Omit<ApprovalRequest, "args"> & { readonly args: string | null };
}

/** A run that somebody wants to execute. */
export interface ClaimAsked {
  readonly runId: string;
  readonly owner: RunOwner;
  readonly now: number;
  readonly silenceMs: number;
  /** This owner has given up executing it after a write failed, although the database still names it. */
  readonly gaveUp: boolean;
}

/** Whether the run is now the owner's, and what is known of it. */
export interface ClaimAnswer {
  readonly kind: "claimed" | "held" | "finished" | "unknown";
  /** How the run stood before. */
  readonly was: RunStatus;
  readonly found: RunRows | undefined;
}

/** A cancellation that was asked for. */
export interface CancelAsked {
  readonly runId: string;
  readonly by: string | null;
}

/** A run in the order of `runColumns`, and its events in the order of `eventColumns`. */
export interface RunRows {
  readonly run: SqlRow;
  readonly events: readonly SqlRow[];
}

/** What a pruning may leave. */
export interface PruneLimits {
  /** Epoch milliseconds. */
  readonly before: number;
  readonly maxBytes: number;
  readonly upTo: number;
  readonly upToRun: number;
}

/** What a step of a pruning did. */
export interface PruneStep {
  readonly records: number;
  readonly runs: number;
  /** Nothing is left to do. */
  readonly done: boolean;
}

/** The database to write to. */
export interface WriterFile {
  readonly file: string;
  readonly now: number;
  /** Owners of this store that another connection has written down. */
  readonly owners: readonly string[];
}

/** What is done by whoever writes, one after another. Times are epoch milliseconds. */
export interface WriterOps {
  open(at: WriterFile): void;
  commit(batch: Batch): readonly Answer[];
  claimRun(asked: ClaimAsked): ClaimAnswer;
  getRun(which: { readonly runId: string; readonly events: boolean }): RunRows | undefined;
  /** Adds a turn that is of no run. */
  addTurn(turn: TurnWrite): void;
  cancelRun(which: { readonly runId: string; readonly by: string | null }): boolean;
  /** Notes that the owner is alive; gives its runs that somebody wants cancelled. */
  attend(which: { readonly owner: RunOwner; readonly now: number }): readonly CancelAsked[];
  requestApproval(asked: ApprovalAsked): Approval;
  consumeApproval(which: { readonly key: string; readonly now: number }): boolean;
  restoreApproval(which: { readonly key: string }): void;
  decideApproval(which: {
    readonly id: string;
    readonly now: number;
    readonly decision: Decision;
  }): Approval | undefined;
  getApproval(which: { readonly id: string; readonly now: number }): Approval | undefined;
  listApprovals(which: { readonly now: number; readonly status: ApprovalStatus | undefined }): readonly Approval[];
  /** The numbers of the record and of the run that came last; 0 when there is none. */
  lastNumbers(which: null): { readonly upTo: number; readonly upToRun: number };
  /** Removes some of the oldest records and runs with numbers up to these. */
  removeOldest(limits: PruneLimits): PruneStep;
  /** Gives some free pages back to the disk and says how many bytes; 0 when there are none left. */
  shrink(limits: null): number;
  close(which: { readonly writer: string }): void;
}

/** What is asked of a page of records. */
export type PageAsked = Omit<RecordQuery, "cursor" | "limit"> & {
  readonly limit: number;
  readonly after: PagePosition | undefined;
};

/** Rows of a page in the order of `recordColumns`, and where the page after begins. */
export interface PageRows {
  readonly rows: readonly SqlRow[];
  readonly next: PagePosition | undefined;
}

/** What is asked of a list of runs. */
export type RunsAsked = RunQuery & { readonly limit: number; readonly now: number; readonly silenceMs: number };

/** A turn of no run; `after` the last one where that is null. */
export interface TurnWrite {
  readonly conversationId: string;
  readonly after: number | null;
  readonly at: number;
  readonly data: string;
}

/** Turns that are asked for, by their numbers, both included. */
export interface TurnsAsked {
  readonly conversationId: string;
  readonly from: number;
  readonly to: number;
}

/** How many rows the tables have. */
export interface RowCounts {
  readonly records: number;
  readonly runs: number;
  readonly approvals: number;
}

/** How a database file is. */
export interface FileCheck {
  /** Of its tables. */
  readonly version: number;
  /** What SQLite finds wrong; nothing, as a rule. */
  readonly faults: readonly string[];
}

/** What the reader thread does. It never writes to the database. */
export interface ReaderOps {
  open(at: { readonly file: string }): void;
  page(asked: PageAsked): PageRows;
  summary(which: { readonly conversationId: string }): readonly ToolTally[];
  statistics(which: Pick<RecordQuery, "since" | "until" | "tool">): Tallies;
  run(which: { readonly runId: string }): RunRows | undefined;
  /** Runs in the order of `runColumns`. */
  runs(asked: RunsAsked): readonly SqlRow[];
  /** Turns in the order of `turnColumns`. */
  turns(asked: TurnsAsked): readonly SqlRow[];
  counts(which: null): RowCounts;
  /** Reads the whole file and says what is wrong with it. */
  check(which: null): FileCheck;
  /** Writes a consistent copy into a file that does not exist yet. */
  copy(to: { readonly target: string }): void;
  close(which: null): void;
}

/** Any set of operations: one argument in, plain data out. */
export type Ops<O> = { readonly [K in keyof O]: (body: never) => unknown } & { readonly close: (body: never) => void };

/** What a worker is started with. */
export interface WorkerStart {
  /** Requests come in, replies go out. */
  readonly port: MessagePort;
  /** One number that grows with every reply, for a main thread that has to wait without a turn of its event loop. */
  readonly progress: Int32Array;
}

/** One operation asked of a worker. */
export interface OpRequest {
  readonly id: number;
  readonly op: string;
  readonly body: unknown;
}

/** How the operation ended. */
export type OpReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: PlainFailure };

/** A failure that can cross threads. */
export interface PlainFailure {
  readonly code: FailureCode;
  readonly message: string;
  readonly reason: string | undefined;
}
