import {
  type DeliveredEvent,
  type EventRequest,
  type HostOutcome,
  type RunOptionsOf,
  type RunRef,
  type RunService,
  type ServeOptions,
  runServiceOf,
} from "../run/index.ts";
import type { Approval, Decision, JournalEvent, RunQuery, RunRecording, RunStatus, StoredRun } from "../store/index.ts";
import { ChainRunKind } from "./chain-run-kind.ts";
import type { NewChainRun } from "./claimed-run.ts";
import type { ChainRunsDeps, ExecuteRunOptions, StartRunOptions } from "./execute-options.ts";
import type { RunListener } from "./interpreter/run-events.ts";
import type { Plan } from "./plan/plan.ts";
import { type RerunPreview, previewRerun } from "./rerun-preview.ts";
import { parseRunInput } from "./run-chain.ts";
import { parseRunEnvironment } from "./run-environment.ts";
import type { RunResult } from "./run-result.ts";
import { isCompensationKey, outermostStep } from "./interpreter/parse-step-key.ts";
import { fail, isFailureError, cliCommand } from "../base/index.ts";
import { fileOfSnapshot } from "./plan/snapshot.ts";
import { notifyRun } from "./texts/chain-texts.ts";
import { planStoredRun } from "./stored-plan.ts";

/** Options of a rerun. */
export interface RerunOptions
  extends ExecuteRunOptions, Pick<StartRunOptions, "callerType" | "input" | "principal" | "runId"> {
  /** The step to start from. Default: all steps run again. */
  readonly from?: string;
}

/**
 * Durable runs of chains: journaled, held by one process at a time, and claimed by another one if that process ends.
 *
 * @see docs/guide/durable-runs.md
 */
export class ChainRuns {
  readonly #parts: ChainRunsDeps;
  readonly #service: RunService;
  readonly #kind: ChainRunKind;

  constructor(parts: ChainRunsDeps) {
    this.#parts = parts;
    this.#service = runServiceOf(parts, parts.engine);
    this.#kind = new ChainRunKind(parts, this.#service);
    this.#service.register(this.#kind);
  }

  /** Starts a run, or joins the run with this id. Throws if the input is not valid, or a tool of a step cannot work here. */
  async start(plan: Plan, options: StartRunOptions = {}): Promise<RunResult> {
    return this.#service.start(this.#kind, this.#specOf(plan, options), options);
  }

  /**
   * Stores a run for a process that serves runs, and returns at once. Submitting the same run with the same id again has
   * no effect. Throws if the input is not valid, or a tool of a step cannot work here.
   */
  async submit(plan: Plan, options: StartRunOptions = {}): Promise<RunRef> {
    return this.#service.submit(this.#kind, this.#specOf(plan, options), options);
  }

  /** Waits until a run has ended or waits for a person, and returns its result; executes nothing. */
  result(runId: string, signal?: AbortSignal): Promise<RunResult> {
    return this.#service.result(this.#kind, runId, signal);
  }

  /** Waits until a run of any kind has ended or waits for a person; executes nothing. */
  settled(runId: string, signal?: AbortSignal): Promise<void> {
    return this.#service.settled(runId, signal);
  }

  /** The journal events of a run after this one, as they are written, until the run ends or the signal is aborted. */
  events(runId: string, after?: number, signal?: AbortSignal): AsyncGenerator<JournalEvent, void, undefined> {
    return this.#service.events(runId, after, signal);
  }

  /** Records a person's decision, and wakes the runs that wait for it. Throws if it does not count. */
  decide(approvalId: string, decision: Decision): Promise<Approval> {
    return this.#service.decide(approvalId, decision);
  }

  /**
   * Delivers an event to a run, and wakes it if it waits for the event. Throws if no step of the run waits for such an
   * event, or the run has ended.
   *
   * @see docs/guide/waiting.md
   */
  deliver(runId: string, event: EventRequest): Promise<DeliveredEvent> {
    return this.#service.deliver(runId, event);
  }

  /** Resumes a run that was released, or whose process has ended. For a finished run, returns its result. */
  resume(runId: string, options: ExecuteRunOptions = {}): Promise<RunResult> {
    return this.#service.resume(this.#kind, runId, options);
  }

  /** Joins a run in any state: resumes it if no process holds it, otherwise waits for the process that does. */
  join(runId: string, options: ExecuteRunOptions = {}): Promise<RunResult> {
    return this.#service.join(this.#kind, runId, options);
  }

