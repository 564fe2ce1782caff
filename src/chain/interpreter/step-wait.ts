import { type Failure, failure } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import type { ExternalWait, HostOutcome } from "../../run/index.ts";
import { parseChainDuration } from "../plan/chain-durations.ts";
import { eventNameRule, isEventName, momentHint, parseMoment } from "../plan/wait-step.ts";
import type { Pending } from "./chain-run.ts";
import type { StepRun } from "./step-run.ts";
import type { OpenStepWait, StepState } from "./step-state.ts";

/** A unit of work that waits for a time or an event. */
export interface WaitingUnit {
  readonly step: StepRun;
  readonly args: unknown;
  waitsFor(wait: { begin(): void; cancel(): void }): void;
  /** It may continue; `waitedMs` does not count as its own time. */
  resumed(waitedMs: number): void;
  succeeded(output: unknown): void;
  fail(error: Failure): void;
  cancelled(): void;
}

/** Begins the wait that the arguments of a unit describe. */
export function beginStepWait(unit: WaitingUnit, key: string): void {
  const request = resolveWait(unit.args);
  const skip = unit.step.state.step.wait?.skip;
  if (skip !== undefined) return skipWait(unit, request, () => skip(key, unit.args));
  if ("code" in request) unit.fail(request);
  else unit.waitsFor(new StepWait(unit, key, request));
}

/** In a dry run: an event has no data yet, and the time of a timer is known unless it depends on a withheld call. */
function skipWait(unit: WaitingUnit, request: ReturnType<typeof resolveWait>, note: () => void): void {
  note();
  if ("code" in request || request.event !== undefined) return unit.succeeded(null);
  const from = unit.step.frame.run.now;
  unit.succeeded(timerOutput(from, request.until ?? from + (request.ms ?? 0)));
}

/** A step that only waits holds no slot. */
class StepWait implements Pending {
  readonly #unit: WaitingUnit;
  readonly #key: string;
  readonly #request: Omit<ExternalWait, "kind">;
  readonly #since: number;
  #outcome: HostOutcome | undefined = undefined;
  isOver = false;

  constructor(unit: WaitingUnit, key: string, request: Omit<ExternalWait, "kind">) {
    this.#unit = unit;
    this.#key = key;
    this.#request = request;
    this.#since = unit.step.frame.run.now;
  }

  begin(): void {
    const { step } = this.#unit;
    step.frame.run.wait(this.#key, { kind: "external", ...this.#request }, this);
    step.waits();
  }

  waitBegan(until: number | undefined): void {
    const { step } = this.#unit;
    const { event } = this.#request;
    addWait(step.state, { key: this.#key, event, until });
    step.emit({ type: "step-waiting", event, until });
  }

  settled(outcome: HostOutcome): void {
    const { step } = this.#unit;
    this.#outcome = outcome;
    removeWait(step.state, this.#key);
    step.returns(this);
  }

  cancel(): void {
    const { step } = this.#unit;
    this.isOver = true;
    removeWait(step.state, this.#key);
    step.frame.run.drop(this.#key);
    step.stopsWaiting();
    this.#unit.cancelled();
  }

  /** The step has its slot again. */
  resume(): void {
    if (this.#outcome === undefined || this.isOver) return;
    this.isOver = true;
    const { now } = this.#unit.step.frame.run;
    const { event } = this.#request;
    this.#unit.resumed(now - this.#since);
    if (this.#outcome.kind === "event") return this.#unit.succeeded(this.#outcome.data);
    if (event === undefined) return this.#unit.succeeded(timerOutput(this.#since, now));
    this.#unit.fail(failure("timeout", `the event ${JSON.stringify(event)} did not come in time`, { retry: "never" }));
  }
}

function timerOutput(from: number, to: number): unknown {
  return { started_at: new Date(from).toISOString(), ended_at: new Date(to).toISOString() };
}

/** Reads the wait of a step from its resolved arguments. */
function resolveWait(args: unknown): Omit<ExternalWait, "kind"> | Failure {
  const { for: duration, event, timeout, until } = isRecord(args) ? args : {};
  if (event !== undefined) return resolveEvent(event, timeout);
  if (until !== undefined) {
    const at = typeof until === "string" ? parseMoment(until) : undefined;
    if (at === undefined) return invalid(`${shown(until)} is not a time; ${momentHint}`);
    return { event: undefined, ms: undefined, until: at };
  }
  const ms = parseChainDuration(duration);
  return ms === undefined ? invalidDuration(duration) : { event: undefined, ms, until: undefined };
}

function resolveEvent(event: unknown, timeout: unknown): Omit<ExternalWait, "kind"> | Failure {
  if (typeof event !== "string" || !isEventName(event))
    return invalid(`${shown(event)} is not an event name: ${eventNameRule}`);
  if (timeout === undefined) return { event, ms: undefined, until: undefined };
  const ms = parseChainDuration(timeout);
  return ms === undefined ? invalidDuration(timeout) : { event, ms, until: undefined };
}

function invalidDuration(value: unknown): Failure {
  return invalid(
    `${shown(value)} is not a duration; write seconds, or text such as "500ms", "2h" or "7d", at most 365d`,
  );
}

function invalid(message: string): Failure {
  return failure("validation_error", message, { retry: "never" });
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "a missing value";
  return text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text;
}

/** Stores an open wait with its step; one that is resumed replaces itself. */
function addWait(state: StepState, wait: OpenStepWait): void {
  removeWait(state, wait.key);
  state.waits = [...(state.waits ?? []), wait];
}

function removeWait(state: StepState, key: string): void {
  const left = state.waits?.filter((wait) => wait.key !== key) ?? [];
  state.waits = left.length === 0 ? undefined : left;
}
