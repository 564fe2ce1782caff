import type { Bagged } from "../../base/index.ts";
import type { Effect } from "../../tool/index.ts";
import type { RunApprovals } from "../approvals/run-approvals.ts";
import type { CallEnd, CallRequest, CallRunner, CallSink, RunApprover, RunningCall } from "../call-runner.ts";

/** The host, as seen by the call of a step. */
export interface RunCallOwner {
  /** Journals the start of a handler that has side effects. */
  started(key: string, effect: Effect): Promise<void> | undefined;
  ended(call: RunCall, end: CallEnd): void;
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
  readonly approvals: RunApprovals | undefined;
}

/** One running call of a run, and its connection to the runner that makes it. */
export class RunCall implements CallSink, Bagged {
  position = -1;
  readonly request: CallRequest;
  readonly #owner: RunCallOwner;
  #running: RunningCall | undefined = undefined;
  #isOver = false;

  constructor(owner: RunCallOwner, request: CallRequest) {
    this.#owner = owner;
    this.request = request;
  }

  /** Starts the call. Returns false if it ended synchronously, true if it is still running. */
  begin(runner: CallRunner): boolean {
    this.#running = runner.begin(this.request, this);
    return !this.#isOver;
  }

  stop(): void {
    this.#running?.stop("cancelled");
  }

  detach(): void {
    this.#running?.detach();
  }

  started(effect: Effect): Promise<void> | undefined {
    // Read-only calls may be re-executed, so their start is not journaled.
    return effect === "pure" || effect === "read" ? undefined : this.#owner.started(this.request.key, effect);
  }

  ended(end: CallEnd): void {
    this.#isOver = true;
    this.#owner.ended(this, end);
  }

  progress(value: unknown): void {
    this.#owner.progress(this.request.key, value);
  }

  get isDurable(): boolean {
    return this.#owner.isDurable;
  }

  get isNested(): boolean {
    return this.#owner.isNested;
  }

  get isClosing(): boolean {
    return this.#owner.isReleased;
  }

  get approver(): RunApprover | undefined {
    return this.#owner.approvals?.approverFor(this.request);
  }

  get innerApprover(): RunApprover | undefined {
    return this.#owner.approvals?.innerApproverFor(this.request);
  }
}