  /**
   * Starts a new run of the current chain; with `from`, reuses the results of steps that do not depend on that step, nor
   * on an input that differs.
   */
  async rerun(runId: string, options: RerunOptions = {}): Promise<RunResult> {
    const { made, ...environment } = await this.#rerunOf(runId, options);
    return this.#service.start(this.#kind, made, { ...options, ...environment });
  }

  /** Stores such a run for a process that serves runs, and returns at once. */
  async submitRerun(runId: string, options: RerunOptions = {}): Promise<RunRef> {
    const { made, ...environment } = await this.#rerunOf(runId, options);
    return this.#service.submit(this.#kind, made, { ...options, ...environment });
  }

  /**
   * Previews a {@link rerun} from this step: the steps that run again, each with the reason, and the results that are
   * reused.
   */
  async previewRerun(
    runId: string,
    from: string,
    { onNotice, input: newInput }: Pick<RerunOptions, "onNotice" | "input"> = {},
  ): Promise<RerunPreview> {
    const stored = this.#service.journal.open(await this.#read(runId));
    const { plan } = await currentPlan(stored.run, this.#parts, onNotice);
    return this.#preview(stored, { plan, from, input: parseRerunInput(plan, stored.run, newInput) });
  }

  /**
   * Cancels a run in any process. The request is durable when the promise resolves. False if the run has already ended.
   */
  async cancel(runId: string, by?: string): Promise<boolean> {
    if (await this.#service.cancel(runId, by)) return true;
    await this.#service.checkExists(runId);
    return false;
  }

  /** Returns the state of a run, replayed from its journal; executes nothing. */
  async inspect(runId: string, onEvent?: RunListener): Promise<RunResult> {
    return this.#kind.describe(await this.#read(runId), onEvent);
  }

  /** A run of any kind, ended or not; undefined if there is none. */
  find(runId: string): Promise<StoredRun | undefined> {
    return this.#service.find(runId);
  }

  /** The statuses of runs of any kind; of a run that does not exist there is none. */
  statuses(runIds: readonly string[]): Promise<ReadonlyMap<string, RunStatus>> {
    return this.#service.statuses(runIds);
  }

  list(query?: RunQuery): Promise<readonly StoredRun[]> {
    return this.#service.list(query);
  }

  /** A run with all its events, for a recording. */
  async read(runId: string): Promise<RunRecording> {
    return this.#service.journal.reveal(await this.#read(runId));
  }

  /**
   * Executes every run that is executable, until the signal is aborted: submitted runs, suspended runs that a decision, a
   * time or a cancellation has woken, and runs whose process has ended. In a workspace, also runs of agents and durable
   * calls; `onEvent` and `onNotice` report those of chains. A run that cannot be executed here is reported to `onError`,
   * and retried.
   *
   * @param optionsOf Further options for a run, by its kind, such as the `onEvent` of an agent.
   */
  serve(
    {
      signal,
      onEvent,
      onNotice,
      ...options
    }: ExecuteRunOptions & Pick<ServeOptions, "onError"> & { readonly signal: AbortSignal },
    optionsOf?: RunOptionsOf,
  ): Promise<void> {
    const chain = { ...(onEvent !== undefined && { onEvent }), ...(onNotice !== undefined && { onNotice }) };
    return this.#service.serve(signal, options, (run) =>
      run.kind === "chain" ? { ...chain, ...optionsOf?.(run) } : optionsOf?.(run),
    );
  }

  /** Starts no more work, waits for the running work, and releases the runs so that another process can claim them. */
  close(drainMs?: number): Promise<void> {
    return this.#service.close(drainMs);
  }

  #specOf(plan: Plan, options: StartRunOptions): NewChainRun {
    const input = parseRunInput(plan, options.input);
    const runId = this.#service.newRunId(options.runId);
    return { plan, file: this.#parts.files?.fileOf(plan), runId, input, events: [], rerunOf: undefined };
  }

  #read(runId: string): Promise<RunRecording> {
    return this.#service.read(this.#kind, runId);
  }

