import type { Failure, Linked } from "../../base/index.ts";
import { missing } from "../../expr/index.ts";
import { Approval, askFirst } from "./approval.ts";
import type { Frame } from "./frame.ts";
import { Items } from "./items.ts";
import type { RunEvent } from "./run-events.ts";
import { expressionFailure } from "./expression-failure.ts";
import { type PartlyDone, joinDone } from "./partly-done.ts";
import type { StepState, StepStatus } from "./step-state.ts";
import { Unit } from "./unit.ts";
import type { UnitOwner } from "./unit-owner.ts";

/** The life of one step: asked for where it has to be, done once or for each item, and over. */
export class StepRun implements UnitOwner, Linked<StepRun> {
  previous: StepRun | undefined = undefined;
  next: StepRun | undefined = undefined;
  linked = false;
  readonly frame: Frame;
  readonly state: StepState;
  /** What it is doing, so that it can be stopped. */
  #doing: { cancel(): void } | undefined = undefined;
  #items: Items | undefined = undefined;
  /** What it did so far, should it not end well: that, too, can be undone. */
  partlyDone: PartlyDone | undefined = undefined;
  /** Open questions of the step and of its items. */
  #questions = 0;
  /** It has a place among the running steps of its chain. */
  #hasPlace = true;
  /** Answered, and waiting for a place. */
  #returning: Approval[] | undefined = undefined;

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

  /** It fails before its work began; what its `error_handling` says is done. */
  refuse(error: Failure): void {
    const { state, frame } = this;
    state.status = "running";
    if (state.startedAt === 0) state.startedAt = frame.run.now;
    const unit = new Unit(this, this, undefined);
    this.#doing = unit;
    unit.fail(error);
  }

  #once(): void {
    const unit = new Unit(this, this, undefined);
    this.#doing = unit;
    const error = unit.prepare();
    if (this.frame.run.listens) this.#tellStart(unit.args, this.state.step.approval !== undefined);
    if (error !== undefined) return unit.fail(error);
    unit.beginAllowed();
  }

  #forEach(): void {
    const { frame, state } = this;
    const { forEach } = state.step;
    if (forEach === undefined) return;
    let list: unknown;
    try {
      list = frame.run.evaluate(state, forEach.items, frame.scope);
      if (list === missing) list = undefined;
    } catch (error) {
      return this.refuse(expressionFailure(error, `for_each of ${state.path}`));
    }
    const items = Items.of(this, list);
    if (!(items instanceof Items)) return this.refuse(items);
    this.#items = items;
    this.#doing = items;
    // Of nothing there is nothing to ask.
    const asks = state.step.approval !== undefined && items.size > 0;
    if (frame.run.listens) this.#tellStart(undefined, asks);
    if (!asks) return items.begin();
    this.#whenApproved(items);
  }

  #tellStart(input: unknown, asks: boolean): void {
    this.tell(asks ? { type: "step-started", input, asks } : { type: "step-started", input });
  }

  /** One question for all items: people see the arguments of each of them, and nothing else is sent. */
  #whenApproved(items: Items): void {
    const args = items.prepare();
    const asking = askFirst(
      this,
      { key: `${this.state.step.id}?`, args },
      {
        approved: () => {
          this.#doing = items;
          items.begin();
        },
        refused: (error) => this.#withoutItems(() => this.refuse(error)),
        cancelled: () => this.#withoutItems(() => this.#cancelled()),
      },
    );
    if (!(asking instanceof Approval)) return this.#withoutItems(() => this.refuse(asking));
    this.#doing = asking;
    asking.begin();
  }

  /** It never came to the items. */
  #withoutItems(end: () => void): void {
    this.#items = undefined;
    this.state.items = undefined;
    end();
  }

  /** Rounds of the step itself. */
  didPart(_unit: Unit, done: PartlyDone): void {
    this.partlyDone = joinDone(this.partlyDone, done);
  }

  unitEnded({ error }: Unit, status: StepStatus, output: unknown): void {
    const { state } = this;
    state.status = status;
    state.output = output;
    state.error = error;
    this.frame.closed(this);
  }

  /** All items are over; `done` has what those gave that ended well, and null for the others. */
  itemsEnded(done: readonly unknown[], how: "whole" | "cancelled" | Failure, partlyDone?: PartlyDone): void {
    const { state } = this;
    this.partlyDone = partlyDone;
    if (typeof how === "object") {
      state.status = "failed";
      state.error = how;
    } else if (how === "cancelled") {
      state.status = "cancelled";
    } else {
      state.status = state.items?.some(({ status }) => status === "recovered") === true ? "recovered" : "success";
      state.output = done;
      state.cached = done.length > 0 && state.items?.every(({ cached }) => cached === true) === true;
    }
    this.frame.closed(this);
  }

  #cancelled(): void {
    this.state.status = "cancelled";
    this.frame.closed(this);
  }

  // --- its place, while it waits for people

  /** One more question is open. */
  waits(): void {
    this.#questions++;
    this.leaveIfIdle();
  }

  /** Where nothing is left but questions, others get the place. */
  leaveIfIdle(): void {
    const working = (this.#items?.inFlight ?? 0) || 1;
    if (!this.#hasPlace || this.#questions === 0 || this.#questions < working) return;
    this.#hasPlace = false;
    this.state.status = "waiting";
    this.frame.leavePlace();
    this.frame.advance();
  }

  /** A question was answered: it goes on at once, or when the step has a place again. */
  returns(approval: Approval): void {
    if (this.#hasPlace) return this.#goOn(approval);
    this.#returning ??= [];
    if (this.#returning.push(approval) === 1) this.frame.takePlace(() => this.#back());
  }

  /** A question is withdrawn. What waited for it ends now and closes its step, which needs a place to give back. */
  stopsWaiting(): void {
    this.#questions--;
    if (this.#hasPlace) return;
    this.#hasPlace = true;
    this.frame.keepPlace();
  }

  #back(): void {
    const returning = this.#returning ?? [];
    this.#returning = undefined;
    // It was stopped meanwhile, and has had a place of its own since.
    if (this.#hasPlace) return this.frame.leavePlace();
    this.#hasPlace = true;
    for (const approval of returning) this.#goOn(approval);
  }

  #goOn(approval: Approval): void {
    if (approval.isOver) return;
    this.#questions--;
    this.state.status = "running";
    approval.goOn();
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
