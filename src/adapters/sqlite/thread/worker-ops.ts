import type { MessagePort } from "node:worker_threads";
import type { FailureCode } from "../../../base/index.ts";
import type { AccessOps } from "../access/access-ops.ts";
import type { TriggerOps } from "../triggers/trigger-table.ts";
import type { DeliveryOps } from "../journal/delivery-table.ts";
import type {
  Approval,
  ApprovalRequest,
  ApprovalStatus,
  ConversationQuery,
  ConversationRemoval,
  Decision,
  EventDelivery,
  ExecutableRun,
  ExecutableRunQuery,
  ExternalEvent,
  FeedCursor,
  FeedFilter,
  FeedHead,
  FeedPage,
  FeedPosition,
  FeedRun,
  FinishedRunQuery,
  NewExternalEvent,
  PagePosition,
  RecordQuery,
  RunCursor,
  RunStatus,
  RunQuery,
  StoredConversation,
  RunUpdate,
  Tallies,
  ToolTally,
} from "../../../store/index.ts";

/** Value of a column. */
export type SqlValue = string | number | null;

/** The values of one row. */
export type SqlRow = readonly SqlValue[];

/** A record to be written. */
export type RecordWrite = readonly [kind: "record", ...values: SqlRow];

/**
 * A run to be created: its values in the order of `newRunColumns`, its definition, its lease holder, and its first
 * events.
 */
export type RunWrite = readonly [
  kind: "run",
  values: SqlRow,
  definition: string,
  /** Null if any worker may claim it. */
  owner: string | null,
  events: readonly EventValues[],
];

/** An event of a run. */
export type EventWrite = readonly [
  kind: "event",
  runId: string,
  epoch: number,
  values: EventValues,
  /** In the order of `recordColumns`. Without an output if the event contains it. */
  record: SqlRow | null,
];

/** The columns of an event. `large` is stored as a blob: the output if there is an `outputAt`, else all data. */
export type EventValues = readonly [
  seq: number,
  kind: string,
  key: string,
  at: number,
  data: string | null,
  outputAt: string | null,
  large: string | null,
];

/** The end or release of a run. */
export type EndWrite = readonly [
  kind: "end",
  runId: string,
  epoch: number,
  status: string,
  finishedAt: number | null,
  output: string | null,
  error: string | null,
  /** The turn that the run adds to its conversation. */
  turn: string | null,
  metrics: string | null,
  /** JSON. */
  waitsFor: string | null,
  /** JSON: the channels that its end is delivered to. */
  channels: string | null,
];

/** Any write to the database. */
export type Write = RecordWrite | RunWrite | EventWrite | EndWrite;

/**
 * Why a write was rejected; the others of its batch were committed. `lost`: its lease is no longer the run's; `gap`: it
 * does not follow the last event, whose number is returned; `taken`: a run with this id exists. `woken`: the run was
 * suspended, and is executable at once.
 */
export type WriteAnswer = readonly [index: number, reason: "lost" | "gap" | "taken" | "woken", last: number];

/** Writes that are committed together, in order, exactly once. */
export interface Batch {
  /** The store that sends it. */
  readonly writer: string;
  /** Counts the batches of that store from 1. A repeated batch keeps its number. */
  readonly number: number;
  readonly now: number;
  readonly writes: readonly Write[];
}

/** An approval to find or to create. */
export interface ApprovalRequestRow {
  readonly id: string;
  readonly now: number;
  /** `args` is their JSON text. */
  readonly request: Omit<ApprovalRequest, "args"> & { readonly args: string | null };
}

/** The name of a lease holder, and the silence after which it has lost its runs. */
export interface OwnerQueryRow {
  readonly owner: string;
  readonly now: number;
  readonly silenceMs: number;
}

/** A run that a lease holder of this process wants to claim. */
export interface ClaimRequestRow extends OwnerQueryRow {
  readonly runId: string;
  /** True if this lease holder has stopped executing it after a failed write, although the database still names it. */
  readonly gaveUp: boolean;
  /** Also claim a run that has failed. */
  readonly reopen: boolean;
}

/** Outcome of a claim, with the state of the run. */
export interface ClaimReply {
  readonly kind: "claimed" | "held" | "finished" | "unknown";
  /** Status of the run before the claim. */
  readonly was: RunStatus;
  readonly found: RunRows | undefined;
}

/** A cancellation request. */
export interface CancelRequestRow {
  readonly runId: string;
  readonly by: string | null;
}

