import {
  type Clock,
  createIdGenerator,
  cliCommand,
  fail,
  failure,
  isFailureError,
  systemClock,
} from "../../base/index.ts";
import type { Redactor } from "../../secrets/index.ts";
import type {
  ApprovalStore,
  Claim,
  LeaseHolder,
  RunJournal,
  RunKindId,
  RunLease,
  RunQuery,
  RunStatus,
  StoredRun,
} from "../../store/index.ts";
import { withRunLifecycle } from "../host/executor.ts";
import { openHost } from "../host/open-host.ts";
import { RunLeases, checkRunId, runHeldFailure } from "../leases/run-leases.ts";
import { type HeldRun, type RunExecuteOptions, type RunKind, type RunExecution } from "./run-kind.ts";
import { type RunRecording, SealedJournal } from "../sealed-journal.ts";
import type { JournalSecrets } from "../seal-secrets.ts";

/** Ports and settings of a {@link RunService}. */
export interface RunServiceDeps {
  readonly journal: RunJournal;
  readonly approvals: ApprovalStore;
  readonly owner: LeaseHolder;
  /** Redacts and opens secrets; usually the engine. */
  readonly secrets: JournalSecrets & { readonly redactor: Pick<Redactor, "value" | "known"> };
  /** Lifetime of approvals for calls that were running when their process ended. Default: they do not expire. */
  readonly interruptedApprovalMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** A kind whose types do not matter. */
// oxlint-disable-next-line typescript/no-explicit-any -- kinds differ in all of their types
type AnyKind = RunKind<any, any, any>;

/** The kinds of runs in messages. They are known without loading their code. */
const titles: Readonly<Record<RunKindId, string>> = { chain: "a chain", agent: "an agent", call: "a tool" };
const repeating: Readonly<Record<RunKindId, () => string>> = {
  chain: () => `use ${cliCommand("rerun")}`,
  agent: () => "send the prompt again",
  call: () => "start another call",
};

/** Interval in milliseconds at which abandoned runs are looked up and claimed. */
const adoptMs = 250;

/**
 * Durable runs of all kinds: journaled, held by one process at a time, and claimed by another one if that process ends.
 */
export class RunService {
  readonly journal: SealedJournal;
  readonly approvals: ApprovalStore;
  readonly clock: Clock;
  readonly #parts: RunServiceDeps;
  readonly #leases: RunLeases;
  readonly #ids = createIdGenerator();
  readonly #kinds = new Map<RunKindId, AnyKind>();

