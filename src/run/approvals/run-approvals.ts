import type { Clock, Timer } from "../../base/index.ts";
import {
  type ApprovalEnd,
  type ApprovalService,
  type RequestApproval,
  approvalKey,
  endOf,
  engineDefaults,
} from "../../engine/index.ts";
import { type Approval, type ApprovalRequest, type Decision, type RunWait, neverExpires } from "../../store/index.ts";
import { cannotSuspendReason } from "./cannot-suspend.ts";
import type { CallRequest, RunApprover } from "../call-runner.ts";
import type { ApprovalWait, DecidedOutcome } from "../host.ts";
import type { RecordedApproval } from "../replay/replay-log.ts";
import { aboutStep, baseOf } from "./approval-rules.ts";

/** Receives the results of approvals. */
export interface ApprovalSink {
  /**
   * Journals the id of the approval that is requested under this key. Resolves when the event is durable. `note`: see
   * {@link HostListener}.
   */
  readonly onRequested: (key: string, approval: Approval, note: string | undefined) => Promise<void>;
  /** Journals the decision. Resolves when it is durable, with false if it could not be journaled. */
  readonly onDecided: (key: string, outcome: DecidedOutcome) => Promise<boolean>;
  /** Called when an approval is pending and no approver in this process can decide it. */
  readonly onSuspended: () => void;
  readonly onError: (error: unknown) => void;
}

/** Dependencies of {@link RunApprovals}. */
interface RunApprovalsDeps extends ApprovalSink {
  readonly runId: string;
  readonly approvals: ApprovalService;
  readonly clock: Clock;
  readonly principal: string | undefined;
  readonly requestApproval: RequestApproval | undefined;
  readonly redact: (value: unknown) => unknown;
  /** Lifetime of approvals for interrupted calls. Default: they do not expire. */
  readonly interruptedMs?: number | undefined;
}

/** An end of an approval that does not count: a decision by a person who may not decide, or an expiry. */
interface Disregarded {
  readonly approvalId: string;
  readonly note: string;
}

class TrackedApproval {
  readonly wait: ApprovalWait;
  readonly alternative: Disregarded | undefined;
  readonly withdrawn = new AbortController();
  /** Undefined until the store has it. */
  approval: Approval | undefined = undefined;
  /** True while an approver in this process may still decide, or while the store is being read. */
  busy = true;
  /** Fires when the approval expires. */
  timer: Timer | undefined = undefined;

  /** @param instead The disregarded decision that made this second request necessary. */
  constructor(wait: ApprovalWait, instead?: Disregarded) {
    this.wait = wait;
    this.alternative = instead;
  }
}

/**
 * The approvals of one run. An approval is bound to the run, the step and the arguments, so no other call can consume
 * it. It counts as used only after the decision is durable in the journal, so a crash in between loses nothing.
 */
export class RunApprovals {
  readonly #parts: RunApprovalsDeps;
  readonly #open = new Map<string, TrackedApproval>();
  /** Requests that are being written to the store. */
  readonly #requests = new Set<Promise<Approval>>();

