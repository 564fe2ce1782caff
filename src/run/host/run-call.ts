import type { Bagged } from "../../base/index.ts";
import type { Approver, CallListener, CallApproval, JournaledCall } from "../../engine/index.ts";
import type { CallRecord } from "../../store/index.ts";
import type { Effect, ToolResult } from "../../tool/index.ts";
import type { RunningCall, StepExecutor, StepHooks } from "./executor.ts";
import { cannotSuspendReason } from "../approvals/cannot-suspend.ts";
import type { CallOutcome, NestedApproval, StepWork } from "../host.ts";

/** The host, as seen by the call of a step. */
export interface RunCallOwner {
  /** Journals the start of a handler that has side effects. */
  started(call: RunCall): Promise<void> | undefined;
  ended(call: RunCall, result: ToolResult): void;
  progress(key: string, value: unknown): void;
  /**
   * True if the run has a journal: call records are written with it, and the next lease holder re-executes unfinished
   * calls.
   */
  readonly isDurable: boolean;
  /** True if the run starts nothing more in this process. */
  readonly isReleased: boolean;
  /** True if the run is nested in a call of another run, and is re-executed with that call. */
  readonly isNested: boolean;
  approverOf(call: RunCall): Approver | undefined;
  innerApproverOf(call: RunCall): Approver | undefined;
}

/** One running call of a step in this process. */
export class RunCall implements StepHooks, JournaledCall, CallListener, Bagged {
  position = -1;
  readonly key: string;
  readonly work: StepWork;
  /** Undefined until the handler runs. */
  effect: Effect | undefined = undefined;
  journaledRecord: CallRecord | undefined = undefined;
  /** The first pending approval for a call that the tool makes itself. */
  pendingApproval: NestedApproval | undefined = undefined;
  /** Key of this call's own approval. */
  approvalKey: string | undefined = undefined;
  isReleased = false;
  readonly #owner: RunCallOwner;
  #running: RunningCall | undefined = undefined;
  #isOver = false;

  constructor(owner: RunCallOwner, key: string, work: StepWork) {
    this.#owner = owner;
    this.key = key;
    this.work = work;
  }

  /** Starts the call. Returns false if it ended synchronously, true if it is still running. */
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

  /** The approvals that the call needs, for its outcome. Undefined for most calls. */
  get approvalState(): Pick<CallOutcome, "pendingApproval" | "approvalKey"> | undefined {
    const { pendingApproval, approvalKey } = this;
    if (pendingApproval === undefined && approvalKey === undefined) return undefined;
    return {
      ...(pendingApproval !== undefined && { pendingApproval }),
      ...(approvalKey !== undefined && { approvalKey }),
    };
  }

  ended(result: ToolResult): void {
    this.#isOver = true;
    // Aborted while its start was being journaled.
    if (!result.success && result.meta.attempts === 0) this.effect = undefined;
    this.#owner.ended(this, result);
  }

  abort(): void {
    this.#running?.abort("cancelled");
  }

  release(): void {
    this.isReleased = true;
  }

  suspendFor(approval: CallApproval): string | undefined {
    if (this.effect === "once") return cannotSuspendReason(this.work.tool, approval.tool);
    this.pendingApproval ??= approval;
    return undefined;
  }

  get willReexecute(): boolean {
    return this.isReleased || (this.pendingApproval !== undefined && this.pendingApproval.key === undefined);
  }

  get isClosing(): boolean {
    return this.#owner.isReleased;
  }

  get step(): JournaledCall | undefined {
    return this.#owner.isNested ? undefined : this;
  }

  started(effect: Effect): void | Promise<void> {
    this.effect = effect;
    // Read-only calls may be re-executed, so their start is not journaled.
    if (effect === "pure" || effect === "read") return undefined;
    return this.#owner.started(this);
  }

  record(record: CallRecord): boolean {
    if (!this.#owner.isDurable) return false;
    this.journaledRecord = record;
    return true;
  }

  progress(value: unknown): void {
    this.#owner.progress(this.key, value);
  }

  get earlierAttempts(): number {
    return (this.work.attempt ?? 1) - 1;
  }

  get approver(): Approver | undefined {
    return this.#owner.approverOf(this);
  }

  get innerApprover(): Approver | undefined {
    return this.#owner.innerApproverOf(this);
  }
}