  constructor(parts: RunServiceDeps) {
    const { journal, approvals, owner, clock = systemClock } = parts;
    this.#parts = parts;
    this.clock = clock;
    this.approvals = approvals;
    this.journal = new SealedJournal(journal, parts.secrets, ({ kind }) => this.#kinds.get(kind)?.usesSecrets ?? false);
    this.#leases = new RunLeases({ journal, owner, clock });
  }

  /** Registers a kind of runs: only runs of registered kinds are executed here. */
  register<Spec, Options extends RunExecuteOptions, Result>(kind: RunKind<Spec, Options, Result>): void {
    this.#kinds.set(kind.id, kind);
  }

  /** True if no run can be started any more. */
  get isClosing(): boolean {
    return this.#leases.isClosing;
  }

  /** The caller's id for a new run, or a new one. Throws if it is not a valid run id. */
  newRunId(runId?: string): string {
    return checkRunId(runId) ?? this.#ids.next();
  }

  /** Starts a run, or joins the run with its id. Throws if it cannot start here. */
  start<Spec, Options extends RunExecuteOptions, Result>(
    kind: RunKind<Spec, Options, Result>,
    spec: Spec,
    options: Options,
  ): Promise<Result> {
    return this.#leases.track(this.#start(kind, spec, options));
  }

  async #start<Spec, Options extends RunExecuteOptions, Result>(
    kind: RunKind<Spec, Options, Result>,
    spec: Spec,
    options: Options,
  ): Promise<Result> {
    // Checked before anything is stored: a run that cannot start leaves no trace.
    this.#leases.checkOpen();
    const prepared = await kind.prepare(spec, options);
    const created = await this.journal.create(prepared.run, this.#parts.owner, prepared.events);
    if ("existing" in created) {
      prepared.checkExisting(created.existing);
      return this.join(kind, prepared.run.id, options);
    }
    const { lease } = created;
    return this.#releasing(lease, "running", () => this.#execute(lease, prepared.program(lease), options));
  }

  /** Resumes a run that was released, or whose process has ended. For a finished run, returns its result. */
  async resume<Spec, Options extends RunExecuteOptions, Result>(
    kind: RunKind<Spec, Options, Result>,
    runId: string,
    options: Options,
  ): Promise<Result> {
    this.#leases.checkOpen();
    const claim = await this.#claim(kind, runId);
    if (claim.kind === "held") throw runHeldFailure(claim.run);
    return this.#continueWith(kind, claim, { runId, options });
  }

  /** Joins a run in any state: resumes it if no process holds it, otherwise waits for the process that does. */
  async join<Spec, Options extends RunExecuteOptions, Result>(
    kind: RunKind<Spec, Options, Result>,
    runId: string,
    options: Options,
  ): Promise<Result> {
    this.#leases.checkOpen();
    const claim = await this.#leases.claimWhenFree(() => this.#claim(kind, runId), options.signal);
    return this.#continueWith(kind, claim, { runId, options });
  }

  /**
   * Cancels a run in any process; the request is durable when the promise resolves. False if the run has already ended
   * or is unknown.
   */
  async cancel(runId: string, by?: string): Promise<boolean> {
    if (!(await this.journal.requestCancel(runId, by))) return false;
    this.#leases.cancel(runId, by);
    return true;
  }

  /** Ends a cancelled run that no process executes. */
  async endCancelled<Spec, Options extends RunExecuteOptions, Result>(
    kind: RunKind<Spec, Options, Result>,
    runId: string,
    options: Options,
  ): Promise<void> {
    try {
      const claim = await this.#claim(kind, runId);
      if (claim.kind === "claimed") await this.#continueWith(kind, claim, { runId, options });
    } catch {
      // The request is durable: the next process that resumes the run ends it.
    }
  }

  /** Reads a run of this kind with all its events. Throws if there is none. */
  async read(kind: Pick<AnyKind, "id">, runId: string): Promise<RunRecording> {
    const stored = await this.journal.read(runId);
    if (stored === undefined) throw runNotFoundFailure(runId);
    this.#checkKind(kind, stored.run);
    return stored;
  }

  /** Throws if there is no such run, of any kind. */
  async checkExists(runId: string): Promise<void> {
    if ((await this.journal.read(runId)) === undefined) throw runNotFoundFailure(runId);
  }

  list(query?: RunQuery): Promise<readonly StoredRun[]> {
    return this.journal.list(query);
  }

  /** Claims runs of this kind whose process has ended, until the signal is aborted. */
  async adoptAbandoned<Spec, Options extends RunExecuteOptions, Result>(
    kind: RunKind<Spec, Options, Result>,
    { everyMs = adoptMs, signal, ...how }: Options & { readonly everyMs?: number; readonly signal: AbortSignal },
  ): Promise<void> {
    // Runs that cannot resume, for example because a tool has changed: a retry would fail the same way.
    const refused = new Set<string>();
    while (!signal.aborted) {
      for (const { id } of await this.journal.list({ kind: kind.id, abandoned: true })) {
        if (refused.has(id)) continue;
        void this.#leases.track(this.resume(kind, id, how as unknown as Options)).catch((error: unknown) => {
          if (!isFailureError(error)) return;
          if (error.code === "run_changed" || error.reason === "missing_requirement") refused.add(id);
        });
      }
      await new Promise<void>((resolve) => this.clock.after(everyMs, resolve));
    }
  }

  /** Starts no more work, waits for the running work, and releases the runs so that another process can claim them. */
  close(drainMs = 5000): Promise<void> {
    return this.#leases.close(drainMs);
  }

  /** Claims a run; a run of another kind is released unchanged. */
  async #claim(kind: AnyKind, runId: string): Promise<Claim> {
    const claim = await this.journal.claim(runId, this.#parts.owner);
    if (claim.kind === "unknown") return claim;
    try {
      this.#checkKind(kind, claim.run);
    } catch (error) {
      if (claim.kind === "claimed") await this.journal.finish(claim.lease, { status: claim.was, at: this.clock.now() });
      throw error;
    }
    return claim;
  }

