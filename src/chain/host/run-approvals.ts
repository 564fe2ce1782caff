import type { Clock, Timer } from "../../base/index.ts";
import { type Approver, approvalKey, engineDefaults } from "../../engine/index.ts";
import type { Approval, ApprovalRequest, ApprovalStore, Decision } from "../../store/index.ts";
import { cannotWait } from "./cannot-wait.ts";
import type { ApprovalWait, DecidedOutcome } from "./host.ts";
import type { AskedBefore } from "./past.ts";
import type { StepCall } from "./step-call.ts";
import { undoMessage } from "./undo-message.ts";

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
  /** Journals which approval the question is about; resolves when that is durable. `note`: see {@link HostListener}. */
  readonly onAsked: (key: string, approval: Approval, note: string | undefined) => Promise<void>;
  /** Journals the decision; resolves when it is durable, with false when it could not be journaled. */
  readonly onDecided: (key: string, outcome: DecidedOutcome) => Promise<boolean>;
  /** A question is open, and nobody here can answer it. */
  readonly onParked: () => void;
  readonly onError: (error: unknown) => void;
}

/** A decision that does not count, because of who made it. */
interface Disregarded {
  readonly approvalId: string;
  readonly note: string;
}

class Question {
  readonly wait: ApprovalWait;
  readonly instead: Disregarded | undefined;
  readonly withdrawn = new AbortController();
  /** Absent until the store has it. */
  approval: Approval | undefined = undefined;
  /** Somebody here may still answer it, or the store is being asked. */
  busy = true;
  /** When the time for an answer is over. */
  timer: Timer | undefined = undefined;

  /** @param instead What it is asked again for. */
  constructor(wait: ApprovalWait, instead?: Disregarded) {
    this.wait = wait;
    this.instead = instead;
  }
}

/**
 * The questions of one run. An approval is bound to run, step and arguments, so that nothing else can use it; it counts
 * as used once the journal has the decision, so that a crash in between loses nothing.
 */
export class RunApprovals {
  readonly #parts: RunApprovalsParts;
  readonly #open = new Map<string, Question>();
  /** Questions on their way to the store. */
  readonly #requests = new Set<Promise<Approval>>();

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

  /** Puts a question; `before` is what an earlier life of the run knows of it. */
  ask(key: string, wait: ApprovalWait, before?: AskedBefore): void {
    this.#begin(key, new Question(wait), before);
  }

  withdraw(key: string): void {
    const question = this.#open.get(key);
    this.#open.delete(key);
    question?.timer?.cancel();
    question?.withdrawn.abort();
  }