  /** A new run that repeats another one, and its environment. */
  async #rerunOf(
    runId: string,
    { from, onNotice, input: newInput, ...options }: RerunOptions,
  ): Promise<{ readonly made: NewChainRun } & Pick<StartRunOptions, "context" | "tainted" | "principal">> {
    const { run, events: before } = await this.#read(runId);
    // Only results that are reused have to be opened.
    const stored = this.#service.journal.open({ run, events: from === undefined ? [] : before });
    const { plan, file } = await currentPlan(stored.run, this.#parts, onNotice);
    const input = parseRerunInput(plan, stored.run, newInput);
    const preview = from === undefined ? undefined : await this.#preview(stored, { plan, from, input });
    const { context, tainted, ...of } = parseRunEnvironment(stored.run.context);
    const principal = options.principal ?? of.principal;
    const made = {
      plan,
      file,
      input,
      rerunOf: runId,
      runId: this.#service.newRunId(options.runId),
      events: preview === undefined ? [] : reusableEvents(preview, stored.events),
      reused: preview?.reused ?? [],
    };
    return { made, context, tainted, ...(principal !== undefined && { principal }) };
  }

  async #preview(
    stored: RunRecording,
    { plan, from, input }: Pick<NewChainRun, "plan" | "input"> & { readonly from: string },
  ): Promise<RerunPreview> {
    const old = await this.#kind.describe(stored);
    return previewRerun({ from, plan, old, undone: compensatedSteps(stored.events), input });
  }
}

/**
 * Events of an earlier run that a new one reuses: the outcomes of steps that do not run again, without those of their
 * compensations. Renumbered.
 */
export function reusableEvents(preview: RerunPreview, events: readonly JournalEvent[]): JournalEvent[] {
  const reused = new Set(preview.reused);
  const settled = events
    .slice(0, undoingFrom(events))
    .filter(({ kind, key }) => kind === "settled" && reused.has(outermostStep(key)));
  return settled.map((event, index) => ({ ...event, seq: index + 1 }));
}

/** Steps of the outermost chain that were compensated completely or in part, or may have been, when the run stopped. */
export function compensatedSteps(events: readonly JournalEvent[]): ReadonlySet<string> {
  const undone = events.slice(undoingFrom(events)).filter((event) => isCompensationKey(event.key) && hasRun(event));
  return new Set(undone.map(({ key }) => outermostStep(key)));
}

/**
 * Index at which the run began to compensate; the number of events if it never did. After it, only compensations are
 * called. Compensations of a sub-chain before its retry are part of the work, and come before.
 */
function undoingFrom(events: readonly JournalEvent[]): number {
  let from = events.length;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index] as JournalEvent;
    if (!isCall(event)) continue;
    if (!isCompensationKey(event.key)) break;
    from = index;
  }
  return from;
}

/** A call that started or ended; not a pause, an approval or a cancellation. */
function isCall({ kind, data }: JournalEvent): boolean {
  if (kind !== "settled") return kind === "started";
  const outcome = data as HostOutcome;
  return outcome.kind === "call" || outcome.kind === "interrupted";
}

/** The tool was called as far as the journal shows: it was not denied before. */
function hasRun(event: JournalEvent): boolean {
  if (!isCall(event)) return false;
  const outcome = event.data as HostOutcome;
  return event.kind !== "settled" || outcome.kind !== "call" || outcome.result.success || outcome.effect !== undefined;
}

/** The current chain of a run, and the file that it was read from. */
/**
 * Returns the current chain of a run: from the file that it was run from, else by name. If the chain no longer exists,
 * returns it as stored with the run, with a notice.
 */
async function currentPlan(
  run: Pick<StoredRun, "id" | "name" | "definition">,
  { chains, files }: Pick<ChainRunsDeps, "chains" | "files">,
  onNotice: ExecuteRunOptions["onNotice"],
): Promise<Pick<NewChainRun, "plan" | "file">> {
  const file = fileOfSnapshot(run.definition);
  const plan = await (file === undefined ? byName(run.name, chains) : files?.load(file));
  if (plan !== undefined) return { plan, file };
  const params = { run: run.id, chain: run.name, ...(file !== undefined && { file }) };
  notifyRun(onNotice, { code: "chain_gone", params });
  return { plan: planStoredRun(run.definition, chains.context), file };
}

/**
 * The input of a rerun as validated by the current chain, with its defaults: the new one, or else that of the run.
 * Throws if it is not valid.
 */
function parseRerunInput(plan: Plan, { id, input }: Pick<StoredRun, "id" | "input">, newInput: unknown): unknown {
  if (newInput !== undefined) return parseRunInput(plan, newInput);
  try {
    // Written when the run started.
    return parseRunInput(plan, JSON.parse(input));
  } catch (error) {
    if (!isFailureError(error) || error.issues === undefined) throw error;
    const found = error.issues.map(({ message }) => message).join("; ");
    const message = `the input of run ${id} does not fit the current version of ${plan.name}: ${found}; start a new run with: ${cliCommand("run")}`;
    throw fail(message, { code: "validation_error", issues: error.issues });
  }
}

function byName(name: string, chains: ChainRunsDeps["chains"]): Plan | undefined {
  return chains.has(name) ? chains.plan(name) : undefined;
}
