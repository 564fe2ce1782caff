import { type Clock, createIds, fail, failure, isFailureError, systemClock } from "../base/index.ts";
import { type Claim, type JournalEvent, type RunQuery, type StoredRun, isAgentRun } from "../store/index.ts";
import { type BegunRun, type MadeRun, type TakenRun, checkSameRun, recalled } from "./begun-run.ts";
import { checkRunId } from "./check-run-id.ts";
import { currentPlan, inputFor } from "./current-plan.ts";
import { checkAllowed, deniedChains } from "./denied-chains.ts";
import type { ChainRunsParts, ExecuteOptions, StartOptions } from "./execute-options.ts";
import { engineExecutor } from "./host/executor.ts";
import { type FreeClaim, RunKeeper, heldBy } from "./host/run-keeper.ts";
import type { Plan } from "./plan/plan.ts";
import { snapshotOf } from "./plan/snapshot.ts";
import { callContext, checkInput } from "./run-chain.ts";
import { executeRun } from "./run/execute-run.ts";
import { OutsideCalls } from "./run/outside-calls.ts";
import { type RunResult, toRunResult } from "./run-result.ts";
import { refusingExecutor } from "./refusing-executor.ts";
import { eventsBefore, undoneSteps } from "./rerun-events.ts";
import { type RerunPreview, previewRerun } from "./rerun-preview.ts";
import { changedTools, checkUnchanged, inspectPlan, planOf, runFormat } from "./stored-plan.ts";
import { readSurroundings, writeSurroundings } from "./surroundings.ts";
import { toolsOf, usesSecrets } from "./tools-of.ts";

/** How often somebody who takes over what was left looks for it. */
const adoptMs = 250;

/** Runs that survive: journaled, owned by one process at a time, taken up by another when that one is gone. */
export class ChainRuns {
  readonly #parts: ChainRunsParts;
  readonly #clock: Clock;
  readonly #keeper: RunKeeper;
  readonly #ids = createIds();

  constructor(parts: ChainRunsParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    this.#keeper = new RunKeeper({ journal: parts.journal, owner: parts.owner, clock: this.#clock });
  }

  /** Begins a run, or joins the one that has its id. Throws when the input does not fit. */
  async start(plan: Plan, options: StartOptions = {}): Promise<RunResult> {
    const input = checkInput(plan, options.input);
    const runId = checkRunId(options.runId) ?? this.#ids.next();
    const file = this.#parts.files?.fileOf(plan);
    return this.#begin({ plan, file, runId, input, events: [], rerunOf: undefined }, options);
  }

  /** Goes on with a run that was left, or whose process is gone. A finished one gives its result. */
  async resume(runId: string, options: ExecuteOptions = {}): Promise<RunResult> {
    const claim = await this.#claim(runId);
    if (claim.kind === "held") throw heldBy(claim.run);
    return this.#goOnWith(runId, claim, options);
  }

  /** Joins a run wherever it is: goes on with it when nobody does, else waits for the process that does. */
  async join(runId: string, options: ExecuteOptions = {}): Promise<RunResult> {
    return this.#goOnWith(runId, await this.#keeper.whenFree(() => this.#claim(runId), options.signal), options);
  }

