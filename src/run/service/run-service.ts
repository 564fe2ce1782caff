import { fail, failure } from "../../base/index.ts";
import {
  type Claim,
  type ExecutableRun,
  type RunEnd,
  type RunLease,
  type RunStatus,
  isFinished,
} from "../../store/index.ts";
import { withRunLifecycle } from "../host/run-lifecycle.ts";
import { RunLeases, runHeldFailure } from "../leases/run-leases.ts";
import { crashLoopFailure, isCrashLoop, maxDeaths } from "./crash-loop.ts";
import type { DeliveredEvent, EventRequest } from "./deliver-event.ts";
import { type EndedRun, RunClient, type RunPorts, runNotFoundFailure } from "./run-client.ts";
import type { AnyRunKind, HeldRun, RunExecuteOptions, RunExecution, RunKind } from "./run-kind.ts";
import { type ServeErrorListener, RunServer } from "./run-server.ts";

/** Options of a process that serves runs. */
export interface ServeOptions extends RunExecuteOptions {
  /**
   * Called with an error and the id of the run that cannot be executed here, or without one if runs cannot be listed. All
   * are retried; an error is reported again only when its message changes. Default: a process warning.
   */
  readonly onError?: ServeErrorListener | undefined;
}

/** Returns further options for a run that is about to be executed: those of the runs of its kind. */
export type RunOptionsOf = (run: Pick<ExecutableRun, "id" | "kind">) => object | undefined;

/**
 * Durable runs of all kinds: journaled, held by one process at a time, and claimed by another one if that process ends.
 * A {@link RunClient} that is a worker too: it executes the runs that are executable, or one that it starts, resumes or
 * joins.
 */
export class RunService extends RunClient {
  readonly #leases: RunLeases;
  /** The name under which it claims runs. */
  readonly #owner: string;

  constructor(ports: RunPorts) {
    super(ports);
    const { journal, liveness = journal.join() } = ports;
    this.#owner = liveness.owner;
    this.#leases = new RunLeases({ journal, liveness, clock: this.clock });
  }

  /** True if no run can be started any more. */
  get isClosing(): boolean {
    return this.#leases.closing.aborted;
  }