  constructor(parts: RunApprovalsDeps) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  /** True if every open approval waits for an approver outside this process. */
  get isSuspended(): boolean {
    for (const { busy } of this.#open.values()) if (busy) return false;
    return this.#open.size > 0;
  }

  /** The open approvals, and the time at which the first of them expires. */
  get waitsFor(): RunWait {
    const open = [...this.#open.values()].flatMap(({ approval }) => (approval === undefined ? [] : [approval]));
    const until = Math.min(...open.map(({ expiresAt }) => expiresAt));
    return { approvals: open.map(({ id }) => id), ...(until < neverExpires && { until }) };
  }

  /** Requests an approval. `before` is the request that the journal already has, if the run is resumed. */
  request(key: string, wait: ApprovalWait, before?: RecordedApproval): void {
    this.#begin(key, new TrackedApproval(wait), before);
  }

  withdraw(key: string): void {
    const pendingApproval = this.#open.get(key);
    this.#open.delete(key);
    pendingApproval?.timer?.cancel();
    pendingApproval?.withdrawn.abort();
  }

  /** Withdraws all open requests: no one awaits the decisions any more. */
  close(): void {
    for (const key of this.#open.keys()) this.withdraw(key);
  }

  /** Reads the store for decisions that were made in other processes, and for expired approvals. */
  async poll(): Promise<void> {
    for (const [key, pendingApproval] of this.#open) {
      if (pendingApproval.approval !== undefined)
        await this.#decide(key, pendingApproval, await this.#parts.approvals.read(pendingApproval.approval));
    }
  }

  /**
   * Rejects the approvals that are still pending when the run has ended, so that no one is prompted for a decision that
   * no longer matters.
   */
  async rejectOpen(): Promise<void> {
    const { approvals, runId } = this.#parts;
    try {
      await Promise.allSettled(this.#requests);
      await approvals.rejectPending(runId);
    } catch (error) {
      process.emitWarning(`run ${runId} has ended, but its pending approvals could not be closed: ${String(error)}`);
    }
  }

  /**
   * Approver for a step's own call that needs approval by a permission rule. Uses the same store and journal as a
   * step's `approval:`.
   */
  approverFor({ key: callKey, approvalId, allowed = [] }: CallRequest): RunApprover {
    return {
      bindsToRun: true,
      requestApproval: async (request) => {
        const { runId } = this.#parts;
        const base = baseOf(callKey);
        const key = approvalKey(runId, [base, request.key], undefined);
        if (approvalId !== undefined || allowed.includes(key)) return { kind: "approved" };
        const { id } = await this.#request({ ...request, key, runId, ...aboutStep(base, request.message) });
        return { kind: "pending", id, needs: { approvalKey: key } };
      },
    };
  }

  /** Approver for calls that the tool of a step makes itself. After an approval the whole step is re-executed. */
  innerApproverFor({ key: callKey, tool, allowed = [] }: CallRequest): RunApprover {
    return {
      bindsToRun: true,
      requestApproval: async (request, _signal, isRepeatable = false) => {
        const { runId } = this.#parts;
        const base = baseOf(callKey);
        // Differs from the key of the step's own call even if the tool calls itself.
        const key = approvalKey(runId, [base, "inside", request.key], undefined);
        if (allowed.includes(key)) return { kind: "approved" };
        if (!isRepeatable)
          return { kind: "rejected", wasRequested: false, note: cannotSuspendReason(tool, request.tool) };
        const message = `${request.message} (${tool} wants to call it)`;
        const recordedApproval = await this.#request({ ...request, key, runId, ...aboutStep(base, message) });
        const { id: approvalId, status, note, args } = recordedApproval;
        if (status === "approved") return { kind: "approved" };
        if (status === "rejected") return { kind: "rejected", ...(note !== undefined && { note }) };
        const pendingApproval = { approvalId, key, tool: request.tool, args, message };
        return { kind: "pending", id: approvalId, needs: { pendingApproval } };
      },
    };
  }

  #begin(key: string, pendingApproval: TrackedApproval, before?: RecordedApproval): void {
    this.#open.set(key, pendingApproval);
    this.#put(key, pendingApproval, before).catch(this.#parts.onError);
  }

  async #put(key: string, pendingApproval: TrackedApproval, before: RecordedApproval | undefined): Promise<void> {
    const { clock, onRequested, onSuspended } = this.#parts;
    const known = await this.#known(pendingApproval, before);
    if (this.#open.get(key) !== pendingApproval) return;
    const lost = known === undefined ? this.#lostOutcome(pendingApproval, before, clock.now()) : undefined;
    if (lost !== undefined) {
      this.withdraw(key);
      await this.#parts.onDecided(key, lost);
      return;
    }
    const approval = known ?? (await this.#request(this.#requestOf(key, pendingApproval)));
    if (this.#open.get(key) !== pendingApproval) return;
    await onRequested(key, approval, pendingApproval.alternative?.note);
    if (await this.#decide(key, pendingApproval, approval)) return;
    pendingApproval.approval = approval;
    this.#watch(key, pendingApproval, approval);
    const decision = await this.#requestLocally(approval, pendingApproval.withdrawn.signal);
    if (this.#open.get(key) !== pendingApproval) return;
    if (await this.#decide(key, pendingApproval, await this.#decided(key, approval, decision))) return;
    pendingApproval.busy = false;
    onSuspended();
  }

  /** Returns the stored approval if it was requested before. */
  async #known(
    { wait, alternative }: TrackedApproval,
    before: RecordedApproval | undefined,
  ): Promise<Approval | undefined> {
    const id = before?.approvalId ?? wait.approvalId;
    if (id === undefined || alternative !== undefined) return undefined;
    return this.#parts.approvals.find(id);
  }

  /** Returns the current state of the approval after an approver in this process was prompted. */
  async #decided(key: string, approval: Approval, decision: Decision | undefined): Promise<Approval> {
    const { approvals, onRequested } = this.#parts;
    const decided = decision && (await approvals.decide(approval.id, decision));
    if (decided?.approval.status === "pending") await onRequested(key, approval, decided.refusal?.message);
    return decided?.approval ?? approvals.read(approval);
  }

  #request(request: ApprovalRequest): Promise<Approval> {
    const recordedApproval = this.#parts.approvals.request(request);
    this.#requests.add(recordedApproval);
    const over = (): void => void this.#requests.delete(recordedApproval);
    recordedApproval.then(over, over);
    return recordedApproval;
  }

  #requestOf(key: string, { wait, alternative }: TrackedApproval): ApprovalRequest {
    const { runId, principal, redact } = this.#parts;
    const { tool, message, approvers, step, interrupted } = wait;
    const about = [key, tool, wait.args];
    return {
      // No principal in the key: the run belongs to one principal, and its id is part of the key.
      key: approvalKey(runId, alternative === undefined ? about : [...about, alternative.approvalId], undefined),
      tool,
      args: redact(wait.args),
      message: String(redact(message)),
      callerType: "workflow_node",
      expiresAt: this.#expiryOf(wait),
      runId,
      step,
      ...(principal !== undefined && { principal }),
      ...(approvers.length > 0 && { approvers }),
      ...(interrupted && { interrupted }),
    };
  }

  #expiryOf({ expiresMs = engineDefaults.approvalMs, interrupted }: ApprovalWait): number {
    const { clock, interruptedMs } = this.#parts;
    if (interrupted !== true) return clock.now() + expiresMs;
    return interruptedMs === undefined ? neverExpires : clock.now() + interruptedMs;
  }

  /** True if an expired approval is requested again: one of an earlier version, in which all approvals expired. */
  #ignoresExpiry({ interrupted }: ApprovalWait): boolean {
    return interrupted === true && this.#parts.interruptedMs === undefined;
  }

  /** Returns why the end of an approval does not count, or undefined if it does. */
  #whyDisregarded({ id }: Approval, { status, disregarded }: ApprovalEnd, wait: ApprovalWait): string | undefined {
    if (status !== "expired") return disregarded;
    return this.#ignoresExpiry(wait) ? `approval ${id} expired without a decision` : undefined;
  }

  /**
   * Outcome of an approval that is missing in the store and must not be requested again. Undefined if it is to be
   * requested.
   */
  #lostOutcome(
    { wait, alternative }: TrackedApproval,
    before: RecordedApproval | undefined,
    now: number,
  ): DecidedOutcome | undefined {
    const none = { kind: "decided", by: undefined } as const;
    if (before !== undefined) {
      // The store has removed it because it expired long ago.
      return before.due <= now && !this.#ignoresExpiry(wait)
        ? { ...none, approvalId: before.approvalId, status: "expired", note: undefined }
        : undefined;
    }
    const { approvalId } = wait;
    if (approvalId === undefined || alternative !== undefined) return undefined;
    // Requested by an agent that uses another approval store.
    const note = `approval ${approvalId} is in another approval store and cannot be decided here`;
    return { ...none, approvalId, status: "rejected", note };
  }