  /** A new run of the chain as it is now; with `from`, what did not depend on that step is taken from the old run. */
  async rerun(runId: string, options: ExecuteOptions & { readonly from?: string } = {}): Promise<RunResult> {
    const kept = await this.#read(runId);
    const { plan, file } = await currentPlan(kept.run, this.#parts, options.onNotice);
    const input = inputFor(plan, kept.run);
    const { from } = options;
    const events = from === undefined ? [] : eventsBefore(await this.#preview(kept, plan, from), kept.events);
    const { context, principal } = readSurroundings(kept.run.context);
    const made = { plan, file, runId: this.#ids.next(), input, events, rerunOf: runId };
    return this.#begin(made, { ...options, context, ...(principal !== undefined && { principal }) });
  }

  /** What {@link rerun} from this step on would do: which steps run again and why, and what is taken over. */
  async previewRerun(
    runId: string,
    from: string,
    { onNotice }: Pick<ExecuteOptions, "onNotice"> = {},
  ): Promise<RerunPreview> {
    const kept = await this.#read(runId);
    const { plan } = await currentPlan(kept.run, this.#parts, onNotice);
    inputFor(plan, kept.run);
    return this.#preview(kept, plan, from);
  }

  /** Stops a run, whoever executes it: durable when it resolves. False when it is over already. */
  async cancel(runId: string, by?: string): Promise<boolean> {
    const asked = await this.#parts.journal.requestCancel(runId, by);
    if (!asked) {
      if ((await this.#parts.journal.read(runId)) === undefined) throw notFound(runId);
      return false;
    }
    this.#keeper.cancel(runId, by);
    return true;
  }

  /** All that is known of a run, told again from its journal; nothing is executed. */
  async inspect(runId: string): Promise<RunResult> {
    const { run, events } = await this.#read(runId);
    return this.#look(run, events);
  }

  list(query?: RunQuery): Promise<readonly StoredRun[]> {
    return this.#parts.journal.list(query);
  }

  /** A run and everything that happened to it, for a recording. */
  read(runId: string): Promise<RunRecording> {
    return this.#read(runId);
  }

  /** Takes over runs whose process is gone, until the signal is aborted. */
  async adopt(options: ExecuteOptions & { readonly everyMs?: number; readonly signal: AbortSignal }): Promise<void> {
    const { everyMs = adoptMs, signal, ...how } = options;
    // Those that cannot go on, such as one whose tool has changed: trying again changes nothing.
    const refused = new Set<string>();
    while (!signal.aborted) {
      for (const { id, chain } of await this.#parts.journal.list({ abandoned: true })) {
        // Those of agents are for others to go on with.
        if (refused.has(id) || isAgentRun({ chain })) continue;
        void this.#keeper.track(this.resume(id, how)).catch((error: unknown) => {
          if (isFailureError(error) && error.code === "run_changed") refused.add(id);
        });
      }
      await new Promise<void>((resolve) => this.#clock.after(everyMs, resolve));
    }
  }

  /** Starts nothing more, waits for what runs, and leaves the runs to whoever comes next. */
  close(drainMs = 5000): Promise<void> {
    return this.#keeper.close(drainMs);
  }

  async #begin(
    made: MadeRun,
    options: ExecuteOptions & Pick<StartOptions, "context" | "principal">,
  ): Promise<RunResult> {
    this.#keeper.checkOpen();
    const { plan, runId, input } = made;
    const { engine, journal, owner, env = {} } = this.#parts;
    checkAllowed(plan, engine.denies);
    const denied = deniedChains(plan, engine.denies);
    const surroundings = { context: options.context ?? {}, env, principal: options.principal, denied };
    const { definition, fingerprints } = snapshotOf(plan, made.file);
    const startedAt = this.#clock.now();
    // What an earlier run brings is there when this one begins, and took none of its time.
    const events = made.events.map((event) => ({ ...event, at: startedAt }));
    const run = {
      id: runId,
      chain: plan.name,
      definition,
      input: JSON.stringify(input),
      context: writeSurroundings(plan, surroundings),
      format: runFormat,
      fingerprints: JSON.stringify(fingerprints),
      startedAt,
      ...(made.rerunOf !== undefined && { rerunOf: made.rerunOf }),
    };
    const created = await journal.create(run, owner, events);
    if ("existing" in created) {
      const notice = checkSameRun(created.existing, run);
      if (notice !== undefined) options.onNotice?.(notice);
      return this.join(runId, options);
    }
    return this.#keeper.track(
      this.#execute({ plan, input, ...surroundings, lease: created.lease, startedAt, events }, options),
    );
  }

  #goOnWith(runId: string, claim: FreeClaim, options: ExecuteOptions): Promise<RunResult> {
    switch (claim.kind) {
      case "unknown":
        throw notFound(runId);
      case "finished":
        return this.#look(claim.run, claim.events);
      case "claimed":
        return this.#keeper.track(this.#continue(claim, options));
    }
  }

  async #continue({ run, lease, was, events }: TakenRun, options: ExecuteOptions): Promise<RunResult> {
    const { chains, journal } = this.#parts;
    let plan: Plan;
    try {
      plan = planOf(run.definition, { ...chains.context, taint: "unchecked" });
      checkUnchanged(run, plan);
    } catch (error) {
      if (run.cancelRequested) return this.#endChanged({ run, lease, was, events }, options, error);
      await journal.finish(lease, { status: was, at: this.#clock.now() });
      throw error;
    }
    const cancelledBy = run.cancelRequested ? (run.cancelBy ?? null) : undefined;
    return this.#execute({ plan, lease, events, ...recalled(run), cancelledBy }, options);
  }

  /** A run that cannot go on can still be cancelled; what its tools no longer can is told as not undone. */
  async #endChanged({ run, lease, events }: TakenRun, options: ExecuteOptions, why: unknown): Promise<RunResult> {
    let plan: Plan;
    try {
      if (run.format !== runFormat) throw why;
      plan = this.#inspected(run);
    } catch {
      const reason = why instanceof Error ? why.message : String(why);
      const message = `run ${run.id} is cancelled, and nothing of it could be undone: ${reason}`;
      const error = JSON.stringify(failure("cancelled", message));
      await this.#parts.journal.finish(lease, { status: "cancelled", at: this.#clock.now(), error });
      throw fail(message, { code: "run_changed", reason: "cancelled" });
    }
    const refused = new Set(changedTools(run, plan));
    return this.#execute(
      { plan, lease, events, ...recalled(run), cancelledBy: run.cancelBy ?? null, refused },
      options,
    );
  }

  async #execute(run: BegunRun, options: ExecuteOptions): Promise<RunResult> {
    const { engine, journal, approvals } = this.#parts;
    const { lease, plan, principal, refused } = run;
    const executor = engineExecutor({
      begin: (target, args, context) => engine.begin(target, args, context),
      runId: lease.runId,
      tools: toolsOf(plan),
      secrets: engine.secrets,
      opensSecrets: usesSecrets(plan),
      outside: OutsideCalls.of(plan),
      context: callContext({ principal, elicit: options.elicit }),
    });
    const { facts, left, endQuestions } = await executeRun({
      ...options,
      // Behind the options: the input of the run has been checked, and its defaults are in it.
      ...run,
      journal,
      executor: refused === undefined ? executor : refusingExecutor(executor, refused),
      clock: this.#clock,
      approvals,
      redactor: engine.redactor,
      observer: this.#parts.observer,
      keeper: this.#keeper,
    });
    const status = left && facts.status === "waiting" ? "running" : facts.status;
    await journal.finish(lease, {
      status,
      at: this.#clock.now(),
      ...(facts.status === "success" && { output: JSON.stringify(facts.output) }),
      ...(facts.error !== undefined && { error: JSON.stringify(facts.error) }),
    });
    if (facts.status !== "waiting") {
      await endQuestions();
      if (run.events.length > 0 || facts.status !== "success") await this.#endCalled(run);
    }
    return toRunResult({ ...facts, status }, engine.redactor);
  }

