import { fail } from "../../base/index.ts";
import { type Host, type HostListener, type Outcome, type Settled, cancelKey } from "../../chain/index.ts";
import { type Asker, Fiber, type FiberEnd, type Granter } from "./fiber.ts";
import type { AllWish, CallWish, ChainWish, Flow, WaitWish, Wish } from "./flow.ts";
import { Gathering } from "./gathering.ts";
import { NestedChain } from "./nested-chain.ts";

/** How a flow was left: with what it gave, with what it threw, or waiting for a person. */
export type FlowEnd<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "broke"; readonly error: unknown }
  | { readonly kind: "parked" };

/** Whoever waits for what happens under a key. */
export interface Waiting {
  /** A wait has no outcome once it is cancelled; a call has one all the same. */
  readonly isWait: boolean;
  /** A chain hears of a cancellation itself, and stops what it began. */
  readonly ofChain?: boolean;
  settled(outcome: Outcome, at: number): void;
  readonly progress?: ((value: unknown) => void) | undefined;
  readonly asked?: ((approvalId: string, note: string | undefined) => void) | undefined;
}

/** Answers that are there at once are taken in a row; after so many, timers and sockets get their turn. */
const inARow = 1000;

/**
 * Runs a flow over a host: gives the host what the flow asks for, and the flow what the host tells, one thing at a time.
 * Whatever follows from it is asked for before the next is taken.
 */
export class FlowRun implements HostListener, Granter {
  readonly host: Host;
  readonly #pending = new Map<string, Waiting>();
  readonly #chains = new Set<NestedChain>();
  readonly #onTold: ((settled: Settled) => void) | undefined;
  /** The time of what happened last. */
  now: number;
  /** Somebody cancelled the run: nothing more begins. */
  cancelled: { readonly by: string | undefined } | undefined = undefined;
  /** The approvals that people were asked for. */
  readonly askedFor: Set<string> = new Set();
  /** Until it is over. */
  #end: { readonly parked: () => void; readonly reject: (error: unknown) => void } | undefined;
  /** Awake, or about to go on by itself. */
  #awake = true;
  #taken = 0;

  /** @param onTold Hears of everything that happens, before the flow does. */
  constructor(host: Host, onTold?: (settled: Settled) => void) {
    this.host = host;
    this.now = host.startedAt;
    this.#onTold = onTold;
    host.attach(this);
  }

  /** Once. Rejects when the run can no longer be executed here. */
  run<T>(flow: Flow<T>): Promise<FlowEnd<T>> {
    return new Promise((resolve, reject) => {
      const done = (end: FiberEnd<T>): void =>
        resolve("error" in end ? { kind: "broke", error: end.error } : { kind: "done", value: end.value });
      this.#end = { parked: () => resolve({ kind: "parked" }), reject };
      new Fiber(this, flow, (end) => {
        this.#end = undefined;
        done(end);
      }).begin();
      this.#goOn();
    });
  }

  /** Begins what a fiber asks for; it is told when there is an answer. */
  grant(fiber: Asker, wish: Wish): void {
    if (this.cancelled !== undefined) return fiber.throw(cancelledRun(this.cancelled.by));
    switch (wish.kind) {
      case "call":
        return this.#call(fiber, wish);
      case "wait":
        return this.#wait(fiber, wish);
      case "all":
        return this.#all(fiber, wish);
      case "chain":
        return this.#chain(fiber, wish);
    }
  }

  /** Whoever is told under this key from now on. */
  expect(key: string, waiting: Waiting): void {
    if (this.#pending.has(key)) throw new Error(`the flow asked twice for ${key}`);
    this.#pending.set(key, waiting);
  }

  /** Nobody waits under this key any more. */
  forget(key: string): void {
    this.#pending.delete(key);
  }

  waitsFor(key: string): boolean {
    return this.#pending.get(key)?.isWait === true;
  }

  // --- the host

  wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    this.#goOn();
  }

  progress(key: string, value: unknown): void {
    this.#pending.get(key)?.progress?.(value);
  }

  asked(key: string, approvalId: string, note?: string): void {
    this.askedFor.add(approvalId);
    this.#pending.get(key)?.asked?.(approvalId, note);
  }

  #goOn(): void {
    try {
      this.#take();
    } catch (error) {
      this.#end?.reject(error);
      this.#end = undefined;
    }
  }

  #take(): void {
    while (this.#end !== undefined) {
      // It goes on by itself, and then wakes this.
      if (this.#chains.size > 0 && this.#isOpening()) break;
      const settled = this.host.next(this.#pending);
      if (settled === undefined) break;
      if (settled.outcome.kind === "parked") return this.#park();
      this.#tell(settled);
      if (++this.#taken % inARow === 0) {
        setImmediate(() => this.#goOn());
        return;
      }
    }
    this.#awake = false;
  }

  /** A chain has steps that could begin and did not yet. */
  #isOpening(): boolean {
    for (const chain of this.#chains) if (chain.isOpening) return true;
    return false;
  }

  #tell(settled: Settled): void {
    const { key, outcome, at } = settled;
    if (at > this.now) this.now = at;
    this.#onTold?.(settled);
    if (key === cancelKey) return outcome.kind === "cancel" ? this.#cancel(settled) : undefined;
    const waiting = this.#pending.get(key);
    this.#pending.delete(key);
    waiting?.settled(outcome, at);
  }

  #cancel(settled: Settled): void {
    const { outcome } = settled;
    this.cancelled = { by: outcome.kind === "cancel" ? outcome.by : undefined };
    // First: a chain that knows of it lets nothing stand in for what is stopped now.
    for (const chain of this.#chains) chain.push(settled);
    for (const [key, { ofChain }] of this.#pending) if (ofChain !== true) this.stop(key);
  }

  /** Stops a call, whose outcome still comes; or a wait, which is over at once. */
  stop(key: string): void {
    const waiting = this.#pending.get(key);
    if (waiting === undefined) return;
    this.host.cancel(key);
    if (!waiting.isWait) return;
    this.#pending.delete(key);
    waiting.settled({ kind: "cancel", by: this.cancelled?.by }, this.now);
  }

  // --- wishes

  #call(fiber: Asker, { key, work, onProgress }: CallWish): void {
    this.expect(key, { isWait: false, settled: (outcome) => fiber.resume(outcome), progress: onProgress });
    this.host.start(key, work);
  }

  #wait(fiber: Asker, { key, what, onAsked }: WaitWish): void {
    this.expect(key, { isWait: true, settled: (outcome) => fiber.resume(outcome), asked: onAsked });
    this.host.wait(key, what);
  }

  #all(fiber: Asker, wish: AllWish): void {
    new Gathering(this, wish, (end) => fiber.take(end)).begin();
  }

  #chain(fiber: Asker, wish: ChainWish): void {
    const chain = new NestedChain(this, wish, (end) => {
      this.#chains.delete(chain);
      fiber.take(end);
    });
    this.#chains.add(chain);
    chain.begin();
  }

  /** Only people can move it on now: it is left, and may be taken up again. */
  #park(): void {
    this.#end?.parked();
    this.#end = undefined;
  }
}

function cancelledRun(by: string | undefined): Error {
  return fail(`the run was cancelled${by === undefined ? "" : ` by ${by}`}`, { code: "cancelled" });
}
