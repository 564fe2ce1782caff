import { type Clock, systemClock } from "../../../base/index.ts";
import type { RunListener, RunEvent } from "../../../chain/index.ts";
import type { Terminal } from "../terminal.ts";
import type { Screen } from "../screen.ts";
import { LiveView } from "./live-view.ts";
import { RunRows, reasonOf, skipNote, waitText, withheldNote } from "./run-rows.ts";
import { treeLines } from "./tree-lines.ts";
import { formatDuration } from "../../../text/index.ts";
import { formatCount, formatRetries, clockTime } from "../format-figures.ts";
import { toOneLine } from "../format-table.ts";
import { shortText } from "../short-text.ts";
import type { Redactor } from "../../../secrets/index.ts";
import { toWireRunEvent } from "../../../app/index.ts";
import { safeJson } from "../safe-json.ts";

/** Shows the progress of a run. */
export interface RunView {
  readonly onEvent: RunListener;
  /** Pauses the view for a prompt; the returned function resumes it. */
  pause(): () => void;
  /** Leaves the current output unchanged; has no effect the second time. */
  close(): void;
}

/** A live tree at a terminal; otherwise a line per event. */
export function openRunView(terminal: Terminal, clock: Clock = systemClock): RunView {
  const { screen } = terminal;
  return screen === undefined ? plainView(terminal) : treeView(screen, { terminal, clock });
}

/** Draws the steps of a run as a tree in place. */
export function treeView(
  screen: Screen,
  { terminal, clock }: { readonly terminal: Pick<Terminal, "tint">; readonly clock: Clock },
): RunView {
  const rows = new RunRows(() => clock.elapsed());
  const picture = new LiveView(screen, {
    clock,
    minLines: 4,
    lines: ({ live: foot, ...shape }) =>
      treeLines(rows, { ...shape, foot, now: clock.elapsed(), tint: (style, text) => terminal.tint(style, text) }),
  });
  return {
    onEvent: (event) => {
      if (picture.closed) return;
      rows.apply(event);
      if (event.type === "run-started") picture.begin();
    },
    pause: () => picture.pause(),
    close: () => picture.close(),
  };
}

/** Minimum interval between progress reports of one step. */
const progressEveryMs = 1000;

/** Prints a line with the time for every event: for files, pipes and other programs. */
export function plainView(terminal: Pick<Terminal, "log">): RunView {
  const lines = new RunLines();
  return {
    onEvent: (event) => {
      for (const line of lines.of(event)) terminal.log(`${clockTime(event.at)} ${line}`);
    },
    pause: () => () => {},
    close: () => {},
  };
}

/** Formats the events of one run as lines. */
export class RunLines {
  /** Number of steps that ended before this process claimed the run. */
  #before = 0;
  readonly #progressAt = new Map<string, number>();
  readonly #items = new Map<string, { done: number; reported: number }>();
  /** Number of retries by step. */
  readonly #retries = new Map<string, number>();
  /** Steps that start once they are approved. */
  readonly #request = new Set<string>();

  of(event: RunEvent): readonly string[] {
    if (event.type === "step-retrying") this.#retries.set(event.step, (this.#retries.get(event.step) ?? 0) + 1);
    if ("replayed" in event && event.replayed) {
      if (event.type === "step-finished") this.#before++;
      if (event.type === "step-started" && event.needsApproval === true) this.#request.add(event.step);
      if (event.type === "step-approval-decided") this.#request.delete(event.step);
      // Counted, but not reported.
      if (event.type === "item-finished") this.#item(event);
      return event.type === "run-started" ? this.#line(event) : [];
    }
    const before = this.#before === 0 ? [] : [`${formatCount(this.#before, "step")} done earlier`];
    this.#before = 0;
    return [...before, ...this.#line(event)];
  }

  #line(event: RunEvent): readonly string[] {
    switch (event.type) {
      case "run-started":
        return [`${toOneLine(event.chain)}: run ${toOneLine(event.runId)}, ${formatCount(event.steps.length, "step")}`];
      case "run-finished":
      case "item-started":
        return [];
      case "step-progress":
        return this.#progress(event);
      case "item-finished":
        return this.#item(event);
      case "step-started":
        if (event.needsApproval !== true) return [startOf(event)];
        this.#request.add(event.step);
        return [];
      case "step-approval-decided":
        return [`${toOneLine(event.step)}: ${decisionOf(event)}`, ...this.#released(event)];
      case "step-finished":
        return [`${toOneLine(event.step)}: ${endOf(event, this.#retries.get(event.step) ?? 0)}`];
      default:
        return [`${toOneLine(event.step)}: ${newsOf(event)}`];
    }
  }

  /** A step that only waited for approval starts now. */
  #released(event: Extract<RunEvent, { type: "step-approval-decided" }>): readonly string[] {
    return this.#request.delete(event.step) && event.status === "approved" ? [startOf(event)] : [];
  }

