import { failure } from "../../base/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import {
  type CallWork,
  type Host,
  type PendingKeys,
  type SettledOutcome,
  type Wait,
  ReplayCursor,
} from "../../run/index.ts";

/** Dependencies of a {@link ReplayHost}. */
export interface ReplayHostDeps {
  readonly runId: string;
  readonly startedAt: number;
  /** Recorded outcomes, in order. */
  readonly settled: readonly SettledOutcome[];
  /** Called for every call that begins. */
  readonly onStart?: (key: string, work: CallWork) => void;
  /** Called for an approval request that the recording has no decision for. */
  readonly onUnanswered?: (key: string) => void;
}

/**
 * Serves a run from a recording, in the order of the recording: nothing is called and nothing waits. A pause that was
 * not recorded ends immediately, a call that was not recorded fails, and an approval that was not recorded stays
 * pending.
 */
export class ReplayHost implements Host {
  readonly runId: string;
  readonly startedAt: number;
  readonly isReplaying = true;
  readonly startsEagerly = true;
  readonly isReleased = false;
  readonly hasReady = true;
  readonly #parts: ReplayHostDeps;
  readonly #recorded: ReplayCursor;
  readonly #calls = new Map<string, CallWork>();
  readonly #waits = new Map<string, Wait>();
  #now: number;

  constructor(parts: ReplayHostDeps) {
    this.#parts = parts;
    this.runId = parts.runId;
    this.startedAt = parts.startedAt;
    this.#now = parts.startedAt;
    this.#recorded = new ReplayCursor(parts.settled);
  }

  /** Does nothing: an outcome is always available, so the run never has to be woken. */
  attach(): void {}

  hasRecorded(key: string): boolean {
    return this.#recorded.has(key);
  }

  start(key: string, work: CallWork): void {
    this.#recorded.request(key);
    this.#calls.set(key, work);
    this.#parts.onStart?.(key, work);
  }

  /** Does nothing: a chain observes nothing. */
  observe(): void {}

  wait(key: string, wait: Wait): void {
    this.#recorded.request(key);
    this.#waits.set(key, wait);
  }

  cancel(key: string): void {
    this.#waits.delete(key);
  }

  next(pending: PendingKeys): SettledOutcome {
    const settled = this.#recorded.next(pending) ?? this.#unrecorded(pending);
    this.#now = Math.max(this.#now, settled.at);
    this.#calls.delete(settled.key);
    this.#waits.delete(settled.key);
    return settled;
  }

  #unrecorded(pending: PendingKeys): SettledOutcome {
    for (const key of pending.keys()) {
      const wait = this.#waits.get(key);
      if (wait?.kind === "timer") return { key, outcome: { kind: "fired" }, at: this.#now + wait.ms };
      const call = this.#calls.get(key);
      if (call !== undefined) return this.#unanswered(key, call);
    }
    for (const key of pending.keys()) if (this.#waits.get(key)?.kind === "approval") this.#parts.onUnanswered?.(key);
    return { key: "", outcome: { kind: "suspended" }, at: this.#now };
  }

  #unanswered(key: string, { tool }: CallWork): SettledOutcome {
    const result: ToolResult = {
      success: false,
      tool,
      error: failure("not_available", `the recording has no call ${key} of ${tool}`, { retry: "never" }),
      durationMs: 0,
      executedAt: this.#now,
      meta: { callId: "", source: "", attempts: 0 },
    };
    return { key, outcome: { kind: "call", result, effect: undefined }, at: this.#now };
  }
}
