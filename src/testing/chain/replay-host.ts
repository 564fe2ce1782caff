import { failure } from "../../base/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import type { Host, PendingKeys, Settled, StepWork, Wait } from "../host/host.ts";
import { Retelling } from "../host/retelling.ts";

/** What a {@link ReplayHost} is made of. */
export interface ReplayHostParts {
  readonly runId: string;
  readonly startedAt: number;
  /** What happened, in order. */
  readonly settled: readonly Settled[];
  /** Told of every call that begins. */
  readonly onStart?: (key: string, work: StepWork) => void;
  /** Told of a question that the recording has no answer to. */
  readonly onUnanswered?: (key: string) => void;
}

/**
 * Answers a run from a recording, in the order of the recording: nothing is called and nothing waits. A pause that was
 * not recorded is over at once, a call that was not recorded fails, and a question that was not recorded stays open.
 */
export class ReplayHost implements Host {
  readonly runId: string;
  readonly startedAt: number;
  readonly replaying = true;
  readonly opensAll = true;
  readonly hasNews = true;
  readonly #parts: ReplayHostParts;
  readonly #recorded: Retelling;
  readonly #calls = new Map<string, StepWork>();
  readonly #waits = new Map<string, Wait>();
  #now: number;

  constructor(parts: ReplayHostParts) {
    this.#parts = parts;
    this.runId = parts.runId;
    this.startedAt = parts.startedAt;
    this.#now = parts.startedAt;
    this.#recorded = new Retelling(parts.settled);
  }

  /** It always has an answer, so nobody has to be woken. */
  attach(): void {}

  knows(key: string): boolean {
    return this.#recorded.has(key);
  }

  start(key: string, work: StepWork): void {
    this.#recorded.ask(key);
    this.#calls.set(key, work);
    this.#parts.onStart?.(key, work);
  }

  wait(key: string, what: Wait): void {
    this.#recorded.ask(key);
    this.#waits.set(key, what);
  }

  cancel(key: string): void {
    this.#waits.delete(key);
  }

  next(pending: PendingKeys): Settled {
    const settled = this.#recorded.next(pending) ?? this.#unrecorded(pending);
    this.#now = Math.max(this.#now, settled.at);
    this.#calls.delete(settled.key);
    this.#waits.delete(settled.key);
    return settled;
  }

  #unrecorded(pending: PendingKeys): Settled {
    for (const key of pending.keys()) {
      const wait = this.#waits.get(key);
      if (wait?.kind === "timer") return { key, outcome: { kind: "fired" }, at: this.#now + wait.ms };
      const call = this.#calls.get(key);
      if (call !== undefined) return this.#unanswered(key, call);
    }
    for (const key of pending.keys()) if (this.#waits.get(key)?.kind === "approval") this.#parts.onUnanswered?.(key);
    return { key: "", outcome: { kind: "parked" }, at: this.#now };
  }

  #unanswered(key: string, { tool }: StepWork): Settled {
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