  #progress({ step, at, value }: Extract<RunEvent, { type: "step-progress" }>): readonly string[] {
    if (at - (this.#progressAt.get(step) ?? -Infinity) < progressEveryMs) return [];
    this.#progressAt.set(step, at);
    return [`${toOneLine(step)}: · ${shortText(value)}`];
  }

  /** Reports every failure, and every tenth of the rest. */
  #item({ step, item, of, status }: Extract<RunEvent, { type: "item-finished" }>): readonly string[] {
    const items = this.#items.get(step) ?? { done: 0, reported: 0 };
    this.#items.set(step, items);
    items.done++;
    const lines = status === "failed" ? [`${toOneLine(step)}: item ${item} failed`] : [];
    const part = Math.floor((items.done / of) * 10);
    if (part > items.reported) {
      items.reported = part;
      lines.push(`${toOneLine(step)}: ${items.done}/${of}`);
    }
    return lines;
  }
}

type StepNews = Exclude<
  RunEvent,
  {
    readonly type:
      | "run-started"
      | "run-finished"
      | "step-progress"
      | "item-started"
      | "item-finished"
      | "step-started"
      | "step-approval-decided"
      | "step-finished";
  }
>;

function startOf({ step, tool }: { readonly step: string; readonly tool: string }): string {
  return `${toOneLine(step)}: started ${toOneLine(tool)}`;
}

function decisionOf({ status, by }: Extract<RunEvent, { type: "step-approval-decided" }>): string {
  return `${status}${by === undefined ? "" : ` by ${toOneLine(by)}`}`;
}

function newsOf(event: StepNews): string {
  switch (event.type) {
    case "step-retrying":
      return `retry ${event.attempt} in ${formatDuration(event.delayMs)}; ${reasonOf(event.error)}`;
    case "step-fallback":
      return `fallback ${toOneLine(event.fallbackTool)} is used; ${reasonOf(event.error)}`;
    case "step-waiting":
      return waitText(event);
    case "step-suspended":
      return `waits for approval ${toOneLine(event.approvalId ?? "")}: ${toOneLine(event.message)}`;
    default:
      return event satisfies never;
  }
}

/** Shorter waits are not mentioned. */
const noticeableMs = 100;

function endOf(event: Extract<RunEvent, { type: "step-finished" }>, retries: number): string {
  const { status, durationMs, queuedMs = 0, cached, error, skip } = event;
  if (skip !== undefined) return `skipped: ${skipNote(skip)}`;
  if (event.dryRun === true) return withheldNote;
  const tries = retries > 0 ? `, after ${formatRetries(retries)}` : "";
  const why = error === undefined ? "" : `; ${reasonOf(error)}`;
  const waited = queuedMs < noticeableMs ? "" : `, waited ${formatDuration(queuedMs)}`;
  return `${status} in ${formatDuration(durationMs)}${waited}${cached ? ", cached" : ""}${tries}${why}`;
}

/** Prints all events as JSON on stdout, one per line, with secrets redacted. */
export function eventsView(terminal: Pick<Terminal, "print">, redactor: Redactor): RunView {
  return {
    onEvent: (event) => terminal.print(safeJson(toWireRunEvent(event, redactor), 0)),
    pause: () => () => {},
    close: () => {},
  };
}
