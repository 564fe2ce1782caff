import { checkJson } from "../base/index.ts";
import {
  type HeldRun,
  type PreparedRun,
  type RunInput,
  type RunKind,
  type RunExecution,
  type RunService,
  cancellerOf,
  engineRunner,
} from "../run/index.ts";
import { type NewChainRun, type OwnedRun, restoreRunInput } from "./claimed-run.ts";
import { checkAllowed, deniedChains } from "./denied-chains.ts";
import type { ChainRunParts, ExecuteRunOptions, StartRunOptions } from "./execute-options.ts";
import { driveChain } from "./interpreter/execute-run.ts";
import { ChainCalls, untrustedContent } from "./chain-calls.ts";
import { serializeMetrics } from "./log/run-metrics.ts";
import { checkRemaining, checkRequirements, missingRequirements } from "./missing-requirements.ts";
import { reachOf } from "./plan-targets.ts";
import { eventsOfSnapshot, sameChains, snapshotOf } from "./plan/snapshot.ts";
import { parseRunEnvironment, serializeRunEnvironment } from "./run-environment.ts";
import { type RunResult, toRunResult } from "./run-result.ts";
import { changedTools, checkUnchanged, inspectPlan, planStoredRun, runFormat } from "./stored-plan.ts";
import { notifyRun } from "./texts/chain-texts.ts";
import { resolveCallEffect } from "../engine/index.ts";
import type { Failure } from "../base/index.ts";
import type { JournalEvent, NewRun, RunRecording, StoredRun } from "../store/index.ts";
import { stepPathOfKey } from "./interpreter/parse-step-key.ts";
import type { RunEvent, RunListener } from "./interpreter/run-events.ts";
import type { StepState } from "./interpreter/step-state.ts";

/** Options of a run of a chain: those of a start and of a resume. */
export type ChainRunOptions = ExecuteRunOptions &
  Pick<StartRunOptions, "context" | "principal" | "callerType" | "tainted">;

/** Runs of chains. */
export class ChainRunKind implements RunKind<NewChainRun, ChainRunOptions, RunResult> {
  readonly id = "chain";
  readonly usesSecrets = true;
  readonly #parts: ChainRunParts;
  readonly #service: RunService;

  constructor(parts: ChainRunParts, service: RunService) {
    this.#parts = parts;
    this.#service = service;
  }

