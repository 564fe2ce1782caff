import type { RunEvent } from "../../chain/index.ts";
import { formatDuration } from "../../text/index.ts";
import { formatCount } from "../format-figures.ts";
import { oneLine } from "../format-table.ts";
import { shortText } from "../short-text.ts";
import type { Terminal } from "../terminal.ts";
import { clockTime } from "./clock-time.ts";
import { reasonOf, skipNote } from "./run-rows.ts";
import type { RunView } from "./run-view.ts";

/** Progress of one step is told no more often. */
const progressEveryMs = 1000;

/** A line with the time for everything that happens: for files, pipes and other programs. */
export function plainView(terminal: Pick<Terminal, "tell">): RunView {
  const lines = new PlainLines();
  return {
    onEvent: (event) => {
      for (const line of lines.of(event)) terminal.tell(`${clockTime(event.at)} ${line}`);
    },
    pause: () => () => {},
    close: () => {},
  };
}

/** What is told of the events of a run. */
class PlainLines {
  /** Steps that were over before this process took up the run. */
  #before = 0;
  readonly #progressAt = new Map<string, number>();
  readonly #items = new Map<string, { done: number; told: number }>();
  /** Steps that begin when a person has let them. */
  readonly #asking = new Set<string>();

  of(event: RunEvent): readonly string[] {
    if ("replayed" in event && event.replayed) {
      if (event.type === "step-finished") this.#before++;
      if (event.type === "step-started" && event.asks === true) this.#asking.add(event.step);
      if (event.type === "step-decided") this.#asking.delete(event.step);
      // Not told, but counted.
      if (event.type === "item-finished") this.#item(event);
      return event.type === "run-started" ? this.#line(event) : [];
    }
    const before = this.#before === 0 ? [] : [`${formatCount(this.#before, "step")} done before`];
    this.#before = 0;
    return [...before, ...this.#line(event)];
  }

  #line(event: RunEvent): readonly string[] {
    switch (event.type) {
      case "run-started":
        return [`${oneLine(event.chain)}: run ${oneLine(event.runId)}, ${formatCount(event.steps.length, "step")}`];
      case "run-finished":
        return [];
      case "step-progress":
        return this.#progress(event);
      case "item-finished":
        return this.#item(event);
      case "step-started":
        if (event.asks !== true) return [startOf(event)];
        this.#asking.add(event.step);
        return [];
      case "step-decided":
        return [`${oneLine(event.step)}: ${decisionOf(event)}`, ...this.#released(event)];
      default:
        return [`${oneLine(event.step)}: ${newsOf(event)}`];
    }
  }

  /** What waited for a person, and only for that, begins now. */
  #released(event: Extract<RunEvent, { type: "step-decided" }>): readonly string[] {
    return this.#asking.delete(event.step) && event.status === "approved" ? [startOf(event)] : [];
  }

  #progress({ step, at, value }: Extract<RunEvent, { type: "step-progress" }>): readonly string[] {
    if (at - (this.#progressAt.get(step) ?? -Infinity) < progressEveryMs) return [];
    this.#progressAt.set(step, at);
    return [`${oneLine(step)}: · ${shortText(value)}`];
  }

  /** Every failure, and every tenth part of the rest. */
  #item({ step, item, of, status }: Extract<RunEvent, { type: "item-finished" }>): readonly string[] {
    const items = this.#items.get(step) ?? { done: 0, told: 0 };
    this.#items.set(step, items);
    items.done++;
    const lines = status === "failed" ? [`${oneLine(step)}: item ${item} failed`] : [];
    const part = Math.floor((items.done / of) * 10);
    if (part > items.told) {
      items.told = part;
      lines.push(`${oneLine(step)}: ${items.done}/${of}`);
    }
    return lines;
  }
}

type StepNews = Exclude<
  RunEvent,
  {
    readonly type: "run-started" | "run-finished" | "step-progress" | "item-finished" | "step-started" | "step-decided";
  }
>;

function startOf({ step, tool }: { readonly step: string; readonly tool: string }): string {
  return `${oneLine(step)}: started ${oneLine(tool)}`;
}

function decisionOf({ status, by }: Extract<RunEvent, { type: "step-decided" }>): string {
  return `${status}${by === undefined ? "" : ` by ${oneLine(by)}`}`;
}

function newsOf(event: StepNews): string {
  switch (event.type) {
    case "step-retrying":
      return `retry ${event.attempt} in ${formatDuration(event.delayMs)}; ${reasonOf(event.error)}`;
    case "step-fallback":
      return `${oneLine(event.fallbackTool)} stands in; ${reasonOf(event.error)}`;
    case "step-waiting":
      return `waits for approval ${oneLine(event.approvalId ?? "")}: ${oneLine(event.message)}`;
    case "step-finished":
      return endOf(event);
    default:
      return event satisfies never;
  }
}

function endOf(event: Extract<RunEvent, { type: "step-finished" }>): string {
  const { status, durationMs, attempts, cached, error, skip } = event;
  if (skip !== undefined) return `skipped: ${skipNote(skip)}`;
  const tries = attempts > 1 ? `, ${attempts} attempts` : "";
  const why = error === undefined ? "" : `; ${reasonOf(error)}`;
  return `${status} in ${formatDuration(durationMs)}${cached ? ", cached" : ""}${tries}${why}`;
}
