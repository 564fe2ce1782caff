import type { MessagePort } from "node:worker_threads";
import type { FailureCode } from "../../base/index.ts";
import type {
  Approval,
  ApprovalRequest,
  ApprovalStatus,
  Decision,
  PagePosition,
  RecordQuery,
  Tallies,
  ToolTally,
} from "../../store/index.ts";

/** What a column holds. */
export type SqlValue = string | number | null;

/** The values of one row. */
export type SqlRow = readonly SqlValue[];

/** A row on its way into the database: which insert, then its values. */
export type Write = readonly [kind: "record", ...values: SqlRow];

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

/** What the writer thread does, one after another. Times are epoch milliseconds. */
export interface WriterOps {
  open(at: { readonly file: string; readonly now: number }): void;
  commit(batch: Batch): void;
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
  /** The number of the record that was written last; 0 when there is none. */
  lastNumber(which: null): number;
  /** Removes some of the oldest records with numbers up to this; says how many, 0 when nothing is left to remove. */
  removeOldest(limits: { readonly before: number; readonly maxBytes: number; readonly upTo: number }): number;
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

/** How many rows the tables have. */
export interface RowCounts {
  readonly records: number;
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