  async prepare(made: NewChainRun, options: ChainRunOptions): Promise<PreparedRun<RunResult>> {
    const { plan, runId, input } = made;
    const { engine, env = {} } = this.#parts;
    const { clock } = this.#service;
    const { context = {}, principal, callerType = "direct", tainted = false } = options;
    checkAllowed(plan, engine.denies, callerType);
    checkJson(input, `the input of ${plan.name}`);
    checkJson(context, "the context of the run");
    const missing = missingRequirements(plan, made.reused);
    // An existing run with this id is joined, and its remaining steps may need less.
    if (missing.length > 0 && !(await this.#service.has(runId))) checkRequirements(plan, missing, options);
    const callerPath = [callerType];
    const denied = deniedChains(plan, engine.denies, callerPath);
    const environment = { context, env, principal, denied, callerPath, tainted };
    const { definition, fingerprints } = snapshotOf(plan, made.file);
    const startedAt = clock.now();
    // Results reused from an earlier run are present when this one starts, and take none of its time.
    const events = made.events.map((event) => ({ ...event, at: startedAt }));
    const run = {
      id: runId,
      kind: this.id,
      name: plan.name,
      definition,
      input: JSON.stringify(input),
      context: serializeRunEnvironment(plan, environment),
      format: runFormat,
      fingerprints: JSON.stringify(fingerprints),
      startedAt,
      ...(made.rerunOf !== undefined && { rerunOf: made.rerunOf }),
    } as const;
    return {
      run,
      events,
      onJoined: (existing) => {
        if (sameChains(existing.definition, definition)) return;
        notifyRun(options.onNotice, { code: "chain_changed", params: { run: runId, chain: plan.name } });
      },
      program: (lease) => this.#program({ plan, input, ...environment, lease, startedAt, events }, options),
    };
  }

  inputOf({ input, context }: NewRun): RunInput {
    return { input: JSON.parse(input), context: parseRunEnvironment(context).context };
  }

  async program(held: HeldRun, options: ExecuteRunOptions): Promise<RunExecution<RunResult>> {
    const cancelledBy = cancellerOf(held.run);
    try {
      const plan = planStoredRun(held.run.definition, { ...this.#parts.chains.context, taint: "unchecked" });
      checkUnchanged(held.run, plan);
      const missing = cancelledBy === undefined ? missingRequirements(plan) : [];
      if (missing.length > 0) checkRemaining(await this.describe(held), missing, options);
      const { run, events, lease } = this.#service.journal.open(held);
      return this.#program({ plan, lease, events, ...restoreRunInput(run), cancelledBy }, options);
    } catch (error) {
      if (cancelledBy === undefined || held.run.format !== runFormat) throw error;
      return this.#cancellation(held, options);
    }
  }

  /**
   * A run that cannot resume can still be cancelled. Compensations whose tools have changed are reported as not done.
   */
  #cancellation(held: HeldRun, options: ExecuteRunOptions): RunExecution<RunResult> {
    const { run, events, lease } = this.#service.journal.reveal(held);
    const plan = inspectPlan(run, this.#parts.chains.context);
    const [refused, cancelledBy] = [new Set(changedTools(run, plan)), cancellerOf(run)];
    return this.#program({ plan, lease, events, ...restoreRunInput(run), cancelledBy, refused }, options);
  }

  #program(run: OwnedRun, options: ExecuteRunOptions): RunExecution<RunResult> {
    const { engine, observer } = this.#parts;
    const { plan, lease, principal, refused, callerPath } = run;
    const runner = engineRunner({
      begin: (target, args, context) => engine.begin(target, args, context),
      tools: reachOf(plan).tools,
      secrets: engine.secrets,
      elicit: options.elicit,
      isImmediate: options.onEvent === undefined,
    });
    const content = untrustedContent(plan, run);
    return {
      ...run,
      calls: new ChainCalls({ plan, runId: lease.runId, runner, callerPath, principal, content, refused }),
      drive: async (host) => {
        const facts = await driveChain(host, { ...run, onEvent: options.onEvent, observer, redactor: engine.redactor });
        const { status, output, error } = facts;
        return {
          end: {
            status,
            at: this.#service.clock.now(),
            ...(status === "success" && { output: JSON.stringify(output) }),
            ...(error !== undefined && { error: JSON.stringify(error) }),
            ...(status !== "waiting" && { metrics: serializeMetrics(facts) }),
          },
          ended: async (stored) => {
            if (status !== "waiting" && (run.events.length > 0 || status !== "success")) await this.#endCalled(run);
            return toRunResult({ ...facts, status: stored }, engine.redactor);
          },
        };
      },
    };
  }

  /** Cancels the sub-runs that its tools started and left unfinished. */
  async #endCalled({ plan, lease: { runId }, cancelledBy }: OwnedRun): Promise<void> {
    if (![...reachOf(plan).tools.values()].some(({ composite }) => composite)) return;
    try {
      await this.#parts.cancelSubRuns?.(runId, cancelledBy ?? undefined);
    } catch (error) {
      process.emitWarning(
        `run ${runId} has ended, but an agent that it called may still be waiting or running: ${String(error)}`,
      );
    }
  }

  eventsOf({ definition }: StoredRun): ReadonlySet<string> | undefined {
    return eventsOfSnapshot(definition);
  }

  /** Replays a run to the end of its journal; executes nothing. */
  async describe(stored: RunRecording, onEvent?: RunListener): Promise<RunResult> {
    const replayed: RunEvent[] = [];
    const shown = this.#service.journal.reveal({ run: stored.run, events: stored.events });
    const { run, events } = shown;
    const facts = await driveChain(this.#service.replayHost(shown), {
      plan: inspectPlan(run, this.#parts.chains.context),
      input: JSON.parse(run.input) as unknown,
      ...parseRunEnvironment(run.context),
      lease: { runId: run.id, epoch: run.epoch },
      events,
      ...(onEvent !== undefined && { onEvent: (event) => void replayed.push(event) }),
    });
    resetUnstarted(facts.steps, events, run.leaseHolder === undefined);
    if (onEvent !== undefined) for (const event of replayed) if (!isUnstarted(event, facts.steps)) onEvent(event);
    const { status, finishedAt = 0 } = run;
    const endedAt = facts.endedAt > 0 ? facts.endedAt : finishedAt;
    // A run may have ended without the end of its program.
    const error = facts.error ?? (run.error === undefined ? undefined : (JSON.parse(run.error) as Failure));
    return toRunResult({ ...facts, status, endedAt, error, usage: undefined }, this.#parts.engine.redactor);
  }
}

/**
 * Resets the steps of an inspected run that have not begun: a replay begins every step whose needs have settled, also
 * one that the process of the run could not start any more. The start of a call with side effects is journaled, so a
 * step without an event has made none. Calls that only read are not journaled before they end: whether they had started
 * is known only if the run was released, since a process starts nothing more then.
 */
function resetUnstarted(steps: readonly StepState[], events: readonly JournalEvent[], isReleased: boolean): void {
  if (!steps.some(({ status }) => status === "running")) return;
  const begun = begunPaths(events);
  for (const state of steps) reset(state, begun, isReleased);
}

function reset(state: StepState, begun: ReadonlySet<string>, isReleased: boolean): void {
  if (state.status !== "running") return;
  for (const child of state.children ?? []) reset(child, begun, isReleased);
  if (begun.has(state.path)) return;
  const isSubChain = state.step.target.chain !== undefined;
  const hasBegun = isSubChain
    ? state.children?.some(({ status }) => status !== "pending") === true && !isReleased
    : !isReleased && !hasSideEffects(state);
  if (hasBegun) return;
  state.status = "pending";
  state.startedAt = 0;
  state.attempts = 0;
  state.input = undefined;
  state.items = undefined;
  state.children = undefined;
}

/** True for the start of a step that has not begun. */
function isUnstarted(event: RunEvent, steps: readonly StepState[]): boolean {
  if (event.type !== "step-started") return false;
  for (const state of steps) {
    if (state.path === event.step) return state.status === "pending";
    if (event.step.startsWith(`${state.path}/`)) return isUnstarted(event, state.children ?? []);
  }
  return false;
}

function hasSideEffects({ step, input }: StepState): boolean {
  const { tool } = step.target;
  // The effect of an item may depend on its arguments.
  if (tool === undefined || step.forEach !== undefined) return false;
  return !["pure", "read"].includes(resolveCallEffect(tool, input));
}

/** The paths of the steps that the journal has events of, and of the steps that called their chains. */
function begunPaths(events: readonly JournalEvent[]): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const { key } of events) {
    let path = stepPathOfKey(key);
    while (path !== "" && !paths.has(path)) {
      paths.add(path);
      path = path.slice(0, Math.max(0, path.lastIndexOf("/"))).replace(/\[\d+\]$/, "");
    }
  }
  return paths;
}