/** A run in the order of `runColumns`, and its events in the order of `eventColumns`. */
export interface RunRows {
  readonly run: SqlRow;
  readonly events: readonly SqlRow[];
}

/** Limits that pruning has to reach. */
export interface PruneLimits {
  /** Epoch milliseconds. */
  readonly before: number;
  readonly maxBytes: number;
  readonly upTo: number;
  readonly upToRun: number;
}

/** Size of one pruning step. */
export interface PruneStepSize {
  /** Maximum number of rows or pages. */
  readonly rows: number;
  /** True if there is hardly any space: the log is emptied before the step. */
  readonly isTight: boolean;
}

/** Result of one pruning step. */
export interface PruneStep {
  readonly records: number;
  readonly runs: number;
  /** True if nothing remains to be done. */
  readonly done: boolean;
}

/** The database to write to. */
export interface WriterFile {
  readonly file: string;
  readonly now: number;
  /** Lease holders of this store that another connection has registered. */
  readonly owners: readonly string[];
}

/** Operations of the writer, executed one after another. Times are epoch milliseconds. */
export interface WriterOps extends AccessOps, TriggerOps, DeliveryOps {
  open(at: WriterFile): void;
  commit(batch: Batch): readonly WriteAnswer[];
  claimRun(query: ClaimRequestRow): ClaimReply;
  getRun(which: { readonly runId: string; readonly events: boolean }): RunRows | undefined;
  /** Adds a turn without a run. */
  addTurn(turn: TurnWrite): void;
  deliverEvent(event: NewExternalEvent): EventDelivery;
  /** The external events of a run after a position. */
  inbox(which: { readonly runId: string; readonly after: number }): readonly ExternalEvent[];
  /** Hides the runs of a conversation and those that they called; `removePruned` removes their data. */
  removeConversation(which: { readonly conversationId: string }): ConversationRemoval;
  /** Removes some data of hidden runs; returns the number of rows, 0 if there are no more. */
  removePruned(which: null): number;
  cancelRun(which: { readonly runId: string; readonly by: string | null }): boolean;
  /** Records a heartbeat of the lease holder; returns its runs with a cancellation request. */
  heartbeat(which: { readonly owner: string; readonly now: number }): readonly CancelRequestRow[];
  requestApproval(query: ApprovalRequestRow): Approval;
  consumeApproval(which: { readonly key: string; readonly now: number }): boolean;
  restoreApproval(which: { readonly key: string }): void;
  decideApproval(which: {
    readonly id: string;
    readonly now: number;
    readonly decision: Decision;
  }): Approval | undefined;
  getApproval(which: { readonly id: string; readonly now: number }): Approval | undefined;
  listApprovals(which: { readonly now: number; readonly status: ApprovalStatus | undefined }): readonly Approval[];
  /** The numbers of the newest record and run; 0 if there is none. */
  lastNumbers(which: null): { readonly upTo: number; readonly upToRun: number };
  /** Removes some of the oldest records and runs with numbers up to these. */
  removeOldest(limits: PruneLimits & PruneStepSize): PruneStep;
  /** Returns some free pages to the file system and the number of bytes; 0 if there are none. */
  shrink(size: PruneStepSize): number;
  close(which: { readonly writer: string }): void;
}

/** Query for a page of records. */
export type PageQueryRow = Omit<RecordQuery, "cursor" | "limit"> & {
  readonly limit: number;
  readonly after: PagePosition | undefined;
};

/** Rows of a page in the order of `recordColumns`, and the start of the next page. */
export interface PageRows {
  readonly rows: readonly SqlRow[];
  readonly next: PagePosition | undefined;
}

/** Query for a list of runs. */
export type RunsQueryRow = RunQuery & { readonly limit: number; readonly now: number; readonly silenceMs: number };

/** Query for a page of executable runs. */
export type ExecutableQueryRow = ExecutableRunQuery & Pick<RunsQueryRow, "now" | "silenceMs">;

/** An executable run. */
export interface ExecutableRow extends Pick<ExecutableRun, "id" | "kind" | "deaths"> {
  readonly number: number;
}

/** Query for updates of runs. */
export interface UpdatesQueryRow {
  readonly cursors: readonly RunCursor[];
  readonly now: number;
}

/** The state of a run, and events in the order of `eventColumns`. */
export interface UpdateRow {
  readonly state: Pick<RunUpdate, "kind" | "status" | "epoch"> & { readonly suspended: number };
  readonly events: readonly SqlRow[];
}