  /** Throws if a run is not of this kind. */
  #checkKind({ id }: Pick<AnyKind, "id">, run: StoredRun): void {
    if (run.kind === id) return;
    const hint = `use ${cliCommand("show")} or ${cliCommand("resume")}; to repeat it, ${repeating[run.kind]()}`;
    const message = `run ${run.id} is a run of ${titles[run.kind]}, not of ${titles[id]}: ${hint}`;
    throw fail(message, { code: "validation_error" });
  }

  #continueWith<Options extends RunExecuteOptions, Result>(
    kind: RunKind<never, Options, Result>,
    claim: Exclude<Claim, { readonly kind: "held" }>,
    { runId, options }: { readonly runId: string; readonly options: Options },
  ): Promise<Result> {
    switch (claim.kind) {
      case "unknown":
        throw runNotFoundFailure(runId);
      case "finished":
        return kind.describe(claim);
      case "claimed":
        return this.#leases.track(this.#continue(kind, claim, options));
    }
  }

  async #continue<Options extends RunExecuteOptions, Result>(
    kind: RunKind<never, Options, Result>,
    held: HeldRun,
    options: Options,
  ): Promise<Result> {
    const { lease, was, run } = held;
    const program = await this.#releasing(lease, was, async () => {
      try {
        return await kind.program(held, options);
      } catch (error) {
        if (!run.cancelRequested) throw error;
        return await this.#endUnrestored(held, error);
      }
    });
    return this.#releasing(lease, was, () => this.#execute(lease, program, options));
  }

  /** Ends a cancelled run that cannot be restored, so that it does not stay unfinished forever. */
  async #endUnrestored({ run, lease }: HeldRun, why: unknown): Promise<never> {
    const reason = why instanceof Error ? why.message : String(why);
    const message = `run ${run.id} is cancelled, and none of its steps could be undone: ${reason}`;
    const at = this.clock.now();
    const error = JSON.stringify(failure("cancelled", message));
    await this.journal.finish(lease, { status: "cancelled", at, error });
    await rejectOpenApprovals(this.approvals, run.id, at);
    throw fail(message, { code: "run_changed", reason: "cancelled" });
  }

  /** Releases the run with this status if the work throws. */
  async #releasing<T>(lease: RunLease, status: RunStatus, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // If the run has ended, its lease is lost, or the journal failed, there is nothing to release.
      await this.journal.finish(lease, { status, at: this.clock.now() }).catch(() => {});
      throw error;
    }
  }

  #execute<Result>(lease: RunLease, program: RunExecution<Result>, options: RunExecuteOptions): Promise<Result> {
    const execute = (): Promise<Result> => this.#drive(lease, program, options);
    return program.observe === undefined ? execute() : program.observe(execute);
  }

  async #drive<Result>(lease: RunLease, program: RunExecution<Result>, options: RunExecuteOptions): Promise<Result> {
    const { startedAt, events, executor, principal, cancelledBy } = program;
    const { requestApproval, waitForDecisions, signal, step } = options;
    const host = openHost({
      lease,
      startedAt,
      journal: this.journal,
      events,
      executor,
      clock: this.clock,
      approvals: this.approvals,
      principal,
      requestApproval,
      redactor: this.#parts.secrets.redactor,
      waitForDecisions,
      interruptedApprovalMs: this.#parts.interruptedApprovalMs,
    });
    const by = { leases: this.#leases, signal, step, cancelledBy };
    const driven = await withRunLifecycle(host, by, () => program.drive(host));
    const { end, onlyWaits = false } = driven;
    // A closing process released it before its end: the next lease holder continues it.
    const status = end.status === "waiting" && host.isReleased && !onlyWaits ? "running" : end.status;
    await this.journal.finish(lease, { ...end, status });
    if (end.status !== "waiting") await host.rejectOpenApprovals();
    return driven.ended(status);
  }
}

/** Rejects the pending approvals of an ended run of which nothing else is known. */
async function rejectOpenApprovals(store: ApprovalStore, run: string, now: number): Promise<void> {
  for (const { id, runId } of await store.list(now, "pending")) {
    if (runId === run) await store.decide(id, { approved: false, note: "the run is over" }, now);
  }
}

function runNotFoundFailure(runId: string): Error {
  return fail(`there is no run ${JSON.stringify(runId)}`, { code: "run_not_found" });
}
