import type { Linked } from "../../base/index.ts";
import type { Approver, CallListener, CallQuestion, CallStep } from "../../engine/index.ts";
import type { CallRecord } from "../../store/index.ts";
import type { Effect, ToolResult } from "../../tool/index.ts";
import type { RunningCall, StepExecutor, StepHooks } from "./executor.ts";
import { cannotWait } from "./cannot-wait.ts";
import type { CallOutcome, InnerQuestion, StepWork } from "./host.ts";

/** What a step's call asks of its host. */
export interface StepCallOwner {
  /** Writes down that a handler starts which changes the world. */
  started(call: StepCall): Promise<void> | undefined;
  ended(call: StepCall, result: ToolResult): void;
  progress(key: string, value: unknown): void;
  /** Its calls are in a journal: records are written with it, and whoever takes the run over makes them again. */
  readonly isKept: boolean;
  /** It begins nothing more in this process. */
  readonly left: boolean;
  /** It is a part of a call of another run, and is begun again with that. */
  readonly isPart: boolean;
  approverOf(call: StepCall): Approver | undefined;
  innerApproverOf(call: StepCall): Approver | undefined;
}

/** One call of a step under way in this process. */
export class StepCall implements StepHooks, CallStep, CallListener, Linked<StepCall> {
  previous: StepCall | undefined = undefined;
  next: StepCall | undefined = undefined;
  linked = false;
  readonly key: string;
  readonly work: StepWork;
  /** Undefined until the handler runs. */
  effect: Effect | undefined = undefined;
  kept: CallRecord | undefined = undefined;
  /** The first question about a call that it makes on its own. */
  asks: InnerQuestion | undefined = undefined;
  /** Of the question about this call itself. */
  asksKey: string | undefined = undefined;
  isLeft = false;
  readonly #owner: StepCallOwner;
  #running: RunningCall | undefined = undefined;
  #isOver = false;

  constructor(owner: StepCallOwner, key: string, work: StepWork) {
    this.#owner = owner;
    this.key = key;
    this.work = work;
  }

  /** True when it goes on; false when it is over already. */
  begin(executor: StepExecutor): boolean {
    const running = executor.begin(this.key, this.work, this);
    this.#running = running;
    if (running.runFor !== undefined) {
      running.runFor(this);
      return !this.#isOver;
    }
    const result = running.run();
    if (result instanceof Promise) void result.then((settled) => this.ended(settled));
    else this.ended(result);
    return !this.#isOver;
  }

  /** What people have to be asked for it, as its outcome says; most calls concern nobody. */
  get asked(): Pick<CallOutcome, "asks" | "asksKey"> | undefined {
    const { asks, asksKey } = this;
    if (asks === undefined && asksKey === undefined) return undefined;
    return { ...(asks !== undefined && { asks }), ...(asksKey !== undefined && { asksKey }) };
  }

  ended(result: ToolResult): void {
    this.#isOver = true;
    this.#owner.ended(this, result);
  }

  abort(): void {
    this.#running?.abort("cancelled");
  }

  leave(): void {
    this.isLeft = true;
  }

  waitsFor(question: CallQuestion): string | undefined {
    if (this.effect === "once") return cannotWait(this.work.tool, question.tool);
    this.asks ??= question;
    return undefined;
  }

  get isMadeAgain(): boolean {
    return this.isLeft || (this.asks !== undefined && this.asks.key === undefined);
  }

  get isClosing(): boolean {
    return this.#owner.left;
  }

  get step(): CallStep | undefined {
    return this.#owner.isPart ? undefined : this;
  }

  started(effect: Effect): void | Promise<void> {
    this.effect = effect;
    // What changes nothing may simply be done again.
    if (effect === "pure" || effect === "read") return undefined;
    return this.#owner.started(this);
  }

  record(record: CallRecord): boolean {
    if (!this.#owner.isKept) return false;
    this.kept = record;
    return true;
  }

  progress(value: unknown): void {
    this.#owner.progress(this.key, value);
  }

  get approver(): Approver | undefined {
    return this.#owner.approverOf(this);
  }

  get innerApprover(): Approver | undefined {
    return this.#owner.innerApproverOf(this);
  }
}