  /** Nobody waits for answers any more. */
  close(): void {
    for (const key of this.#open.keys()) this.withdraw(key);
  }

  /** Has somebody decided elsewhere, or is the time over? */
  async poll(): Promise<void> {
    for (const [key, question] of this.#open) {
      if (question.approval !== undefined) await this.#decide(key, question, await this.#now(question.approval));
    }
  }

  /** The run is over: nobody needs an answer to what is still open, and nobody is to be asked for one. */
  async rejectOpen(): Promise<void> {
    const { store, clock, runId } = this.#parts;
    try {
      await Promise.allSettled(this.#requests);
      for (const { id, runId: of } of await store.list(clock.now(), "pending")) {
        if (of === runId) await store.decide(id, { approved: false, note: "the run is over" }, clock.now());
      }
    } catch (error) {
      process.emitWarning(`questions of run ${runId}, which is over, are still open: ${String(error)}`);
    }
  }

  /** Asks for a call that a rule wants a person to allow: the same question, the same journal. */
  approverFor(call: StepCall): Approver {
    return {
      ask: async (request) => {
        const { runId } = this.#parts;
        const { approvalId, allowed = [] } = call.work;
        const base = baseOf(call.key);
        const key = approvalKey(runId, [base, request.key], undefined);
        if (approvalId !== undefined || allowed.includes(key)) return { kind: "approved" };
        call.asksKey = key;
        const { id } = await this.#request({ ...request, key, runId, ...aboutStep(base, request.message) });
        return { kind: "parked", id };
      },
    };
  }

  /** Asks for a call that the tool of a step makes on its own: once somebody said yes, the step is made again. */
  innerApproverFor(call: StepCall): Approver {
    return {
      ask: async (request, _signal, chosen = false) => {
        const { runId } = this.#parts;
        const { tool, allowed = [] } = call.work;
        const base = baseOf(call.key);
        // Other than that of the step's own call, also where the tool calls itself.
        const key = approvalKey(runId, [base, "inside", request.key], undefined);
        if (allowed.includes(key)) return { kind: "approved" };
        if (call.effect === "once" && !chosen)
          return { kind: "rejected", asked: false, note: cannotWait(tool, request.tool) };
        const message = `${request.message} (${tool} wants to call it)`;
        const asked = await this.#request({ ...request, key, runId, ...aboutStep(base, message) });
        const { id: approvalId, status, note, args } = asked;
        if (status === "approved") return { kind: "approved" };
        if (status === "rejected") return { kind: "rejected", ...(note !== undefined && { note }) };
        call.asks ??= { approvalId, key, tool: request.tool, args, message };
        return { kind: "parked", id: approvalId };
      },
    };
  }

  #begin(key: string, question: Question, before?: AskedBefore): void {
    this.#open.set(key, question);
    this.#put(key, question, before).catch(this.#parts.onError);
  }

  async #put(key: string, question: Question, before: AskedBefore | undefined): Promise<void> {
    const { clock, onAsked, onParked } = this.#parts;
    const known = await this.#known(question, before);
    if (this.#open.get(key) !== question) return;
    const lost = known === undefined ? lostQuestion(question, before, clock.now()) : undefined;
    if (lost !== undefined) {
      this.withdraw(key);
      await this.#parts.onDecided(key, lost);
      return;
    }
    const approval = known ?? (await this.#request(this.#requestOf(key, question)));
    if (this.#open.get(key) !== question) return;
    await onAsked(key, approval, question.instead?.note);
    if (await this.#decide(key, question, approval)) return;
    question.approval = approval;
    this.#watch(key, question, approval);
    const decision = await this.#askHere(approval, question.withdrawn.signal);
    if (this.#open.get(key) !== question) return;
    if (await this.#decide(key, question, await this.#decided(key, approval, decision))) return;
    question.busy = false;
    onParked();
  }

  /** The approval that the question is about, when it was asked before. */
  async #known({ wait, instead }: Question, before: AskedBefore | undefined): Promise<Approval | undefined> {
    const id = before?.approvalId ?? wait.approvalId;
    if (id === undefined || instead !== undefined) return undefined;
    return this.#parts.store.get(id, this.#parts.clock.now());
  }

  /** The approval as it stands after somebody here was asked. */
  async #decided(key: string, approval: Approval, decision: Decision | undefined): Promise<Approval> {
    const { store, clock, onAsked } = this.#parts;
    if (decision === undefined) return this.#now(approval);
    if (mayDecide(approval, decision.by)) return (await store.decide(approval.id, decision, clock.now())) ?? approval;
    await onAsked(key, approval, disregarded(approval, decision.by));
    return this.#now(approval);
  }

  async #now(approval: Approval): Promise<Approval> {
    const { store, clock } = this.#parts;
    const now = clock.now();
    const kept = await store.get(approval.id, now);
    return kept ?? (now < approval.expiresAt ? approval : { ...approval, status: "expired" });
  }

  #request(request: ApprovalRequest): Promise<Approval> {
    const asked = this.#parts.store.request(request);
    this.#requests.add(asked);
    const over = (): void => void this.#requests.delete(asked);
    asked.then(over, over);
    return asked;
  }

  #requestOf(key: string, { wait, instead }: Question): ApprovalRequest {
    const { clock, runId, principal, redact } = this.#parts;
    const { tool, message, approvers, step, interrupted } = wait;
    const about = [key, tool, wait.args];
    return {
      // The run belongs to one principal, and its id is in the key.
      key: approvalKey(runId, instead === undefined ? about : [...about, instead.approvalId], undefined),
      tool,
      args: redact(wait.args),
      message: String(redact(message)),
      callerType: "workflow_node",
      expiresAt: clock.now() + (wait.expiresMs ?? engineDefaults.approvalMs),
      runId,
      step,
      ...(principal !== undefined && { principal }),
      ...(approvers.length > 0 && { approvers }),
      ...(interrupted && { interrupted }),
    };
  }

  /** Notices when the time is over, also where nobody polls. Whoever is asked here keeps the process alive, not this. */
  #watch(key: string, question: Question, { expiresAt }: Approval): void {
    const { clock, onError } = this.#parts;
    question.timer = clock.after(Math.min(Math.max(0, expiresAt - clock.now()), longest), () => {
      this.#look(key, question).catch(onError);
    });
    question.timer.hold(false);
  }