  /** Detects expiry even if nothing polls. The timer does not keep the process alive; a local approver prompt does. */
  #watch(key: string, pendingApproval: TrackedApproval, { expiresAt }: Approval): void {
    const { clock, onError } = this.#parts;
    pendingApproval.timer = clock.after(Math.min(Math.max(0, expiresAt - clock.now()), maxDelayMs), () => {
      this.#look(key, pendingApproval).catch(onError);
    });
    pendingApproval.timer.hold(false);
  }

  async #look(key: string, pendingApproval: TrackedApproval): Promise<void> {
    if (pendingApproval.approval === undefined) return;
    const approval = await this.#parts.approvals.read(pendingApproval.approval);
    if (!(await this.#decide(key, pendingApproval, approval))) this.#watch(key, pendingApproval, approval);
  }

  /**
   * Prompts the local approver. That is user code: if it throws, there is no decision and the approval stays pending.
   */
  async #requestLocally(approval: Approval, withdrawn: AbortSignal): Promise<Decision | undefined> {
    try {
      return await this.#parts.requestApproval?.(approval, withdrawn);
    } catch (error) {
      if (!withdrawn.aborted) process.emitWarning(`requesting approval ${approval.id} failed: ${String(error)}`);
      return undefined;
    }
  }

  /**
   * Settles the wait if the approval is decided. False while it is pending, true if there is nothing more to wait for
   * under this key.
   */
  async #decide(key: string, pendingApproval: TrackedApproval, approval: Approval): Promise<boolean> {
    if (this.#open.get(key) !== pendingApproval) return true;
    const end = endOf(approval);
    if (end === undefined) return false;
    const { status } = end;
    this.withdraw(key);
    const { id, decidedBy, note, done } = approval;
    const disregard = this.#whyDisregarded(approval, end, pendingApproval.wait);
    if (disregard !== undefined) {
      // The end of an approval is final, so a new approval with another id is requested.
      this.#begin(key, new TrackedApproval(pendingApproval.wait, { approvalId: id, note: disregard }));
      return true;
    }
    const decided = { kind: "decided", approvalId: id, status, by: decidedBy, note } as const;
    const outcome = done === undefined ? decided : { ...decided, done };
    if (await this.#parts.onDecided(key, outcome)) await this.#parts.approvals.use(approval);
    return true;
  }
}

/** The longest delay that a system timer supports. */
const maxDelayMs = 2 ** 31 - 1;
