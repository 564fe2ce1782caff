import type { Clock } from "../../base/index.ts";
import { type Approver, approvalKey, engineDefaults } from "../../engine/index.ts";
import type { Approval, ApprovalStore, Decision } from "../../store/index.ts";
import type { ApprovalWait, DecidedOutcome } from "./host.ts";
import type { StepCall } from "./step-call.ts";

/** Asks a person right here; undefined when there is nobody to ask. */
export type AskPerson = (approval: Approval, signal: AbortSignal) => Promise<Decision | undefined>;

/** What {@link RunApprovals} needs. */
export interface RunApprovalsParts {
  readonly runId: string;
  readonly store: ApprovalStore;
  readonly clock: Clock;
  readonly principal: string | undefined;
  readonly ask: AskPerson | undefined;
  readonly redact: (value: unknown) => unknown;
  /** The question has an id now. */
  readonly onAsked: (key: string, approvalId: string) => void;
  /** Journals the decision; resolves when it is durable, with false when it could not be journaled. */
  readonly onDecided: (key: string, outcome: DecidedOutcome) => Promise<boolean>;
  /** A question is open, and nobody here can answer it. */
  readonly onParked: () => void;
  readonly onError: (error: unknown) => void;
}

interface Question {
  /** Absent until the store has it. */
  approval: Approval | undefined;
  /** Somebody here may still answer it, or the store is being asked. */
  busy: boolean;
  readonly withdrawn: AbortController;
}

/**
 * The questions of one run. An approval is bound to run, step and arguments, so that nothing else can use it; it counts
 * as used once the journal has the decision, so that a crash in between loses nothing.
 */
export class RunApprovals {
  readonly #parts: RunApprovalsParts;
  readonly #open = new Map<string, Question>();

  constructor(parts: RunApprovalsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  /** All open questions wait for somebody who is not here. */
  get parked(): boolean {
    for (const { busy } of this.#open.values()) if (busy) return false;
    return this.#open.size > 0;
  }

  ask(key: string, wait: ApprovalWait): void {
    const question: Question = { approval: undefined, busy: true, withdrawn: new AbortController() };
    this.#open.set(key, question);
    this.#put(key, wait, question).catch(this.#parts.onError);
  }

  withdraw(key: string): void {
    const question = this.#open.get(key);
    this.#open.delete(key);
    question?.withdrawn.abort();
  }

  /** Nobody waits for answers any more. */
  close(): void {
    for (const key of this.#open.keys()) this.withdraw(key);
  }

  /** Has somebody decided elsewhere? */
  async poll(): Promise<void> {
    const { store, clock } = this.#parts;
    for (const [key, { approval }] of this.#open) {
      if (approval === undefined) continue;
      const now = await store.get(approval.id, clock.now());
      if (now !== undefined) await this.#decide(key, now);
    }
  }

  /** Asks for a call that a rule wants a person to allow: the same question, the same journal. */
  approverFor(call: StepCall): Approver {
    return {
      ask: async (request) => {
        if (call.work.approvalId !== undefined) return { kind: "approved" };
        const { runId, store } = this.#parts;
        const base = baseOf(call.key);
        const key = approvalKey(runId, [base, request.key], undefined);
        const { id } = await store.request({ ...request, key, runId, step: base.replaceAll(/#\d+/g, "") });
        return { kind: "parked", id };
      },
    };
  }

  async #put(key: string, wait: ApprovalWait, question: Question): Promise<void> {
    const approval = await this.#request(key, wait);
    if (this.#open.get(key) !== question) return;
    this.#parts.onAsked(key, approval.id);
    if (await this.#decide(key, approval)) return;
    question.approval = approval;
    const decision = await this.#askHere(approval, question.withdrawn.signal);
    if (this.#open.get(key) !== question) return;
    const { store, clock, onParked } = this.#parts;
    const decided = decision === undefined ? undefined : await store.decide(approval.id, decision, clock.now());
    if (decided !== undefined && (await this.#decide(key, decided))) return;
    question.busy = false;
    onParked();
  }

  async #request(key: string, wait: ApprovalWait): Promise<Approval> {
    const { store, clock, runId, principal, redact } = this.#parts;
    const now = clock.now();
    const asked = wait.approvalId === undefined ? undefined : await store.get(wait.approvalId, now);
    if (asked !== undefined) return asked;
    const { tool, message, approvers, step } = wait;
    return store.request({
      // The run belongs to one principal, and its id is in the key.
      key: approvalKey(runId, [key, tool, wait.args], undefined),
      tool,
      args: redact(wait.args),
      message,
      callerType: "workflow_node",
      expiresAt: now + (wait.expiresMs ?? engineDefaults.approvalMs),
      runId,
      step,
      ...(principal !== undefined && { principal }),
      ...(approvers.length > 0 && { approvers }),
    });
  }

  /** Whoever asks people here is written by users: one that breaks has no answer, and the question stays open. */
  async #askHere(approval: Approval, withdrawn: AbortSignal): Promise<Decision | undefined> {
    try {
      return await this.#parts.ask?.(approval, withdrawn);
    } catch (error) {
      if (!withdrawn.aborted) process.emitWarning(`asking for approval ${approval.id} failed: ${String(error)}`);
      return undefined;
    }
  }

  /** False while nobody has decided. */
  async #decide(key: string, approval: Approval): Promise<boolean> {
    if (!this.#open.has(key)) return true;
    const { id, status, decidedBy, note } = approval;
    if (status === "pending") return false;
    this.withdraw(key);
    // Used by an earlier owner of this run, whose journal no longer took the decision: it holds all the same.
    const verdict = status === "used" ? "approved" : status;
    const outcome = { kind: "decided", approvalId: id, status: verdict, by: decidedBy, note } as const;
    const kept = await this.#parts.onDecided(key, outcome);
    if (kept && status === "approved") await this.#parts.store.consume(approval.key, this.#parts.clock.now());
    return true;
  }
}

/** The key without its attempt: another attempt with the same arguments needs no other approval. */
function baseOf(key: string): string {
  return key.slice(0, key.lastIndexOf("#"));
}
