import { Bag, type Failure, failure } from "../../base/index.ts";
import type { ForEachPlan } from "../plan/plan.ts";
import { NewItemState } from "./step-facts.ts";
import { type PartlyDone, joinDone } from "./partial-work.ts";
import type { StepRun } from "./step-run.ts";
import type { ItemState, StepStatus } from "./step-state.ts";
import { Unit } from "./unit.ts";
import type { UnitOwner } from "./unit-owner.ts";

/** The arguments of an item, or the reason why there are none. */
type Prepared = { readonly args: unknown } | { readonly error: Failure };

/** One unit of work for each item of a list, a few at a time; results keep the order of the list. */
export class Items implements UnitOwner {
  readonly #step: StepRun;
  readonly #plan: ForEachPlan;
  readonly #list: readonly unknown[];
  /** Number of items that may fail. */
  readonly #allowed: number;
  readonly #states: ItemState[];
  readonly #outputs: unknown[];
  readonly #running = new Bag<Unit>();
  #next = 0;
  #failures = 0;
  #stopped = false;
  #starting = false;
  #firstError: Failure | undefined;
  /** Calls as shown to approvers; undefined if no approval is needed. */
  #prepared: readonly Prepared[] | undefined = undefined;
  /** Partial work of items that did not succeed. */
  #parts: Map<number, PartlyDone | undefined> | undefined = undefined;

  private constructor(step: StepRun, plan: ForEachPlan, list: readonly unknown[]) {
    const { tolerate } = plan;
    this.#step = step;
    this.#plan = plan;
    this.#list = list;
    // A share such as 0.07 × 100 is a little more than 7, or a little less.
    this.#allowed = "count" in tolerate ? tolerate.count : Math.floor(tolerate.share * list.length + 1e-9);
    this.#outputs = list.map(() => null);
    this.#states = list.map(() => new NewItemState());
    step.state.items = this.#states;
    step.state.input = list.map(() => undefined);
  }

  /** The items of a list; a failure if the value is not a list. */
  static of(step: StepRun, list: unknown): Items | Failure {
    const { forEach } = step.state.step;
    if (forEach === undefined || !Array.isArray(list)) {
      const got = list === undefined ? "missing" : list === null ? "null" : typeof list;
      return failure("expression_error", `for_each needs a list, got ${got}`, { reason: "type" });
    }
    return new Items(step, forEach, list);
  }

  get size(): number {
    return this.#list.length;
  }

  /** Number of items in progress, including waiting ones. */
  get inFlight(): number {
    return this.#running.size;
  }

  /** Computes the arguments of every item now, and sends no others; null for those that cannot be computed. */
  prepare(): unknown[] {
    this.#prepared = this.#list.map((_, index) => {
      const unit = this.#unit(index);
      const error = unit.prepare();
      return error === undefined ? { args: unit.args } : { error };
    });
    return this.#prepared.map((known) => ("args" in known ? known.args : null));
  }

  begin(): void {
    this.advance();
  }

  cancel(): void {
    this.#stopped = true;
    const before = this.#starting;
    this.#starting = true;
    for (const unit of this.#running.toArray()) if (unit.position >= 0) unit.cancel();
    this.#starting = before;
    this.advance();
  }

  didPart({ item }: Unit, done: PartlyDone): void {
    const index = item?.index ?? 0;
    this.#parts ??= new Map();
    this.#parts.set(index, joinDone(this.#parts.get(index), done));
  }

  unitEnded(unit: Unit, status: StepStatus, output: unknown): void {
    const index = unit.item?.index ?? 0;
    const { error } = unit;
    this.#running.remove(unit);
    const state = this.#states[index] as ItemState;
    state.status = status;
    state.attempts = unit.attempts;
    state.endedAt = this.#step.frame.run.now;
    state.durationMs = Math.max(0, unit.durationMs - unit.queuedMs);
    if (endedWell(status)) this.#outputs[index] = output ?? null;
    if (error !== undefined) state.error = error;
    if (status === "failed") {
      this.#failures++;
      this.#firstError ??= error;
    }
    if (this.#step.frame.run.listens) {
      this.#step.emit({ type: "item-finished", item: index, of: this.#list.length, status });
    }
    if (this.#failures > this.#allowed && !this.#stopped) this.cancel();
    else this.advance();
  }

  /** Starts everything that can start. Items that end immediately are handled in this loop, not by recursion. */
  advance(): void {
    if (this.#starting) return;
    this.#starting = true;
    const { run } = this.#step.frame;
    while (this.#hasMore && this.#running.size < this.#plan.concurrency && run.canStartMore(this)) {
      const index = this.#next++;
      this.#begins(index);
      const unit = this.#unit(index);
      this.#running.add(unit);
      const error = this.#prepared === undefined ? unit.prepare() : this.#takePrepared(unit, index);
      if (error === undefined) unit.begin();
      else unit.fail(error);
    }
    this.#starting = false;
    if (this.#running.size > 0) this.#step.releaseSlotIfIdle();
    else if (!this.#hasMore) this.#end();
  }

  #begins(index: number): void {
    const { run } = this.#step.frame;
    (this.#states[index] as ItemState).startedAt = run.now;
    if (run.listens) this.#step.emit({ type: "item-started", item: index, of: this.#list.length });
  }

  #unit(index: number): Unit {
    return new Unit(this.#step, this, { index, item: this.#list[index] });
  }

  #takePrepared(unit: Unit, index: number): Failure | undefined {
    const known = this.#prepared?.[index] as Prepared;
    if ("error" in known) return known.error;
    unit.take(known.args);
    return undefined;
  }

  get #hasMore(): boolean {
    return !this.#stopped && this.#next < this.#list.length;
  }

  #end(): void {
    for (const state of this.#states) if (state.status === "pending") state.status = "cancelled";
    if (this.#failures > this.#allowed) {
      const { length } = this.#list;
      const message = `${this.#failures} of ${length} items failed, and ${this.#allowed} are tolerated; the first failure: ${this.#firstError?.message ?? ""}`;
      this.#step.itemsEnded(this.#outputs, failure("items_failed", message), this.#partlyDone());
    } else if (this.#stopped) {
      this.#step.itemsEnded(this.#outputs, "cancelled", this.#partlyDone());
    } else {
      this.#step.itemsEnded(this.#outputs, "whole", this.#parts && this.#partlyDone());
    }
  }

  /** The work that items did, including those that did not succeed; undefined if none did anything. */
  #partlyDone(): PartlyDone | undefined {
    let some = false;
    let doubt: string | undefined;
    let others = 0;
    const output = this.#states.map(({ status }, index) => {
      const part = this.#parts?.get(index);
      if (doubt === undefined) doubt = part?.doubt;
      else if (part?.doubt !== undefined) others++;
      if (endedWell(status)) {
        some = true;
        return this.#outputs[index];
      }
      if (part === undefined || !("output" in part)) return null;
      some = true;
      return part.output ?? null;
    });
    const done = some ? { output } : {};
    if (doubt === undefined) return some ? done : undefined;
    const more = others === 0 ? "" : `; the same holds for ${others} other ${others === 1 ? "item" : "items"}`;
    return { ...done, doubt: doubt + more };
  }
}

export function isItems(value: unknown): value is Items {
  return value instanceof Items;
}

function endedWell(status: StepStatus): boolean {
  return status === "success" || status === "recovered";
}