  /** What its tools have begun and left is over with it. */
  async #endCalled({ plan, lease: { runId }, cancelledBy }: BegunRun): Promise<void> {
    if (![...toolsOf(plan).values()].some(({ composite }) => composite)) return;
    try {
      await this.#parts.endCalledBy?.(runId, cancelledBy ?? undefined);
    } catch (error) {
      process.emitWarning(
        `an agent that run ${runId} called, which is over, may still wait or go on: ${String(error)}`,
      );
    }
  }

  /** Takes a run of a chain; one of an agent is given back as it was. */
  async #claim(runId: string): Promise<Claim> {
    const { journal, owner } = this.#parts;
    const claim = await journal.claim(runId, owner);
    if (claim.kind === "unknown" || !isAgentRun(claim.run)) return claim;
    if (claim.kind === "claimed") await journal.finish(claim.lease, { status: claim.was, at: this.#clock.now() });
    throw notOfChain(claim.run);
  }

  async #read(runId: string): Promise<RunRecording> {
    const kept = await this.#parts.journal.read(runId);
    if (kept === undefined) throw notFound(runId);
    if (isAgentRun(kept.run)) throw notOfChain(kept.run);
    return kept;
  }

  async #preview({ run, events }: RunRecording, plan: Plan, from: string): Promise<RerunPreview> {
    return previewRerun({ from, plan, old: await this.#look(run, events), undone: undoneSteps(events) });
  }

  #inspected(run: StoredRun): Plan {
    return inspectPlan(run, this.#parts.chains.context);
  }

  async #look(run: StoredRun, events: readonly JournalEvent[]): Promise<RunResult> {
    const { engine } = this.#parts;
    const { facts } = await executeRun({
      plan: this.#inspected(run),
      input: JSON.parse(run.input) as unknown,
      ...readSurroundings(run.context),
      lease: { runId: run.id, epoch: run.epoch },
      startedAt: run.startedAt,
      events,
      executor: undefined,
      clock: this.#clock,
    });
    return toRunResult({ ...facts, status: run.status, usage: undefined }, engine.redactor);
  }
}

/** A run and everything that happened to it. */
interface RunRecording {
  readonly run: StoredRun;
  readonly events: readonly JournalEvent[];
}

function notOfChain({ id }: Pick<StoredRun, "id">): Error {
  const message = `run ${id} is one of an agent, not of a chain: windlass show and resume know both, and to repeat it, ask again`;
  return fail(message, { code: "validation_error" });
}

function notFound(runId: string): Error {
  return fail(`there is no run ${JSON.stringify(runId)}`, { code: "run_not_found" });
}