/** A turn without a run; null `after` means after the last one. */
export interface TurnWrite {
  readonly conversationId: string;
  readonly after: number | null;
  readonly at: number;
  readonly data: string;
}

/** Query for a page of conversations. */
export type ConversationsQueryRow = ConversationQuery & Pick<Required<ConversationQuery>, "before">;

/** Query for turns by number, both bounds included. */
export interface TurnsQueryRow {
  readonly conversationId: string;
  readonly from: number;
  readonly to: number;
  /** Maximum number of turns, of which the last ones are returned; -1 for all. */
  readonly last: number;
}

/** Query for changes of runs and approvals. */
export interface ChangesQueryRow {
  readonly after: FeedCursor;
  readonly filter: FeedFilter;
}

/** The end of the feed, its id, and the last event that was removed. */
export interface FeedHeadRow extends FeedHead {
  readonly floor: number;
}

/** A change; an event in the order of `eventColumns`, without the last two. */
export type ChangeRow = { readonly position: FeedPosition } & (
  | {
      readonly kind: "event";
      readonly runId: string;
      readonly runKind: string;
      readonly isCut: boolean;
      readonly event: SqlRow;
    }
  | {
      readonly kind: "run";
      readonly status: string;
      readonly isSuspended: boolean;
      readonly run: { readonly [K in keyof Required<FeedRun>]: K extends "kind" ? string : FeedRun[K] };
    }
  | { readonly kind: "approval"; readonly status: string; readonly approval: Approval }
);

/** A page of changes, and the position after it. */
export interface ChangesRows extends Pick<FeedPage, "position" | "isLast"> {
  readonly rows: readonly ChangeRow[];
}

/** Row counts of the tables. */
export interface RowCounts {
  readonly records: number;
  readonly runs: number;
  readonly approvals: number;
  readonly runsByStatus: Readonly<Record<string, number>>;
}

/** State of a database file. */
export interface FileCheck {
  /** Version of its tables. */
  readonly version: number;
  /** Faults found by SQLite; normally empty. */
  readonly faults: readonly string[];
}

/** Operations of the reader thread. It never writes to the database. */
export interface ReaderOps {
  open(at: { readonly file: string }): void;
  page(query: PageQueryRow): PageRows;
  summary(which: { readonly conversationId: string }): readonly ToolTally[];
  statistics(which: Pick<RecordQuery, "since" | "until" | "tool">): Tallies;
  run(which: { readonly runId: string }): RunRows | undefined;
  /** Runs in the order of `runColumns`. */
  runs(query: RunsQueryRow): readonly SqlRow[];
  executable(query: ExecutableQueryRow): readonly ExecutableRow[];
  updates(query: UpdatesQueryRow): readonly (UpdateRow | null)[];
  feedHead(which: null): FeedHeadRow;
  feedStart(which: { readonly runIds: readonly string[] }): FeedPosition;
  /** Undefined if they are not all there. */
  feedChanges(query: ChangesQueryRow): ChangesRows | undefined;
  /** A number that changes when another connection has written to the database. */
  dataVersion(which: null): number;
  /** Finished runs in the order of `finishedRunColumns`. */
  finishedRuns(query: Required<FinishedRunQuery>): readonly SqlRow[];
  conversations(query: ConversationsQueryRow): readonly StoredConversation[];
  /** Turns in the order of `turnColumns`. */
  turns(query: TurnsQueryRow): readonly SqlRow[];
  isOwnerGone(query: OwnerQueryRow): boolean;
  counts(which: null): RowCounts;
  /** Reads the whole file and reports its faults. */
  check(which: null): FileCheck;
  /** Writes a consistent copy into a file that does not exist yet. */
  copy(to: { readonly target: string }): void;
  close(which: null): void;
}

/** Any set of operations: one argument in, plain data out. */
export type Ops<O> = { readonly [K in keyof O]: (body: never) => unknown } & { readonly close: (body: never) => void };

/** Start data of a worker. */
export interface WorkerStart {
  /** Receives requests and sends replies. */
  readonly port: MessagePort;
  /** A number that grows with every reply, for a main thread that waits without a turn of its event loop. */
  readonly progress: Int32Array;
}

/** A request for one operation of a worker. */
export interface OpRequest {
  readonly id: number;
  readonly op: string;
  readonly body: unknown;
}

/** Reply to an operation request. */
export type OpReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: PlainFailure };

/** A failure that can cross threads. */
export interface PlainFailure {
  readonly code: FailureCode;
  readonly message: string;
  readonly reason: string | undefined;
}
