import type { Redactor } from "../../secrets/index.ts";
import type { AgentEvent, AgentEventOf, AgentListener } from "../events/agent-event.ts";

/** A progress text of a call. */
type Report = AgentEventOf<"tool-progress"> & { readonly value: string };

/** Shows the progress texts of calls without secrets, also if a secret arrives in pieces. */
export class RedactedProgress {
  readonly #listener: AgentListener;
  readonly #redactor: Redactor;
  readonly #open = new Map<string, Reports>();

  constructor(listener: AgentListener, redactor: Redactor) {
    this.#listener = listener;
    this.#redactor = redactor;
  }

  /** Receives every event; true if it has handled the event. */
  takes(event: AgentEvent): boolean {
    if (isReport(event)) return this.#redactor.knowsAny() && this.#take(event);
    if (this.#open.size === 0) return false;
    if (event.type === "tool-finished") this.#end(callOf(event));
    else if (event.type === "run-finished") for (const call of this.#open.keys()) this.#end(call);
    return false;
  }

  #take(report: Report): true {
    const call = callOf(report);
    const reports = this.#open.get(call) ?? new Reports(this.#listener, this.#redactor);
    this.#open.set(call, reports);
    reports.add(report);
    return true;
  }

  #end(call: string): void {
    this.#open.get(call)?.end();
    this.#open.delete(call);
  }
}

/**
 * The progress texts of one call. A text that may end in the middle of a secret waits for the next one, or for the end
 * of the call. Each is shown whole: half a figure is a different figure.
 */
class Reports {
  readonly #listener: AgentListener;
  readonly #redactor: Redactor;
  #waiting: Report[] = [];
  #text = "";

  constructor(listener: AgentListener, redactor: Redactor) {
    this.#listener = listener;
    this.#redactor = redactor;
  }

  add(report: Report): void {
    this.#waiting.push(report);
    this.#text += report.value;
    if (!this.#isOpen()) this.end();
  }

  /** True if the text may end in the middle of a secret. */
  #isOpen(): boolean {
    const stream = this.#redactor.knownStream();
    stream.write(this.#text);
    return stream.end() !== "";
  }

  end(): void {
    const waiting = this.#waiting;
    const text = this.#text;
    const last = waiting.at(-1);
    if (last === undefined) return;
    this.#waiting = [];
    this.#text = "";
    const { known } = this.#redactor;
    const isTorn = waiting.map(({ value }) => known(value)).join("") !== known(text);
    // A secret spans several reports, so they are shown as one text.
    if (isTorn) this.#show(last, text);
    else for (const report of waiting) this.#show(report, report.value);
  }

  #show(report: Report, text: string): void {
    const value = this.#redactor.text(text);
    this.#listener(value === report.value ? report : { ...report, value });
  }
}

function isReport(event: AgentEvent): event is Report {
  return event.type === "tool-progress" && typeof event.value === "string";
}

function callOf({ part, round, callId }: AgentEventOf<"tool-progress" | "tool-finished">): string {
  return `${part}.${round} ${callId}`;
}