  /**
   * Executes every run of the registered kinds that is executable, until the signal is aborted or the service is closed.
   *
   * @param optionsOf Further options for a run, which depend on its kind, such as its listener.
   */
  async serve(
    signal: AbortSignal,
    { onError, ...options }: ServeOptions = {},
    optionsOf?: RunOptionsOf,
  ): Promise<void> {
    const until = AbortSignal.any([signal, this.#leases.closing]);
    const execute = async ({ id, kind }: ExecutableRun): Promise<unknown> =>
      this.#resumeOffered(await this.kindOf(kind), id, { ...options, ...optionsOf?.({ id, kind }) });
    const kinds = new Set([...this.kinds.keys(), ...this.loaders.keys()]);
    const onFree = (): void => this.dispatcher.notify();
    const server = new RunServer({ execute, onError, onFree, signal: until, clock: this.clock });
    await this.dispatcher.serve([...kinds], server, until);
  }

  /** Starts a run, or joins the run with its id. Throws if it cannot start here. */
  start<Spec, Options extends RunExecuteOptions, Result>(
    kind: RunKind<Spec, Options, Result>,
    spec: Spec,
    options: Options,
  ): Promise<Result> {
    return this.#leases.track(() => this.#start(kind, spec, options));
  }

  async #start<Spec, Options extends RunExecuteOptions, Result>(
    kind: RunKind<Spec, Options, Result>,
    spec: Spec,
    options: Options,
  ): Promise<Result> {
    const prepared = await kind.prepare(spec, options);
    const created = await this.journal.create(prepared.run, this.#owner, prepared.events);
    if ("existing" in created) {
      this.checkSame(kind, prepared, created.existing);
      return this.join(kind, prepared.run.id, options);
    }
    const { lease } = created;
    return this.#releasing(lease, "running", () =>
      this.#execute(kind, lease, { run: prepared.run, program: prepared.program(lease), options }),
    );
  }

  /**
   * Resumes a run that was released, or whose process has ended, also one that was ended because its processes died. For
   * any other finished run, returns its result.
   */
  resume<Spec, Options extends RunExecuteOptions, Result>(
    kind: RunKind<Spec, Options, Result>,
    runId: string,
    options: Options,
  ): Promise<Result> {
    return this.#leases.track(async () => {
      const claim = await this.#claim(kind, runId);
      const isEnded = claim.kind === "finished" && isCrashLoop(claim.run);
      return this.#continueWith(kind, isEnded ? await this.#claim(kind, runId, true) : claim, { runId, options });
    });
  }

  /** Resumes a run that the dispatcher offered, unless it probably ends this process: then it fails. */
  #resumeOffered(kind: AnyRunKind, runId: string, options: RunExecuteOptions): Promise<unknown> {
    return this.#leases.track(async () => {
      const claim = await this.#claim(kind, runId);
      if (claim.kind !== "claimed" || claim.run.deaths < maxDeaths)
        return this.#continueWith(kind, claim, { runId, options });
      await this.#fail(claim);
      throw crashLoopFailure(runId);
    });
  }

  /** Joins a run in any state: resumes it if no process holds it, otherwise waits for the process that does. */
  join<Spec, Options extends RunExecuteOptions, Result>(
    kind: RunKind<Spec, Options, Result>,
    runId: string,
    options: Options,
  ): Promise<Result> {
    return this.#leases.track(async () => {
      const claim = await this.#leases.claimWhenFree(() => this.#claim(kind, runId), options.signal);
      return this.#continueWith(kind, claim, { runId, options });
    });
  }

  override async deliver(runId: string, event: EventRequest): Promise<DeliveredEvent> {
    const delivered = await super.deliver(runId, event);
    await this.#leases.pollRun(runId);
    return delivered;
  }

  override async cancel(runId: string, by?: string): Promise<boolean> {
    if (!(await super.cancel(runId, by))) return false;
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
      await this.resume(kind, runId, options);
    } catch {
      // The request is durable: the next process that resumes the run ends it.
    }
  }

  /** Starts no more work, waits for the running work, and releases the runs so that another process can claim them. */
  close(drainMs = 5000): Promise<void> {
    return this.#leases.close(drainMs);
  }

  /** Claims a run; a run of another kind is released unchanged. */
  async #claim(kind: AnyRunKind, runId: string, reopen?: boolean): Promise<Claim> {
    const claim = await this.journal.claim(runId, this.#owner, reopen);
    if (claim.kind === "unknown") return claim;
    try {
      this.checkKind(kind, claim.run);
    } catch (error) {
      if (claim.kind === "claimed") await this.#giveBack(claim.lease, claim.was);
      throw error;
    }
    return claim;
  }

  #continueWith<Options extends RunExecuteOptions, Result>(
    kind: RunKind<never, Options, Result>,
    claim: Claim,
    { runId, options }: { readonly runId: string; readonly options: Options },
  ): Promise<Result> {
    switch (claim.kind) {
      case "unknown":
        throw runNotFoundFailure(runId);
      case "held":
        throw runHeldFailure(claim.run);
      case "finished":
        return kind.describe(claim);
      case "claimed":
        return this.#continue(kind, claim, options);
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
    options.onResumed?.();
    return this.#releasing(lease, "running", () => this.#execute(kind, lease, { run, program, options }));
  }

  /** Ends a cancelled run that cannot be restored, so that it does not stay unfinished forever. */
  async #endUnrestored({ run, lease }: HeldRun, why: unknown): Promise<never> {
    const reason = why instanceof Error ? why.message : String(why);
    const message = `run ${run.id} is cancelled, and none of its steps could be undone: ${reason}`;
    const at = this.clock.now();
    const error = JSON.stringify(failure("cancelled", message));
    await this.journal.finish(lease, { status: "cancelled", at, error, ...this.#channelsOf(run, "cancelled") });
    await this.approvalService.rejectPending(run.id);
    throw fail(message, { code: "run_changed", reason: "cancelled" });
  }

  /** Releases the run with this status if the work throws. */
  async #releasing<T>(lease: RunLease, status: RunStatus, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      // If the run has ended, its lease is lost, or the journal failed, there is nothing to release.
      await this.#giveBack(lease, status).catch(() => {});
      throw error;
    }
  }

  /** Gives a run back with the status that it had; only a run in a crash loop is claimed after it has failed. */
  async #giveBack(lease: RunLease, status: RunStatus): Promise<void> {
    const error = status === "failed" && { error: crashLoopError(lease.runId) };
    await this.journal.finish(lease, { status, at: this.clock.now(), ...error });
  }

  /** Ends a run that probably ends each process that executes it. */
  async #fail({ lease, run }: HeldRun): Promise<void> {
    const end = { status: "failed", at: this.clock.now(), error: crashLoopError(run.id) } as const;
    await this.journal.finish(lease, { ...end, ...this.#channelsOf(run, "failed") });
  }

  #channelsOf(run: EndedRun, status: RunStatus): Pick<RunEnd, "channels"> {
    const channels = isFinished(status) ? this.ports.channelsOf?.(run, status) : undefined;
    return channels === undefined ? {} : { channels };
  }

  async #execute<Options extends RunExecuteOptions, Result>(
    kind: RunKind<never, Options, Result>,
    lease: RunLease,
    { run, program, options }: Executed<Result, Options>,
  ): Promise<Result> {
    let isWoken = false;
    const execute = async (): Promise<Result> => {
      const driven = await this.#drive(lease, { run, program, options });
      ({ isWoken } = driven);
      return driven.result;
    };
    const result = await (program.observe === undefined ? execute() : program.observe(execute));
    // A decision arrived while the run was being suspended.
    return isWoken && !this.isClosing ? this.join(kind, lease.runId, options) : result;
  }

  async #drive<Result>(
    lease: RunLease,
    { run, program, options }: Executed<Result, RunExecuteOptions>,
  ): Promise<Driven<Result>> {
    const { startedAt, events, calls, principal, cancelledBy } = program;
    const { requestApproval, waitForDecisions, signal, step } = options;
    const host = this.openHost({
      lease,
      startedAt,
      journal: this.journal,
      events,
      calls,
      clock: this.clock,
      approvals: this.approvals,
      principal,
      requestApproval,
      redactor: this.ports.secrets.redactor,
      waitForDecisions,
      interruptedApprovalMs: this.ports.interruptedApprovalMs,
    });
    const by = { leases: this.#leases, signal, step, cancelledBy };
    const { driven, waitsFor } = await withRunLifecycle(host, by, async () => ({
      driven: await program.drive(host),
      waitsFor: host.waitsFor,
    }));
    const { end, onlyWaits = false } = driven;
    // A closing process released it before its end: the next lease holder continues it.
    const status = end.status === "waiting" && host.isReleased && !onlyWaits ? "running" : end.status;
    const isKnown =
      waitsFor !== undefined &&
      (waitsFor.approvals.length > 0 || (waitsFor.events ?? []).length > 0 || waitsFor.until !== undefined);
    const finished = await this.journal.finish(lease, {
      ...end,
      status,
      ...(isKnown && { waitsFor }),
      ...this.#channelsOf(run, status),
    });
    if (end.status !== "waiting") await host.rejectOpenApprovals();
    return { result: await driven.ended(status), isWoken: finished === "woken" };
  }
}

/** JSON: the failure of a run in a crash loop. */
function crashLoopError(runId: string): string {
  return JSON.stringify(crashLoopFailure(runId).toFailure());
}

/** A run to execute in this process. */
interface Executed<Result, Options> {
  readonly run: EndedRun;
  readonly program: RunExecution<Result>;
  readonly options: Options;
}

/** A run after its execution in this process. */
interface Driven<Result> {
  readonly result: Result;
  /** True if it was suspended, and can be executed at once. */
  readonly isWoken: boolean;
}

/** A service that several kinds share, or the ports of a service of its own. */
export type RunServiceSource =
  | { readonly service: RunService }
  | (Omit<RunPorts, "secrets"> & { readonly service?: undefined });

/** Returns the shared service, or creates one. */
export function runServiceOf(source: RunServiceSource, secrets: RunPorts["secrets"]): RunService {
  return source.service ?? new RunService({ ...source, secrets });
}
