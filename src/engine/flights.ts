import { canonicalJson, createIds, plainJsonSize } from "../base/index.ts";
import { type AnyTool, fingerprintTool } from "../tool/index.ts";
import type { Call } from "./call.ts";
import { type CallContext, patience } from "./call-context.ts";
import type { Execution, Settles } from "./execution.ts";
import { messageOf } from "./failed-attempt.ts";
import type { Outcome } from "./outcome.ts";

/** Work that several equal calls wait for. It is aborted when the last of them leaves. */
export class Flight {
  readonly execution: Execution<Outcome>;
  readonly #done: () => void;
  #outcome: Promise<Outcome> | undefined;
  #waiting = 0;

  constructor(execution: Execution<Outcome>, done: () => void) {
    this.execution = execution;
    this.#done = done;
  }

  /** The first to join starts the work. */
  join(): Promise<Outcome> {
    this.#waiting++;
    this.#outcome ??= this.#start().finally(this.#done);
    return this.#outcome;
  }

  async #start(): Promise<Outcome> {
    // Calls that share work wait for its promise, so that there is one.
    return (await this.execution.start()) as Outcome;
  }

  leave(): void {
    this.#waiting--;
    if (this.#waiting === 0) this.execution.abort("cancelled");
  }
}

/** Several calls wait for one outcome, and each makes its own result of it. */
export const asItIs: Settles<Outcome> = { settle: (outcome) => outcome, listener: undefined };

/** Equal calls that run at the same time, run once. */
export class Flights {
  readonly #byKey = new Map<string, Flight>();

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): Flight | undefined {
    const flight = this.#byKey.get(key);
    // One that is being stopped gives nothing; a new call starts afresh.
    return flight?.execution.cause === undefined ? flight : undefined;
  }

  open(key: string, execution: Execution<Outcome>): Flight {
    const flight = new Flight(execution, () => {
      if (this.#byKey.get(key) === flight) this.#byKey.delete(key);
    });
    this.#byKey.set(key, flight);
    return flight;
  }
}

/** Arguments larger than this are not compared with those of other calls. */
const largestKey = 1 << 20;

/** What is not plain JSON may look the same as text and be different. */
export function isComparable(args: unknown): boolean {
  const size = plainJsonSize(args, largestKey);
  return size >= 0 && size <= largestKey;
}

/** Equal for the same tool, arguments and principal: nobody sees what another principal was given. */
export function reuseKey(tool: AnyTool, args: unknown, { principal, reuse }: CallContext): string {
  if (reuse === undefined) return canonicalJson([identityOf(tool), principal ?? null, args]);
  // Who asks for reuse wants it across processes too, so that the identity of an object does not do; but what other
  // code gave under the same name is not used again.
  return canonicalJson([fingerprintTool(tool), principal ?? null, reuse.key ?? null, reuse.key ?? args]);
}

/**
 * An id per tool object: a tool that was edited and reloaded under the same name is another tool. Unique across
 * processes, since a cache may outlive this one.
 */
function identityOf(tool: AnyTool): string {
  let identity = identities.get(tool);
  if (identity === undefined) identities.set(tool, (identity = identityIds.next()));
  return identity;
}

const identities = new WeakMap<AnyTool, string>();
const identityIds = createIds();

/**
 * Which work a call may share. A composite shares none: it might be waiting for itself. A nested call, or a chain step,
 * that joined a root's work in the queue would wait for a place that perhaps its own root holds. And nobody may fail by
 * limits that are stricter than its own, or wait longer than it wants to.
 */
export function flightKey(call: Call, key: string): string {
  const place = call.nested ? "nested" : call.context.callerType === "workflow_node" ? "step" : "root";
  const limits = [call.timeoutMs, call.maxRetries, patience(call.context, call.timeoutMs) ?? "usual"];
  return [place, ...limits, call.tool.composite ? call.callId : "", key].join(" ");
}

/** Keeps the output of some work for equal calls to come. */
export function remember(call: Call, key: string, work: Promise<Outcome>): void {
  work.then((outcome) => keep(call, key, outcome), ignore);
}

function ignore(): void {}

function keep(call: Call, key: string, outcome: Outcome): void {
  const { tool, core } = call;
  const ttlMs = call.context.reuse?.ttlMs ?? tool.cache?.ttlMs;
  if (ttlMs === undefined || outcome.failure !== undefined || outcome.attachments !== undefined) return;
  const now = core.clock.now();
  try {
    core.cache.set(key, JSON.stringify(outcome.output), now + ttlMs, now);
  } catch (error) {
    core.log({
      at: now,
      callId: call.callId,
      tool: tool.name,
      message: `the result was not cached: ${messageOf(error)}`,
    });
  }
}
