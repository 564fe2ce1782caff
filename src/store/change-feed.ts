import type { Approval, ApprovalStatus } from "./approvals.ts";
import type { JournalEvent, RunKindId, RunStatus, StoredRun } from "./run-journal.ts";

/**
 * A position in the changes of a workspace: all journal events up to a number, and all other changes up to a number. Both
 * numbers only increase, in the order of the commits.
 */
export interface FeedPosition {
  readonly event: number;
  readonly change: number;
}

/** A position to continue at; without `change`, the one directly after that event. */
export interface FeedCursor extends Pick<FeedPosition, "event"> {
  readonly change?: number | undefined;
}

/** A run in a feed: as it is now. */
export interface FeedRun extends Pick<
  StoredRun,
  "id" | "kind" | "name" | "startedAt" | "finishedAt" | "error" | "rerunOf" | "calledBy"
> {
  readonly conversationId?: string;
}

/** A journal event in a feed. */
export interface FeedEvent {
  readonly kind: "event";
  readonly runId: string;
  readonly runKind: RunKindId;
  readonly event: JournalEvent;
  /** The output of its call is too large for a feed. */
  readonly isCut?: true;
}

/** A change of a run other than its events. */
export interface FeedRunChange {
  readonly kind: "run";
  /** Its status after the change; later changes follow. */
  readonly status: RunStatus;
  /** True if it waited for a decision or a time. */
  readonly isSuspended: boolean;
  readonly run: FeedRun;
}

/** A change of an approval. */
export interface FeedApprovalChange {
  readonly kind: "approval";
  /** Its status after the change; later changes follow. */
  readonly status: ApprovalStatus;
  /** The approval as it is now. Without its arguments if they are too large for a feed. */
  readonly approval: Approval;
}

/** One committed change, and the position after it. */
export type FeedChange = { readonly position: FeedPosition } & (FeedEvent | FeedRunChange | FeedApprovalChange);

/** The changes that a reader wants. */
export interface FeedFilter {
  /** Changes of all runs, without their events. */
  readonly runs: boolean;
  /** Changes of all approvals. */
  readonly approvals: boolean;
  /** Everything about these runs: their changes, events and approvals. */
  readonly runIds: readonly string[];
}

/** Changes in the order of their commits, and the position after them. */
export interface FeedPage {
  readonly changes: readonly FeedChange[];
  readonly position: FeedPosition;
  /** There were no more changes. */
  readonly isLast: boolean;
}

/** The end of a feed. */
export interface FeedHead extends FeedPosition {
  /** Identifies the feed: positions of another one mean nothing here. */
  readonly id: string;
}

/**
 * The committed changes of runs and approvals, in one order: those of other processes on the same store too. Every
 * implementation passes `test/conformance/change-feed.ts`.
 */
export interface ChangeFeed {
  head(): Promise<FeedHead>;
  /**
   * Returns the next changes after a position. Undefined if the feed no longer has all of them, or never had the position.
   * All changes of one run are available as long as the run is.
   */
  read(after: FeedCursor, filter: FeedFilter): Promise<FeedPage | undefined>;
  /** Returns the position before the first change of these runs; the end of the feed if there is none. */
  startOf(runIds: readonly string[]): Promise<FeedPosition>;
  /** Calls `changed` after changes, until the returned function is called. */
  watch(changed: () => void): () => void;
}

/** The position before everything. */
export const feedStart: FeedPosition = { event: 0, change: 0 };

/** Maximum number of journal events, and of other changes, in one page of a feed. */
export const changesPerPage = 200;

/** Maximum length of the JSON of an event, and of the arguments of an approval, in a feed. */
export const maxFeedData: number = 64 * 1024;
