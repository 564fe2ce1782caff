import type { Failure, Bagged } from "../../base/index.ts";
import { missing } from "../../expr/index.ts";
import { requestStepApproval, isStepApproval } from "./step-approval.ts";
import type { ChainFrame } from "./chain-frame.ts";
import { Items, isItems } from "./items.ts";
import type { RunEvent } from "./run-events.ts";
import { expressionFailure } from "./expression-failure.ts";
import { type PartlyDone, joinDone } from "./partial-work.ts";
import type { StepState, StepStatus } from "./step-state.ts";
import { addQueued } from "./step-times.ts";
import { Unit } from "./unit.ts";
import type { UnitOwner } from "./unit-owner.ts";

/** An approval or a wait of a step, which continues once the step has a slot. */
interface SlotWaiter {
  readonly isOver: boolean;
  resume(): void;
}

/** The lifecycle of one step: approval if required, execution once or for each item, and its end. */
export class StepRun implements UnitOwner, Bagged {
  position = -1;
  readonly frame: ChainFrame;
  readonly state: StepState;
  /** Current work, so that it can be cancelled. */
  #doing: { cancel(): void } | undefined = undefined;
  #items: Items | undefined = undefined;
  /** Work done so far, in case the step does not succeed: that can be compensated, too. */
  partlyDone: PartlyDone | undefined = undefined;
  /** Pending approvals and waits of the step and of its items. */
  #pendingWaits = 0;
  /** It holds a slot among the running steps of its chain. */
  #hasSlot = true;
  /** Approvals that are decided, and waits that have ended, and that wait for a slot. */
  #returning: SlotWaiter[] | undefined = undefined;

  constructor(frame: ChainFrame, state: StepState) {
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

  /** Cancels running work; the step is closed once that has ended. */
  cancel(): void {
    this.#doing?.cancel();
  }

  /** Fails before its work started; its `error_handling` applies. */
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
    if (this.frame.run.listens) this.emitStarted(unit.args, this.state.step.approval !== undefined);
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
    if (!isItems(items)) return this.refuse(items);
    this.#items = items;
    this.#doing = items;
    // An empty list needs no approval.
    const pendingApproval = state.step.approval !== undefined && items.size > 0;
    if (frame.run.listens) this.emitStarted(undefined, pendingApproval);
    if (!pendingApproval) return items.begin();
    this.#whenApproved(items);
  }

  emitStarted(input: unknown, pendingApproval: boolean): void {
    if (this.frame.run.host.isReplaying) this.frame.run.startedInReplay(this);
    this.emit(
      pendingApproval
        ? { type: "step-started", input, needsApproval: pendingApproval }
        : { type: "step-started", input },
    );
  }

  /** One approval for all items: approvers see the arguments of each of them, and nothing else is sent. */
  #whenApproved(items: Items): void {
    const args = items.prepare();
    const pending = requestStepApproval(
      this,
      { key: `${this.state.step.id}?`, args },
      {
        approved: ({ waitedMs }) => {
          addQueued(this.state, undefined, waitedMs);
          this.#doing = items;
          items.begin();
        },
        refused: (error, waitedMs) => {
          addQueued(this.state, undefined, waitedMs);
          this.#withoutItems(() => this.refuse(error));
        },
        cancelled: () => this.#withoutItems(() => this.#cancelled()),
      },
    );
    if (!isStepApproval(pending)) return this.#withoutItems(() => this.refuse(pending));
    this.#doing = pending;
    pending.begin();
  }

  /** Ends without having started the items. */
  #withoutItems(end: () => void): void {
    this.#items = undefined;
    this.state.items = undefined;
    end();
  }

  /** Records rounds of the step itself. */
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

  /** All items have ended; `done` has the outputs of the successful ones, and null for the others. */
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

  // --- its slot, while it waits for approvals, times and events

  /** One more approval or wait is pending. */
  waits(): void {
    this.#pendingWaits++;
    this.releaseSlotIfIdle();
  }

  /** If only approvals and waits are pending, releases the slot. */
  releaseSlotIfIdle(): void {
    const working = (this.#items?.inFlight ?? 0) || 1;
    if (!this.#hasSlot || this.#pendingWaits === 0 || this.#pendingWaits < working) return;
    this.#hasSlot = false;
    this.state.status = "waiting";
    this.frame.releaseSlot();
    this.frame.advance();
  }

  /** An approval was decided, or a wait has ended: the step continues immediately, or once it has a slot. */
  returns(waiter: SlotWaiter): void {
    if (this.#hasSlot) return this.#goOn(waiter);
    this.#returning ??= [];
    if (this.#returning.push(waiter) === 1) this.frame.acquireSlot(() => this.#back());
  }

  /**
   * An approval or a wait is withdrawn. The work that waited for it ends now and closes its step, which needs a slot to release.
   */
  stopsWaiting(): void {
    this.#pendingWaits--;
    if (this.#hasSlot) return;
    this.#hasSlot = true;
    this.frame.keepSlot();
  }

  #back(): void {
    const returning = this.#returning ?? [];
    this.#returning = undefined;
    // It was cancelled in the meantime, and has held its own slot since.
    if (this.#hasSlot) return this.frame.releaseSlot();
    this.#hasSlot = true;
    for (const waiter of returning) this.#goOn(waiter);
  }

  #goOn(waiter: SlotWaiter): void {
    if (waiter.isOver) return;
    this.#pendingWaits--;
    this.state.status = "running";
    waiter.resume();
  }

  emit(event: StepEventBody): void {
    const { run } = this.frame;
    if (!run.listens) return;
    const { path, step } = this.state;
    const about = {
      at: run.now,
      runId: run.host.runId,
      step: path,
      tool: step.target.name,
      replayed: run.host.isReplaying,
    };
    run.emit({ ...event, ...about });
  }
}

type Without<T> = T extends unknown ? Omit<T, "at" | "runId" | "step" | "tool" | "replayed"> : never;

/** An event of a step, without what all of them have in common. */
export type StepEventBody = Without<Extract<RunEvent, { readonly step: string }>>;
