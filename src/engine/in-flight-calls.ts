import { canonicalJson, createIdGenerator, plainJsonSize } from "../base/index.ts";
import { type AnyTool, fingerprintTool } from "../tool/index.ts";
import type { Call } from "./call.ts";
import { type CallContext, admissionTimeoutMs } from "./call-context.ts";
import type { Execution, OutcomeConsumer } from "./execution.ts";
import { thrownMessage } from "./handler-failure.ts";
import type { AttemptOutcome } from "./attempt-outcome.ts";

/** An in-flight call that several identical calls wait for. It is aborted when the last of them leaves. */
export class InFlightCall {
  readonly execution: Execution<AttemptOutcome>;
  readonly #done: () => void;
  #outcome: Promise<AttemptOutcome> | undefined;
  #waiting = 0;

  constructor(execution: Execution<AttemptOutcome>, done: () => void) {
    this.execution = execution;
    this.#done = done;
  }

  /** Joins the work; the first call to join starts it. */
  join(): Promise<AttemptOutcome> {
    this.#waiting++;
    this.#outcome ??= this.#start().finally(this.#done);
    return this.#outcome;
  }

  async #start(): Promise<AttemptOutcome> {
    // Calls that share work await its promise, so there is one.
    return (await this.execution.start()) as AttemptOutcome;
  }

  detach(): void {
    this.#waiting--;
    if (this.#waiting === 0) this.execution.abort("cancelled");
  }
}

/** Passes the outcome on unchanged: each of the waiting calls converts it to its own result. */
export const identityOutcome: OutcomeConsumer<AttemptOutcome> = { settle: (outcome) => outcome, listener: undefined };

/** Deduplicates identical calls that run at the same time. */
export class InFlightCalls {
  readonly #byKey = new Map<string, InFlightCall>();

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): InFlightCall | undefined {
    const inFlight = this.#byKey.get(key);
    // An in-flight call that is being aborted has no usable outcome; a new call starts anew.
    return inFlight?.execution.cause === undefined ? inFlight : undefined;
  }

  open(key: string, execution: Execution<AttemptOutcome>): InFlightCall {
    const inFlight = new InFlightCall(execution, () => {
      if (this.#byKey.get(key) === inFlight) this.#byKey.delete(key);
    });
    this.#byKey.set(key, inFlight);
    return inFlight;
  }
}

/** Larger arguments are not compared with those of other calls. */
const maxKeySize = 1 << 20;

/** True if the result of a call may be reused, and its arguments can be compared with those of other calls. */
export function isReusable({ context, effect, rawArgs }: Call, { cache }: AnyTool): boolean {
  const isRequested = cache !== undefined || context.reuse !== undefined;
  return isRequested && (effect === "pure" || effect === "read") && isComparable(rawArgs);
}

/** True if the arguments are plain JSON of limited size. Other values may differ although their JSON is equal. */
function isComparable(args: unknown): boolean {
  const size = plainJsonSize(args, maxKeySize);
  return size >= 0 && size <= maxKeySize;
}

/** Cache key of a call. Includes the principal, so that no principal sees the results of another. */
export function reuseKey(tool: AnyTool, args: unknown, { principal, reuse }: CallContext): string {
  if (reuse === undefined) return canonicalJson([identityOf(tool), principal ?? null, args]);
  // Reuse requested by the caller also works across processes, so an object identity will not do; the fingerprint keeps
  // results of different code under the same name apart.
  return canonicalJson([fingerprintTool(tool), principal ?? null, reuse.key ?? null, reuse.key ?? args]);
}

/**
 * Returns an id per tool object: a tool that was edited and reloaded under the same name is another tool. Unique across
 * processes, since a cache may outlive this one.
 */
function identityOf(tool: AnyTool): string {
  let identity = identities.get(tool);
  if (identity === undefined) identities.set(tool, (identity = identityIds.next()));
  return identity;
}

const identities = new WeakMap<AnyTool, string>();
const identityIds = createIdGenerator();

/**
 * Returns the key under which a call shares in-flight work. A composite shares none, because it might wait for itself.
 * A nested call or a chain step that joined the queued work of a root could wait for a slot that its own root holds.
 * Different limits give different keys, so that no call fails by stricter limits than its own or waits longer than it
 * may.
 */
export function inFlightKey(call: Call, key: string): string {
  const level = call.nested ? "nested" : call.context.callerType === "workflow_node" ? "step" : "root";
  const limits = [call.timeoutMs, call.maxRetries, admissionTimeoutMs(call.context, call.timeoutMs) ?? "usual"];
  return [level, ...limits, call.tool.composite ? call.callId : "", key].join(" ");
}

/** Caches the output of the work for identical later calls. */
export function cacheResult(call: Call, key: string, work: Promise<AttemptOutcome>): void {
  work.then((outcome) => storeInCache(call, key, outcome), ignore);
}

function ignore(): void {}

function storeInCache(call: Call, key: string, outcome: AttemptOutcome): void {
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
      message: `the result was not cached: ${thrownMessage(error)}`,
    });
  }
}
