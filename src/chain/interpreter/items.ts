import { type Failure, LinkedList, failure } from "../../base/index.ts";
import type { ForEachPlan } from "../plan/plan.ts";
import { type PartlyDone, joinDone } from "./partly-done.ts";
import type { StepRun } from "./step-run.ts";
import type { ItemState, StepStatus } from "./step-state.ts";
import { Unit } from "./unit.ts";
import type { UnitOwner } from "./unit-owner.ts";

/** The arguments of an item, or why there are none. */
type Prepared = { readonly args: unknown } | { readonly error: Failure };

/** One unit of work for each item of a list, a few at a time; results keep the order of the list. */
export class Items implements UnitOwner {
  readonly #step: StepRun;
  readonly #plan: ForEachPlan;
  readonly #list: readonly unknown[];
  /** How many items may fail. */
  readonly #allowed: number;
  readonly #states: ItemState[];
  readonly #outputs: unknown[];
  readonly #running = new LinkedList<Unit>();
  #next = 0;
  #failures = 0;
  #stopped = false;
  #starting = false;
  #firstError: Failure | undefined;
  /** What people were shown; absent when nobody is asked. */
  #prepared: readonly Prepared[] | undefined = undefined;
  /** Of items that did not end well: what they did. */
  #parts: Map<number, PartlyDone | undefined> | undefined = undefined;

  private constructor(step: StepRun, plan: ForEachPlan, list: readonly unknown[]) {
    const { tolerate } = plan;
    this.#step = step;
    this.#plan = plan;
    this.#list = list;
    // A share such as 0.07 × 100 is a little more than 7, or a little less.
    this.#allowed = "count" in tolerate ? tolerate.count : Math.floor(tolerate.share * list.length + 1e-9);
    this.#outputs = list.map(() => null);
    this.#states = list.map(() => ({ status: "pending", attempts: 0, durationMs: 0 }));
    step.state.items = this.#states;
    step.state.input = list.map(() => undefined);
  }

  /** The items of a list; a failure when it is none. */
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

  /** How many items are being worked on, or waited with. */
  get inFlight(): number {
    return this.#running.size;
  }

  /** Works out the arguments of every item now, and sends no others; null for those that cannot be worked out. */
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
    for (const unit of this.#running.toArray()) if (unit.linked) unit.cancel();
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
    state.durationMs = unit.durationMs;
    if (endedWell(status)) this.#outputs[index] = output ?? null;
    if (error !== undefined) state.error = error;
    if (status === "failed") {
      this.#failures++;
      this.#firstError ??= error;
    }
    if (this.#step.frame.run.listens) {
      this.#step.tell({ type: "item-finished", item: index, of: this.#list.length, status });
    }
    if (this.#failures > this.#allowed && !this.#stopped) this.cancel();
    else this.advance();
  }

  /** Starts whatever can start. What ends at once is gone through here, not by recursion. */
  advance(): void {
    if (this.#starting) return;
    this.#starting = true;
    const { run } = this.#step.frame;
    while (this.#hasMore && this.#running.size < this.#plan.concurrency && run.mayOpen(this)) {
      const index = this.#next++;
      const unit = this.#unit(index);
      this.#running.append(unit);
      const error = this.#prepared === undefined ? unit.prepare() : this.#takePrepared(unit, index);
      if (error === undefined) unit.begin();
      else unit.fail(error);
    }
    this.#starting = false;
    if (this.#running.size > 0) this.#step.leaveIfIdle();
    else if (!this.#hasMore) this.#end();
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
      const message = `${this.#failures} of ${length} items failed, ${this.#allowed} may; the first: ${this.#firstError?.message ?? ""}`;
      this.#step.itemsEnded(this.#outputs, failure("items_failed", message), this.#partlyDone());
    } else if (this.#stopped) {
      this.#step.itemsEnded(this.#outputs, "cancelled", this.#partlyDone());
    } else {
      this.#step.itemsEnded(this.#outputs, "whole", this.#parts && this.#partlyDone());
    }
  }

  /** What the items did, also those that did not end well; undefined when none did anything. */
  #partlyDone(): PartlyDone | undefined {
    let some = false;
    let doubt: string | undefined;
    const output = this.#states.map(({ status }, index) => {
      if (endedWell(status)) {
        some = true;
        return this.#outputs[index];
      }
      const part = this.#parts?.get(index);
      doubt ??= part?.doubt;
      if (part === undefined || !("output" in part)) return null;
      some = true;
      return part.output ?? null;
    });
    const done = some ? { output } : {};
    return doubt === undefined ? (some ? done : undefined) : { ...done, doubt };
  }
}

function endedWell(status: StepStatus): boolean {
  return status === "success" || status === "recovered";
}
