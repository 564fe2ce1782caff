import { type Failure, failure } from "../../base/index.ts";
import type { ForEachPlan } from "../plan/plan.ts";
import type { StepRun } from "./step-run.ts";
import type { ItemState } from "./step-state.ts";
import { Unit, type UnitOwner } from "./unit.ts";

/** One unit of work for each item of a list, a few at a time; results keep the order of the list. */
export class Items implements UnitOwner {
  readonly #step: StepRun;
  readonly #plan: ForEachPlan;
  readonly #list: readonly unknown[];
  readonly #states: ItemState[];
  readonly #outputs: unknown[];
  readonly #running = new Set<Unit>();
  #next = 0;
  #failures = 0;
  #stopped = false;
  #starting = false;
  #firstError: Failure | undefined;

  private constructor(step: StepRun, plan: ForEachPlan, list: readonly unknown[]) {
    this.#step = step;
    this.#plan = plan;
    this.#list = list;
    this.#outputs = Array.from({ length: list.length }, () => null);
    this.#states = list.map(() => ({ status: "pending", attempts: 0, durationMs: 0 }));
    step.state.items = this.#states;
    step.state.input = Array.from({ length: list.length }, () => undefined);
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

  begin(): void {
    this.#advance();
  }

  cancel(): void {
    this.#stopped = true;
    this.#starting = true;
    for (const unit of this.#running) unit.cancel();
    this.#starting = false;
    this.#advance();
  }

  unitEnded(unit: Unit): void {
    const index = unit.item?.index ?? 0;
    this.#running.delete(unit);
    const state = this.#states[index] as ItemState;
    state.status = unit.status;
    state.attempts = unit.attempts;
    state.durationMs = unit.durationMs;
    if (unit.status === "success" || unit.status === "recovered") this.#outputs[index] = unit.output ?? null;
    if (unit.error !== undefined) state.error = unit.error;
    if (unit.status === "failed") this.#failed(unit.error);
    this.#step.tell({ type: "item-finished", item: index, of: this.#list.length, status: unit.status });
    this.#advance();
  }

  #failed(error: Failure | undefined): void {
    this.#failures++;
    this.#firstError ??= error;
    if (this.#failures > this.#allowed) this.cancel();
  }

  get #allowed(): number {
    const { tolerate } = this.#plan;
    return "count" in tolerate ? tolerate.count : Math.floor(tolerate.share * this.#list.length);
  }

  #advance(): void {
    if (this.#starting) return;
    this.#starting = true;
    while (!this.#stopped && this.#running.size < this.#plan.concurrency && this.#next < this.#list.length) {
      const index = this.#next++;
      const unit = new Unit(this.#step, this, { index, item: this.#list[index] });
      this.#running.add(unit);
      if (unit.prepare()) unit.begin();
    }
    this.#starting = false;
    if (this.#running.size === 0) this.#end();
  }

  #end(): void {
    for (const state of this.#states) if (state.status === "pending") state.status = "cancelled";
    if (this.#failures > this.#allowed) {
      const { length } = this.#list;
      const message = `${this.#failures} of ${length} items failed, ${this.#allowed} may; the first: ${this.#firstError?.message ?? ""}`;
      this.#step.itemsEnded(undefined, failure("items_failed", message));
    } else {
      this.#step.itemsEnded(this.#stopped ? undefined : this.#outputs, undefined);
    }
  }
}
