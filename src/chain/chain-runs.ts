import { type Clock, createIdGenerator, fail, failure, isFailureError, systemClock } from "../base/index.ts";
import { type Claim, type JournalEvent, type RunQuery, type StoredRun } from "../store/index.ts";
import {
  type OwnedRun,
  type NewChainRun,
  type ClaimedRun,
  checkSameRun,
  notOfChain,
  restoreRunInput,
  runNotFoundFailure,
} from "./claimed-run.ts";
import {
  checkRunId,
  engineExecutor,
  type AvailableClaim,
  RunLeases,
  type RunRecording,
  SealedJournal,
  runHeldFailure,
} from "../run/index.ts";
import { currentPlan, parseRerunInput } from "./current-plan.ts";
import { checkAllowed, deniedChains } from "./denied-chains.ts";
import type { ChainRunsDeps, ExecuteRunOptions, StartRunOptions } from "./execute-options.ts";
import type { Plan } from "./plan/plan.ts";
import { snapshotOf } from "./plan/snapshot.ts";
import { toCallContext, parseRunInput } from "./run-chain.ts";
import { executeRun } from "./interpreter/execute-run.ts";
import { untrustedContent } from "./interpreter/untrusted-content.ts";
import { serializeMetrics } from "./log/stored-metrics.ts";
import { type RunResult, toRunResult } from "./run-result.ts";
import { refusingExecutor } from "./refuse-approval-steps.ts";
import { checkRemaining, checkRequirements, missingRequirements } from "./missing-requirements.ts";
import { reusableEvents, compensatedSteps } from "./rerun-events.ts";
import { type RerunPreview, previewRerun } from "./rerun-preview.ts";
import { changedTools, checkUnchanged, inspectPlan, planStoredRun, runFormat } from "./stored-plan.ts";
import { parseRunEnvironment, serializeRunEnvironment } from "./run-environment.ts";
import { toolsOf, usesSecrets } from "./plan-targets.ts";
import { resetUnstarted } from "./unstarted-steps.ts";

/** Interval in milliseconds at which abandoned runs are looked up and claimed. */
const adoptMs = 250;

/**
 * Durable runs of chains: journaled, held by one process at a time, and claimed by another one if that process ends.
 */
export class ChainRuns {
  readonly #parts: ChainRunsDeps & { readonly journal: SealedJournal };
  readonly #clock: Clock;
  readonly #leases: RunLeases;
  readonly #ids = createIdGenerator();

  constructor(parts: ChainRunsDeps) {
    this.#parts = { ...parts, journal: new SealedJournal(parts.journal, parts.engine) };
    this.#clock = parts.clock ?? systemClock;
    this.#leases = new RunLeases({ journal: parts.journal, owner: parts.owner, clock: this.#clock });
  }

  /** Starts a run, or joins the run with this id. Throws if the input is not valid, or a tool of a step cannot work here. */
  async start(plan: Plan, options: StartRunOptions = {}): Promise<RunResult> {
    const input = parseRunInput(plan, options.input);
    const runId = checkRunId(options.runId) ?? this.#ids.next();
    const file = this.#parts.files?.fileOf(plan);
    return this.#begin({ plan, file, runId, input, events: [], rerunOf: undefined }, options);
  }

  /** Resumes a run that was released, or whose process has ended. For a finished run, returns its result. */
  async resume(runId: string, options: ExecuteRunOptions = {}): Promise<RunResult> {
    const claim = await this.#claim(runId);
    if (claim.kind === "held") throw runHeldFailure(claim.run);
    return this.#continueWith(runId, claim, options);
  }

  /** Joins a run in any state: resumes it if no process holds it, otherwise waits for the process that does. */
  async join(runId: string, options: ExecuteRunOptions = {}): Promise<RunResult> {
    const claim = await this.#leases.claimWhenFree(() => this.#claim(runId), options.signal);
    return this.#continueWith(runId, claim, options);
  }

