import type { Failure } from "../../base/index.ts";
import { missing } from "../../expr/index.ts";
import { Approval } from "./approval.ts";
import type { Frame } from "./frame.ts";
import { Items } from "./items.ts";
import type { RunEvent } from "./run-events.ts";
import { expressionFailure } from "./expression-failure.ts";
import type { StepState } from "./step-state.ts";
import { Unit, type UnitOwner } from "./unit.ts";

/** The life of one step: asked for where it has to be, done once or for each item, and over. */
export class StepRun implements UnitOwner {
  readonly frame: Frame;
  readonly state: StepState;
  /** What it is doing, so that it can be stopped. */
  #doing: { cancel(): void } | undefined;

  constructor(frame: Frame, state: StepState) {
    this.frame = frame;
    this.state = state;
  }

  begin(): void {
    const { state, frame } = this;
    state.status = "running";
    state.startedAt = frame.run.now;
    if (state.step.forEach === undefined) this.#once();
    else this.#forEach();
  }

  /** Stops what runs; the step is closed once that is over. */
  cancel(): void {
    this.#doing?.cancel();
  }

  #once(): void {
    const unit = new Unit(this, this, undefined);
    this.#doing = unit;
    if (!unit.prepare()) return;
    this.#started(unit.args);
    this.#whenApproved(unit.args, () => {
      this.#doing = unit;
      unit.begin();
    });
  }

  #forEach(): void {
    const { frame, state } = this;
    const { forEach } = state.step;
    if (forEach === undefined) return;
    let list: unknown;
    try {
      list = frame.run.evaluate(state, (evaluation) => forEach.items.evaluate(frame.scope, evaluation));
      if (list === missing) list = undefined;
    } catch (error) {
      return this.fail(expressionFailure(error, `for_each of ${state.path}`));
    }
    const items = Items.of(this, list);
    if (!(items instanceof Items)) return this.fail(items);
    this.#started(undefined);
    this.#whenApproved(list, () => {
      this.#doing = items;
      items.begin();
    });
  }

  #whenApproved(args: unknown, go: () => void): void {
    const { approval } = this.state.step;
    if (approval === undefined) return go();
    const { run, scope } = this.frame;
    let message: string;
    try {
      message = String(run.evaluate(this.state, (evaluation) => approval.message.evaluate(scope, evaluation)));
    } catch (error) {
      return this.fail(expressionFailure(error, `the approval of ${this.state.path}`));
    }
    const asking = new Approval(this, {
      key: `${this.frame.keys}${this.state.step.id}?`,
      tool: this.state.step.target.name,
      args,
      message,
      approvers: approval.approvers,
      expiresMs: approval.expiresMs,
      approvalId: undefined,
    });
    this.#doing = asking;
    asking.begin({ approved: go, refused: (error) => this.fail(error), cancelled: () => this.#cancelled() });
  }

  #started(input: unknown): void {
    if (this.frame.run.listens) this.tell({ type: "step-started", input });
  }

  unitEnded(unit: Unit): void {
    const { state } = this;
    state.status = unit.status;
    state.output = unit.output;
    state.error = unit.error;
    this.frame.closed(this);
  }

  /** All items are over. */
  itemsEnded(output: readonly unknown[] | undefined, error: Failure | undefined): void {
    if (error !== undefined) return this.fail(error);
    if (output === undefined) return this.#cancelled();
    const { state } = this;
    state.status = state.items?.some(({ status }) => status === "recovered") === true ? "recovered" : "success";
    state.output = output;
    this.frame.closed(this);
  }

  fail(error: Failure): void {
    this.state.status = "failed";
    this.state.error = error;
    if (this.state.startedAt === 0) this.state.startedAt = this.frame.run.now;
    this.frame.closed(this);
  }

  #cancelled(): void {
    this.state.status = "cancelled";
    this.frame.closed(this);
  }

  tell(event: StepNews): void {
    const { run } = this.frame;
    if (!run.listens) return;
    const { path, step } = this.state;
    const about = {
      at: run.now,
      runId: run.host.runId,
      step: path,
      tool: step.target.name,
      replayed: run.host.replaying,
    };
    run.emit({ ...event, ...about });
  }
}

type Without<T> = T extends unknown ? Omit<T, "at" | "runId" | "step" | "tool" | "replayed"> : never;

/** An event of a step, without what all of them have in common. */
export type StepNews = Without<Extract<RunEvent, { readonly step: string }>>;