  async #look(key: string, question: Question): Promise<void> {
    if (question.approval === undefined) return;
    const approval = await this.#now(question.approval);
    if (!(await this.#decide(key, question, approval))) this.#watch(key, question, approval);
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

  /** False while nobody has decided; true when there is nothing more to wait for under this question. */
  async #decide(key: string, question: Question, approval: Approval): Promise<boolean> {
    if (this.#open.get(key) !== question) return true;
    const status = verdictOf(approval);
    if (status === undefined) return false;
    this.withdraw(key);
    const { id, decidedBy, note, done } = approval;
    const disregard = status === "expired" ? undefined : whyDisregarded(approval, question.wait);
    if (disregard !== undefined) {
      // The first decision is the last one of an approval: the same is asked once more, under another id.
      this.#begin(key, new Question(question.wait, { approvalId: id, note: disregard }));
      return true;
    }
    const decided = { kind: "decided", approvalId: id, status, by: decidedBy, note } as const;
    const outcome = done === undefined ? decided : { ...decided, done };
    const kept = await this.#parts.onDecided(key, outcome);
    if (!kept || status !== "approved" || approval.status === "used") return true;
    // It was given in time, whenever the run hears of it.
    await this.#parts.store.consume(approval.key, approval.decidedAt ?? this.#parts.clock.now());
    return true;
  }
}

/** What counts as the answer to a question that the store does not have, and that is not to be asked anew. */
function lostQuestion(
  { wait, instead }: Question,
  before: AskedBefore | undefined,
  now: number,
): DecidedOutcome | undefined {
  const none = { kind: "decided", by: undefined } as const;
  if (before !== undefined) {
    // Removed, since its time was over long ago.
    return before.due <= now
      ? { ...none, approvalId: before.approvalId, status: "expired", note: undefined }
      : undefined;
  }
  const { approvalId } = wait;
  if (approvalId === undefined || instead !== undefined) return undefined;
  // Of an agent that keeps its questions in a place of its own.
  const note = `approval ${approvalId} is kept elsewhere, so that nobody can be asked here`;
  return { ...none, approvalId, status: "rejected", note };
}

/** No timer of the system can be set for longer. */
const longest = 2 ** 31 - 1;

/** What was decided; undefined while nobody has. */
function verdictOf({ status, decidedAt }: Approval): DecidedOutcome["status"] | undefined {
  switch (status) {
    case "pending":
      return undefined;
    // Used by an earlier owner of this run, whose journal no longer took the decision: it holds all the same.
    case "used":
      return "approved";
    // A decision that was made in time counts, also when the run hears of it later; only what was approved expires.
    case "expired":
      return decidedAt === undefined ? "expired" : "approved";
    case "approved":
    case "rejected":
      return status;
  }
}

function mayDecide({ approvers = [] }: Approval, by: string | undefined): boolean {
  return approvers.length === 0 || (by !== undefined && approvers.includes(by));
}

/** Why a decision does not count; undefined when it does. */
function whyDisregarded(approval: Approval, { interrupted }: ApprovalWait): string | undefined {
  if (!mayDecide(approval, approval.decidedBy)) return disregarded(approval, approval.decidedBy);
  if (approval.done === undefined || interrupted === true) return undefined;
  return "it was not running when a process ended, so nobody can say that it was done: approve or reject it";
}

function disregarded({ approvers = [] }: Approval, by: string | undefined): string {
  return `the decision of ${by ?? "somebody without a name"} does not count, only ${approvers.join(" or ")} may decide`;
}

/** The key without its attempt: another attempt with the same arguments needs no other approval. */
function baseOf(key: string): string {
  return key.slice(0, key.lastIndexOf("#"));
}

/** The step that a key without its attempt belongs to, and the question as it concerns the step. */
function aboutStep(base: string, message: string): Pick<ApprovalRequest, "message"> & { readonly step: string } {
  const step = base.replaceAll(/[#~!]\d+|\^$/g, "");
  return { step, message: base.endsWith("^") ? undoMessage(step, message) : message };
}