  /**
   * Starts a new run of the current chain; with `from`, reuses the results of steps that do not depend on that step.
   */
  async rerun(
    runId: string,
    options: ExecuteRunOptions & Pick<StartRunOptions, "callerType"> & { readonly from?: string } = {},
  ): Promise<RunResult> {
    const { from } = options;
    const { run, events: before } = await this.#read(runId);
    // Only results that are reused have to be opened.
    const stored = this.#parts.journal.open({ run, events: from === undefined ? [] : before });
    const { plan, file } = await currentPlan(stored.run, this.#parts, options.onNotice);
    const input = parseRerunInput(plan, stored.run);
    const preview = from === undefined ? undefined : await this.#preview(stored, plan, from);
    const events = preview === undefined ? [] : reusableEvents(preview, stored.events);
    const { context, principal, tainted } = parseRunEnvironment(stored.run.context);
    const made = { plan, file, runId: this.#ids.next(), input, events, rerunOf: runId, reused: preview?.reused ?? [] };
    return this.#begin(made, { ...options, context, tainted, ...(principal !== undefined && { principal }) });
  }

  /**
   * Previews a {@link rerun} from this step: the steps that run again, each with the reason, and the results that are
   * reused.
   */
  async previewRerun(
    runId: string,
    from: string,
    { onNotice }: Pick<ExecuteRunOptions, "onNotice"> = {},
  ): Promise<RerunPreview> {
    const stored = this.#parts.journal.open(await this.#read(runId));
    const { plan } = await currentPlan(stored.run, this.#parts, onNotice);
    parseRerunInput(plan, stored.run);
    return this.#preview(stored, plan, from);
  }

  /**
   * Cancels a run in any process. The request is durable when the promise resolves. False if the run has already ended.
   */
  async cancel(runId: string, by?: string): Promise<boolean> {
    if (!(await this.#parts.journal.requestCancel(runId, by))) {
      if ((await this.#parts.journal.read(runId)) === undefined) throw runNotFoundFailure(runId);
      return false;
    }
    this.#leases.cancel(runId, by);
    return true;
  }

  /** Returns the state of a run, replayed from its journal; executes nothing. */
  async inspect(runId: string): Promise<RunResult> {
    const { run, events } = await this.#read(runId);
    return this.#look(run, events);
  }

  list(query?: RunQuery): Promise<readonly StoredRun[]> {
    return this.#parts.journal.list(query);
  }

  /** A run with all its events, for a recording. */
  async read(runId: string): Promise<RunRecording> {
    return this.#parts.journal.reveal(await this.#read(runId));
  }

  /** Claims runs whose process has ended, until the signal is aborted. */
  async adoptAbandoned(
    options: ExecuteRunOptions & { readonly everyMs?: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const { everyMs = adoptMs, signal, ...how } = options;
    // Runs that cannot resume, for example because a tool has changed: a retry would fail the same way.
    const refused = new Set<string>();
    while (!signal.aborted) {
      for (const { id } of await this.#parts.journal.list({ kind: "chain", abandoned: true })) {
        if (refused.has(id)) continue;
        void this.#leases.track(this.resume(id, how)).catch((error: unknown) => {
          if (!isFailureError(error)) return;
          if (error.code === "run_changed" || error.reason === "missing_requirement") refused.add(id);
        });
      }
      await new Promise<void>((resolve) => this.#clock.after(everyMs, resolve));
    }
  }

  /** Starts no more work, waits for the running work, and releases the runs so that another process can claim them. */
  close(drainMs = 5000): Promise<void> {
    return this.#leases.close(drainMs);
  }

  async #begin(
    made: NewChainRun,
    options: ExecuteRunOptions & Pick<StartRunOptions, "context" | "principal" | "callerType" | "tainted">,
  ): Promise<RunResult> {
    this.#leases.checkOpen();
    const { plan, runId, input } = made;
    const { engine, journal, owner, env = {} } = this.#parts;
    const { context = {}, principal, callerType = "direct", tainted = false } = options;
    checkAllowed(plan, engine.denies, callerType);
    const missing = missingRequirements(plan, made.reused);
    // An existing run with this id is joined, and its remaining steps may need less.
    if (missing.length > 0 && (await journal.read(runId)) === undefined) checkRequirements(plan, missing, options);
    const callerPath = [callerType];
    const denied = deniedChains(plan, engine.denies, callerPath);
    const environment = { context, env, principal, denied, callerPath, tainted };
    const { definition, fingerprints } = snapshotOf(plan, made.file);
    const startedAt = this.#clock.now();
    // Results reused from an earlier run are present when this one starts, and take none of its time.
    const events = made.events.map((event) => ({ ...event, at: startedAt }));
    const run = {
      id: runId,
      kind: "chain" as const,
      name: plan.name,
      definition,
      input: JSON.stringify(input),
      context: serializeRunEnvironment(plan, environment),
      format: runFormat,
      fingerprints: JSON.stringify(fingerprints),
      startedAt,
      ...(made.rerunOf !== undefined && { rerunOf: made.rerunOf }),
    };
    const created = await journal.create(run, owner, events);
    if ("existing" in created) {
      const notice = checkSameRun(created.existing, journal.sealRun(run));
      if (notice !== undefined) options.onNotice?.(notice);
      return this.join(runId, options);
    }
    return this.#leases.track(
      this.#execute({ plan, input, ...environment, lease: created.lease, startedAt, events }, options),
    );
  }

  #continueWith(runId: string, claim: AvailableClaim, options: ExecuteRunOptions): Promise<RunResult> {
    switch (claim.kind) {
      case "unknown":
        throw runNotFoundFailure(runId);
      case "finished":
        return this.#look(claim.run, claim.events);
      case "claimed":
        return this.#leases.track(this.#continue(claim, options));
    }
  }

  async #continue(claimed: ClaimedRun, options: ExecuteRunOptions): Promise<RunResult> {
    const { chains, journal } = this.#parts;
    const { lease, was } = claimed;
    let { run, events } = claimed;
    let plan: Plan;
    try {
      plan = planStoredRun(run.definition, { ...chains.context, taint: "unchecked" });
      checkUnchanged(run, plan);
      const missing = run.cancelRequested ? [] : missingRequirements(plan);
      if (missing.length > 0) checkRemaining(await this.#look(run, events), missing, options);
      ({ run, events } = journal.open(claimed));
    } catch (error) {
      if (run.cancelRequested) return this.#endChanged(journal.reveal(claimed), options, error);
      await journal.finish(lease, { status: was, at: this.#clock.now() });
      throw error;
    }
    const cancelledBy = run.cancelRequested ? (run.cancelBy ?? null) : undefined;
    return this.#execute({ plan, lease, events, ...restoreRunInput(run), cancelledBy }, options);
  }

  /**
   * A run that cannot resume can still be cancelled. Compensations whose tools have changed are reported as not done.
   */
  async #endChanged({ run, lease, events }: ClaimedRun, options: ExecuteRunOptions, why: unknown): Promise<RunResult> {
    let plan: Plan;
    try {
      if (run.format !== runFormat) throw why;
      plan = this.#inspected(run);
    } catch {
      const reason = why instanceof Error ? why.message : String(why);
      const message = `run ${run.id} is cancelled, and none of its steps could be undone: ${reason}`;
      const error = JSON.stringify(failure("cancelled", message));
      await this.#parts.journal.finish(lease, { status: "cancelled", at: this.#clock.now(), error });
      throw fail(message, { code: "run_changed", reason: "cancelled" });
    }
    const refused = new Set(changedTools(run, plan));
    return this.#execute(
      { plan, lease, events, ...restoreRunInput(run), cancelledBy: run.cancelBy ?? null, refused },
      options,
    );
  }

  async #execute(run: OwnedRun, options: ExecuteRunOptions): Promise<RunResult> {
    const { engine, journal, approvals } = this.#parts;
    const { lease, plan, principal, refused, callerPath } = run;
    const executor = engineExecutor({
      begin: (target, args, context) => engine.begin(target, args, context),
      runId: lease.runId,
      tools: toolsOf(plan),
      secrets: engine.secrets,
      opensSecrets: usesSecrets(plan),
      ...untrustedContent(plan, run),
      context: toCallContext({ principal, elicit: options.elicit, callerPath }),
    });
    const { facts, isReleased, rejectOpenApprovals } = await executeRun({
      ...options,
      // After the options: the input of the run has been validated, and includes its defaults.
      ...run,
      journal,
      executor: refused === undefined ? executor : refusingExecutor(executor, refused),
      clock: this.#clock,
      approvals,
      interruptedApprovalMs: this.#parts.interruptedApprovalMs,
      redactor: engine.redactor,
      observer: this.#parts.observer,
      leases: this.#leases,
    });
    const status = isReleased && facts.status === "waiting" ? "running" : facts.status;
    await journal.finish(lease, {
      status,
      at: this.#clock.now(),
      ...(facts.status === "success" && { output: JSON.stringify(facts.output) }),
      ...(facts.error !== undefined && { error: JSON.stringify(facts.error) }),
      ...(facts.status !== "waiting" && { metrics: serializeMetrics(facts) }),
    });
    if (facts.status !== "waiting") {
      await rejectOpenApprovals();
      if (run.events.length > 0 || facts.status !== "success") await this.#endCalled(run);
    }
    return toRunResult({ ...facts, status }, engine.redactor);
  }

  /** Cancels the sub-runs that its tools started and left unfinished. */
  async #endCalled({ plan, lease: { runId }, cancelledBy }: OwnedRun): Promise<void> {
    if (![...toolsOf(plan).values()].some(({ composite }) => composite)) return;
    try {
      await this.#parts.cancelSubRuns?.(runId, cancelledBy ?? undefined);
    } catch (error) {
      process.emitWarning(
        `run ${runId} has ended, but an agent that it called may still be waiting or running: ${String(error)}`,
      );
    }
  }

  /** Claims a run of a chain; a run of an agent is released unchanged. */
  async #claim(runId: string): Promise<Claim> {
    const { journal, owner } = this.#parts;
    const claim = await journal.claim(runId, owner);
    if (claim.kind === "unknown" || claim.run.kind === "chain") return claim;
    if (claim.kind === "claimed") await journal.finish(claim.lease, { status: claim.was, at: this.#clock.now() });
    throw notOfChain(claim.run);
  }

  async #read(runId: string): Promise<RunRecording> {
    const stored = await this.#parts.journal.read(runId);
    if (stored === undefined) throw runNotFoundFailure(runId);
    if (stored.run.kind !== "chain") throw notOfChain(stored.run);
    return stored;
  }

  async #preview({ run, events }: RunRecording, plan: Plan, from: string): Promise<RerunPreview> {
    return previewRerun({ from, plan, old: await this.#look(run, events), undone: compensatedSteps(events) });
  }

  #inspected(run: StoredRun): Plan {
    return inspectPlan(run, this.#parts.chains.context);
  }

  async #look(...[storedRun, storedEvents]: [StoredRun, readonly JournalEvent[]]): Promise<RunResult> {
    const { engine, journal } = this.#parts;
    const { run, events } = journal.reveal({ run: storedRun, events: storedEvents });
    const { facts } = await executeRun({
      plan: this.#inspected(run),
      input: JSON.parse(run.input) as unknown,
      ...parseRunEnvironment(run.context),
      lease: { runId: run.id, epoch: run.epoch },
      startedAt: run.startedAt,
      events,
      executor: undefined,
      clock: this.#clock,
    });
    resetUnstarted(facts.steps, events, run.leaseHolder === undefined);
    return toRunResult({ ...facts, status: run.status, usage: undefined }, engine.redactor);
  }
}
