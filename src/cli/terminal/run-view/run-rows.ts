import {
  type OpenStepWait,
  type RunEvent,
  type SkipReason,
  type StepStatus,
  toLocalTime,
} from "../../../chain/index.ts";
import type { Failure } from "../../../base/index.ts";
import { formatRetries } from "../format-figures.ts";
import { toOneLine } from "../format-table.ts";
import { shortText } from "../short-text.ts";

/** One step of a run as shown. Times are in the clock of the view, not of the run. */
export interface Row {
  readonly path: string;
  readonly label: string;
  readonly depth: number;
  readonly children: Row[];
  tool: string;
  status: StepStatus;
  startedAt: number;
  /** Undefined until it has ended. */
  durationMs: number | undefined;
  /** Retries so far, over all its items and rounds. */
  retries: number;
  /** Note on one line. */
  note: string;
  /** The fallback tool that is used instead of its own. */
  standIn: string | undefined;
  /** Time of the next attempt; undefined if none is pending. */
  retry: { readonly at: number; readonly attempt: number; readonly reason: string } | undefined;
  items: { done: number; failed: number; readonly of: number } | undefined;
  /** True if it ended before this process claimed the run. */
  before: boolean;
}

type StepNews = Extract<RunEvent, { readonly step: string }>;
type Finished = Extract<RunEvent, { readonly type: "step-finished" }>;

/** The events of a run so far as rows of a tree: its steps, and below them those of the chains they call. */
export class RunRows {
  chain = "";
  runId = "";
  startedAt = 0;
  readonly roots: Row[] = [];
  readonly #byPath = new Map<string, Row>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  apply(event: RunEvent): void {
    switch (event.type) {
      case "run-started":
        this.chain = toOneLine(event.chain);
        this.runId = toOneLine(event.runId);
        this.startedAt = this.#now();
        for (const id of event.steps) this.#row(id);
        return undefined;
      case "run-finished":
        return undefined;
      default:
        return this.#step(event, this.#row(event.step));
    }
  }

  /** All rows, parents before their children. */
  *all(rows: readonly Row[] = this.roots): Generator<Row, void, undefined> {
    for (const row of rows) {
      yield row;
      if (row.children.length > 0) yield* this.all(row.children);
    }
  }

  counts(): { readonly total: number; readonly over: number } {
    let over = 0;
    for (const { status } of this.roots) if (isStepFinished(status)) over++;
    return { total: this.roots.length, over };
  }

  #step(event: StepNews, row: Row): void {
    row.tool = toOneLine(event.tool);
    switch (event.type) {
      case "step-started":
        row.status = "running";
        row.startedAt = this.#now();
        return undefined;
      case "step-progress":
        row.status = "running";
        row.retry = undefined;
        row.note = shortText(event.value);
        return undefined;
      case "step-retrying":
        row.status = "running";
        row.retries++;
        row.retry = { at: this.#now() + event.delayMs, attempt: event.attempt, reason: reasonOf(event.error) };
        row.note = "";
        return undefined;
      case "step-fallback":
        row.retry = undefined;
        row.standIn = toOneLine(event.fallbackTool);
        row.note = `fallback ${row.standIn} is used: ${reasonOf(event.error)}`;
        return undefined;
      case "step-suspended":
        row.status = "waiting";
        row.note = waitingNote(event);
        return undefined;
      case "step-waiting":
        row.status = "waiting";
        row.note = waitText(event);
        return undefined;
      case "step-approval-decided":
        row.status = "running";
        row.note = "";
        return undefined;
      case "item-started":
        return undefined;
      case "item-finished":
        return itemFinished(row, event, this.#byPath);
      case "step-finished":
        return finished(row, event);
      default:
        return event satisfies never;
    }
  }

  /** The row of a path, created if it is new. `each[2]/search` is below `each`. */
  #row(path: string): Row {
    const known = this.#byPath.get(path);
    if (known !== undefined) return known;
    const cut = path.lastIndexOf("/");
    const above = cut < 0 ? undefined : /^(.*?)(\[\d+\])?$/s.exec(path.slice(0, cut));
    const parent = above?.[1] === undefined ? undefined : this.#row(above[1]);
    const item = above?.[2] === undefined ? "" : `${above[2]} `;
    const row: Row = {
      path,
      label: toOneLine(item + path.slice(cut + 1)),
      depth: parent === undefined ? 0 : parent.depth + 1,
      children: [],
      tool: "",
      status: "pending",
      startedAt: 0,
      durationMs: undefined,
      retries: 0,
      note: "",
      standIn: undefined,
      retry: undefined,
      items: undefined,
      before: false,
    };
    this.#byPath.set(path, row);
    (parent?.children ?? this.roots).push(row);
    return row;
  }
}

/** True if a step with this status has ended. */
export function isStepFinished(status: StepStatus): boolean {
  return status !== "pending" && status !== "running" && status !== "waiting";
}

/** Short reason why a step was skipped. */
export function skipNote(skip: SkipReason): string {
  if (skip.kind === "condition") return `condition ${toOneLine(skip.condition)} did not hold`;
  return `needs ${toOneLine(skip.step)}, which ${skip.status === "failed" ? "failed" : `was ${skip.status}`}`;
}

/** Note on a step whose call a dry run did not make. */
export const withheldNote = "withheld: this is a dry run";

/** `timeout: the tool took longer than 10 s`. */
export function reasonOf({ code, message }: Failure): string {
  return toOneLine(`${code}: ${message}`);
}

/** `waits for the event payment until 2026-11-27T08:00:00.000+08:00`. */
export function waitText({ event, until }: Pick<OpenStepWait, "event" | "until">): string {
  const end = until === undefined ? "" : ` until ${toLocalTime(until)}`;
  return `waits${event === undefined ? "" : ` for the event ${toOneLine(event)}`}${end}`;
}

function waitingNote({ approvalId, message }: Extract<RunEvent, { readonly type: "step-suspended" }>): string {
  const id = approvalId === undefined ? "" : ` ${toOneLine(approvalId)}`;
  return `waits for approval${id}: ${toOneLine(message)}`;
}

function finished(row: Row, event: Finished): void {
  row.status = event.dryRun === true ? "skipped" : event.status;
  row.durationMs = event.durationMs;
  row.retry = undefined;
  row.before = event.replayed;
  row.note = endNote(row, event);
}

function endNote(row: Row, { status, cached, error, skip, dryRun }: Finished): string {
  if (skip !== undefined) return skipNote(skip);
  if (error !== undefined) return reasonOf(error);
  if (dryRun === true) return withheldNote;
  if (cached) return "cached";
  if (status === "recovered" && row.standIn !== undefined) return `fallback ${row.standIn} used`;
  return row.retries > 0 ? `after ${formatRetries(row.retries)}` : "";
}

function itemFinished(
  row: Row,
  { item, of, status }: Extract<RunEvent, { readonly type: "item-finished" }>,
  byPath: Map<string, Row>,
): void {
  row.items ??= { done: 0, failed: 0, of };
  row.items.done++;
  if (status === "failed") row.items.failed++;
  if (status === "failed" || row.children.length === 0) return;
  // Details of individual items are dropped once they have succeeded.
  const done = `${row.path}[${item}]/`;
  const stored = row.children.filter(({ path }) => !path.startsWith(done));
  for (const child of row.children) if (child.path.startsWith(done)) forget(child, byPath);
  row.children.splice(0, row.children.length, ...stored);
}

function forget(row: Row, byPath: Map<string, Row>): void {
  byPath.delete(row.path);
  for (const child of row.children) forget(child, byPath);
}
