import type { WireValue } from "../../api/index.ts";
import { toWireAgentEvent, toWireRunEvent } from "../../app/index.ts";
import type { AgentEvent } from "../../agent/index.ts";
import type { RunEvent } from "../../chain/index.ts";
import type { Redactor } from "../../secrets/index.ts";
import type { RunKindId } from "../../store/index.ts";
import { asWire } from "../request/as-wire.ts";
import { RunActivity } from "./run-activity.ts";

type WireEvent = Readonly<Record<string, unknown>>;

/** Receives the activity of a run. */
export type ActivityListener = (runId: string, activity: WireValue<"RunActivity">) => void;

/** Fields with values of any size. */
const large = ["input", "output", "value", "args", "prompt"] as const;
const maxEventLength = 64 * 1024;

/** Activity of the runs of this process: reported as it happens, and retained until it is over. */
export class LiveRuns {
  readonly #runs = new Map<string, { readonly kind: RunKindId; readonly activity: RunActivity }>();
  readonly #redactor: Redactor;
  readonly #report: ActivityListener;
  readonly #onRunEvent: ((event: RunEvent) => void) | undefined;

  constructor(redactor: Redactor, report: ActivityListener, onRunEvent?: (event: RunEvent) => void) {
    this.#redactor = redactor;
    this.#report = report;
    this.#onRunEvent = onRunEvent;
  }

  /** Options with which a run is executed, so that its events arrive here. */
  listenTo({ id, kind }: { readonly id: string; readonly kind: RunKindId }): object {
    switch (kind) {
      case "chain":
        return { onEvent: (event: RunEvent) => this.#chain(id, event) };
      case "agent":
        return { onEvent: (event: AgentEvent) => this.#agent(id, event) };
      case "call":
        return {
          onProgress: (value: unknown) =>
            this.#happened(id, kind, { ...now("call_progress"), value: this.#safe(value) }),
        };
    }
  }

  /** The activity of a run that has not ended; undefined if there is none here. */
  snapshot(runId: string): WireValue<"RunSnapshot"> | undefined {
    const run = this.#runs.get(runId);
    if (run === undefined) return undefined;
    return asWire<"RunSnapshot">({ run_id: runId, kind: run.kind, events: run.activity.events() });
  }

  /** A run has ended, or is executed elsewhere. */
  forget(runId: string): void {
    this.#runs.delete(runId);
  }

  #chain(runId: string, event: RunEvent): void {
    this.#onRunEvent?.(event);
    if ("replayed" in event && event.replayed) return;
    this.#happened(runId, "chain", toWireRunEvent(event, this.#redactor));
  }

  #agent(runId: string, event: AgentEvent): void {
    if (event.replayed === true) return;
    this.#happened(runId, "agent", toWireAgentEvent(event));
  }

  #happened(runId: string, kind: RunKindId, event: WireEvent): void {
    const { run_id: _runId, replayed: _replayed, ...rest } = event;
    const shown = withoutLarge(rest);
    let run = this.#runs.get(runId);
    if (run === undefined) this.#runs.set(runId, (run = { kind, activity: new RunActivity() }));
    run.activity.add(shown);
    this.#report(runId, asWire<"RunActivity">({ run_id: runId, kind, event: shown }));
    if (event["type"] === "run_finished") this.#runs.delete(runId);
  }

  #safe(value: unknown): unknown {
    return this.#redactor.value(value);
  }
}

/** The event without values that are too large for a stream. */
function withoutLarge(event: WireEvent): WireEvent {
  const fields = large.filter((name) => lengthOf(event[name]) > maxEventLength);
  if (fields.length === 0) return event;
  const rest = Object.fromEntries(Object.entries(event).filter(([name]) => !fields.some((field) => field === name)));
  return { ...rest, omitted: fields };
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    return Infinity;
  }
}

function now(type: string): WireEvent {
  return { type, at: new Date().toISOString() };
}
