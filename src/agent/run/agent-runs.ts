import { type Clock, createIdGenerator, fail, failure, systemClock, cliCommand } from "../../base/index.ts";
import {
  type AvailableClaim,
  type JournalHost,
  RunLeases,
  SealedJournal,
  withRunLifecycle,
  runHeldFailure,
  openHost,
  EffectRunner,
} from "../../run/index.ts";
import {
  type ApprovalStore,
  type Claim,
  type JournalEvent,
  type RunConversation,
  type RunLease,
  type RunStatus,
  type StoredRun,
} from "../../store/index.ts";
import type { AgentListener } from "../events/agent-event.ts";
import type { AgentResult } from "../events/agent-result.ts";
import type { AgentPrompt } from "./runner.ts";
import { agentExecutor } from "./agent-executor.ts";
import type { AgentRun } from "./agent-run.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { Conversations } from "./conversations.ts";
import {
  type PersistedAgentRun,
  callersOf,
  deserializeAgentRun,
  historyBefore,
  isHistoryPersisted,
  serializeAgentRun,
  toAgentPrompt,
} from "./persisted-agent-run.ts";
import { createAgentRun, worksWithoutModel } from "./create-agent-run.ts";
import {
  isBudgetExceeded,
  noticePartialResults,
  type EndedProgram,
  emitRunFinished,
  storedOutcome,
  toAgentResult,
  toRunEnd,
} from "./to-agent-result.ts";
import { type LoadedAgentRun, sharedConversation } from "./loaded-agent-run.ts";
import { AgentRunApprovals, rejectOpenApprovals } from "./agent-run-approvals.ts";
import { emptyHistory } from "./message-history.ts";
import type { AgentRunsDeps, NestedExecuteOptions, NestedStartOptions } from "./execute-options.ts";

/** Durable runs of agents: journaled, leased by one process at a time, and resumed by another when that one is gone. */
export class AgentRuns {
  /** The engine that makes its calls. */
  readonly engine: AgentRunsDeps["engine"];
  readonly #parts: AgentRunsDeps;
  readonly #clock: Clock;
  readonly #leases: RunLeases;
  readonly #ids = createIdGenerator();
  /** Histories of the conversations of its runs. */
  readonly conversations: Conversations;

  constructor(parts: AgentRunsDeps) {
    this.engine = parts.engine;
    this.#parts = { ...parts, journal: new SealedJournal(parts.journal, parts.engine, "redact") };
    this.#clock = parts.clock ?? systemClock;
    this.#leases = new RunLeases({ journal: parts.journal, owner: parts.owner, clock: this.#clock });
    this.conversations = new Conversations({ journal: this.#parts.journal, inspect: (runId) => this.inspect(runId) });
  }

  /** The store of its approvals: `decide` decides one. */
  get approvals(): ApprovalStore {
    return this.#parts.approvals;
  }

  /** The time by which its approvals expire; epoch milliseconds. */
  now(): number {
    return this.#clock.now();
  }

  /** It starts nothing more. */
  get isClosing(): boolean {
    return this.#leases.isClosing;
  }

  /** Starts a run. Throws if the agent cannot run at all, for example without a model. */
  start(spec: AgentSpec, text: string, options: NestedStartOptions = {}): Promise<AgentResult> {
    return this.#leases.track(this.#start(options.account?.limited(spec) ?? spec, text, options));
  }

  async #start(spec: AgentSpec, text: string, options: NestedStartOptions): Promise<AgentResult> {
    const { journal, owner } = this.#parts;
    // Checked before anything is persisted: a run that cannot start leaves no trace.
    this.#leases.checkOpen();
    const withoutModel = worksWithoutModel(this.#parts, spec);
    const runId = options.runId ?? this.#ids.next();
    const { conversationId = runId, history = emptyHistory, isDetached = false } = options;
    const prompt = toAgentPrompt(text, history, options);
    const { history: _history, ...request } = prompt;
    const persisted: PersistedAgentRun = {
      spec,
      prompt: history.isPersisted ? request : prompt,
      recordConversationId: conversationId,
      conversation: isDetached ? undefined : { id: conversationId, after: history.turn },
      ...callersOf(options),
      withoutModel,
    };
    const startedAt = this.#clock.now();
    const created = await journal.create(serializeAgentRun(runId, persisted, startedAt), owner);
    if ("existing" in created) {
      throw fail(`run ${runId} already exists; continue: ${cliCommand(`resume ${runId}`)}`, { code: "run_exists" });
    }
    const { lease } = created;
    return this.#holding(lease, "running", () =>
      this.#observed({ persisted, prompt, lease, startedAt, events: [] }, options),
    );
  }

  /** Why a new run of such an agent would not start here, such as a missing model; undefined if it would. */
  whyUnavailable(spec: AgentSpec): string | undefined {
    try {
      worksWithoutModel(this.#parts, spec);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Resumes a run that is suspended or whose process is gone. Returns the result of a finished run. */
  async resume(runId: string, options: NestedExecuteOptions = {}): Promise<AgentResult> {
    this.#leases.checkOpen();
    const claim = await this.#claim(runId);
    if (claim.kind === "held") throw runHeldFailure(claim.run);
    return this.#continueWith(runId, claim, options);
  }

  /** Like {@link resume}, but waits if another caller executes the run. */
  async join(runId: string, options: NestedExecuteOptions = {}): Promise<AgentResult> {
    this.#leases.checkOpen();
    return this.#continueWith(
      runId,
      await this.#leases.claimWhenFree(() => this.#claim(runId), options.signal),
      options,
    );
  }

  #claim(runId: string): Promise<Claim> {
    return this.#parts.journal.claim(runId, this.#parts.owner);
  }

  #continueWith(runId: string, claim: AvailableClaim, options: NestedExecuteOptions): Promise<AgentResult> {
    switch (claim.kind) {
      case "unknown":
        throw fail(`there is no run ${JSON.stringify(runId)}`, { code: "run_not_found" });
      case "finished":
        return this.#look(claim.run, claim.events);
      case "claimed":
        return this.#leases.track(this.#continueClaimed(claim, options));
    }
  }

  #continueClaimed(claim: Extract<Claim, { kind: "claimed" }>, options: NestedExecuteOptions): Promise<AgentResult> {
    const { run, lease, was, events } = claim;
    const { startedAt, cancelRequested, cancelBy = null } = run;
    const cancelledBy = cancelRequested ? cancelBy : undefined;
    const otherwise = cancelRequested && run.kind === "agent" ? "cancelled" : was;
    return this.#holding(lease, otherwise, async () => {
      const persisted = deserializeAgentRun(run);
      const prompt = await this.#promptOf(run.id, persisted);
      const { conversation } = persisted;
      // In a conversation without turns, stores the older history as a turn first, so that it precedes the turn of this
      // run.
      if (conversation?.after === 0 && !isHistoryPersisted(persisted)) await this.conversations.load(conversation.id);
      return this.#observed({ persisted, prompt, lease, startedAt, events, cancelledBy }, options);
    });
  }

  /** The prompt of a persisted run, with its conversation history. */
  async #promptOf(runId: string, { prompt, conversation }: PersistedAgentRun): Promise<AgentPrompt> {
    if (prompt.history !== undefined) return { ...prompt, history: prompt.history };
    return { ...prompt, history: conversation ? await this.conversations.historyBefore(runId, conversation) : [] };
  }

  /**
   * If the execution throws, releases the run: with its previous status, or as cancelled if a cancellation was
   * requested.
   */
  async #holding(lease: RunLease, otherwise: RunStatus, execute: () => Promise<AgentResult>): Promise<AgentResult> {
    try {
      return await execute();
    } catch (error) {
      // If the run has ended, its lease is lost, or the journal failed, there is nothing to release.
      await this.#releaseUnstarted(lease, otherwise, error).catch(() => {});
      throw error;
    }
  }

  async #releaseUnstarted({ runId, epoch }: RunLease, status: RunStatus, why: unknown): Promise<void> {
    const { journal, approvals } = this.#parts;
    const at = this.#clock.now();
    const message = `the run was cancelled; its work cannot be replayed: ${String(why)}`;
    const error = status === "cancelled" && { error: JSON.stringify(failure("cancelled", message)) };
    await journal.finish({ runId, epoch }, { status, at, ...error });
    if (status === "cancelled") await rejectOpenApprovals(approvals, runId, at);
  }

  /** True if there is such a run, ended or not. */
  async has(runId: string): Promise<boolean> {
    return (await this.#parts.journal.read(runId)) !== undefined;
  }

  /** The conversation that a run belongs to; undefined if it belongs to none, or there is no such run. */
  async conversationOf(runId: string): Promise<string | undefined> {
    const found = await this.#parts.journal.read(runId);
    return found && deserializeAgentRun(found.run).conversation?.id;
  }

  /** Replays a run from its journal and returns its result; nothing is executed. */
  async inspect(runId: string, onEvent?: AgentListener): Promise<AgentResult> {
    const persisted = await this.#parts.journal.read(runId);
    if (persisted === undefined) throw fail(`there is no run ${JSON.stringify(runId)}`, { code: "run_not_found" });
    return this.#look(persisted.run, persisted.events, onEvent);
  }

  /** Cancels a run in any process; a run that no process executes ends at once. False if it has already ended. */
  async cancel(runId: string, by?: string): Promise<boolean> {
    if (!(await this.#parts.journal.requestCancel(runId, by))) return false;
    if (!this.#leases.cancel(runId, by)) await this.#endUnheld(runId);
    return true;
  }

  /** Cancels unfinished runs that an ended run called in an earlier process. */
  async cancelSubRuns(runId: string, by: string | undefined): Promise<void> {
    const { journal } = this.#parts;
    for (const status of ["running", "waiting"] as const) {
      const unfinished = await journal.list({ status, limit: maxExamined });
      for (const run of unfinished) if (run.calledBy === runId) await this.cancel(run.id, by);
    }
  }

  async #endUnheld(runId: string): Promise<void> {
    const claim = await this.#claim(runId);
    // The cancellation request is persisted even if this fails.
    if (claim.kind === "claimed") await this.#leases.track(this.#continueClaimed(claim, {})).catch(() => {});
  }

  /** Starts no more runs, waits for running ones, and releases the rest for other processes. */
  close(drainMs = 5000): Promise<void> {
    return this.#leases.close(drainMs);
  }

  /** Executes a run inside the observer. */
  #observed(inHand: LoadedAgentRun, options: NestedExecuteOptions): Promise<AgentResult> {
    const { observer } = this.#parts;
    if (observer === undefined) return this.#execute(inHand, options);
    const { persisted, prompt, lease, events } = inHand;
    const { recordConversationId, spec } = persisted;
    const of = { runId: lease.runId, conversationId: recordConversationId, runner: spec.runner, prompt: prompt.text };
    return observer.run({ ...of, resumed: events.length > 0 }, () => this.#execute(inHand, options));
  }

  async #execute(inHand: LoadedAgentRun, options: NestedExecuteOptions): Promise<AgentResult> {
    const { persisted, prompt, lease, startedAt, events, cancelledBy } = inHand;
    const { engine, resultStore, observer } = this.#parts;
    const requestsModel = cancelledBy === undefined;
    const life = { requestsModel, listener: options.onEvent, clock: this.#clock, account: options.account };
    const run = createAgentRun(this.#parts, inHand, life);
    const { elicit, requestApproval, waitForDecisions, begin = (...call) => engine.begin(...call) } = options;
    const executor = agentExecutor(run, {
      clock: this.#clock,
      resultStore,
      observer,
      persisted,
      elicit,
      begin,
    });
    const host = openHost({
      ...this.#parts,
      lease,
      startedAt,
      events,
      principal: persisted.principal,
      executor,
      clock: this.#clock,
      requestApproval,
      waitForDecisions,
      redactor: engine.redactor,
    });
    const by = { leases: this.#leases, signal: options.signal, step: options.step, cancelledBy };
    const ended = await withRunLifecycle(host, by, () => this.#runProgram(run, host, prompt));
    return this.#ended(inHand, { run, host, ended });
  }

  /** Persists how this execution of a run ended, and emits it. */
  async #ended(
    inHand: LoadedAgentRun,
    { run, host, ended }: { readonly run: AgentRun; readonly host: JournalHost; readonly ended: EndedProgram },
  ): Promise<AgentResult> {
    const { persisted, prompt, lease, startedAt, events } = inHand;
    const { conversation } = persisted;
    const before = conversation && historyBefore(persisted, prompt);
    const runEnd = toRunEnd(run, ended, { at: this.#clock.now(), before });
    const approvals = new AgentRunApprovals(this, run, events);
    const waits = runEnd.status === "waiting";
    const open = waits ? await approvals.open(this.#clock.now()) : [];
    // Released half-way by a closing process: the next lease holder resumes it once all approvals are decided.
    const isLeft = waits && host.isReleased && open.length === 0;
    await this.#parts.journal.finish(lease, isLeft ? { ...runEnd, status: "running" } : runEnd);
    if (!waits) await approvals.end(host, this.#clock.now());
    const shared = sharedConversation(inHand);
    if (runEnd.turn !== undefined && shared) await this.#noteMissed(run, shared);
    const left = isLeft && { status: "running" as const };
    const result = toAgentResult(run, ended, { runner: persisted.spec.runner, startedAt, open, ...left });
    emitRunFinished(run, result);
    return result;
  }

  /** Notifies the user of concurrent prompts in the conversation that this answer does not take into account. */
  async #noteMissed(run: AgentRun, conversation: RunConversation): Promise<void> {
    // The answer counts even if this lookup fails.
    const missed = await this.conversations.countConcurrent(run.runId, conversation).catch(() => 0);
    if (missed === 0) return;
    const others = missed === 1 ? "another prompt was" : `${missed} other prompts were`;
    run.notice(
      `${others} answered in this conversation in the meantime; this answer does not take it into account, the next one will`,
    );
  }

  async #runProgram(run: AgentRun, host: JournalHost, prompt: AgentPrompt): Promise<EndedProgram> {
    const { runner } = run.spec;
    const effects = new EffectRunner(host, (settled) => run.onSettled(settled));
    run.attach(effects);
    run.emit({ type: "run-started", runner, prompt: prompt.text });
    const ended = await effects.run(this.#parts.runner(runner).run(run, prompt));
    if (ended.kind === "broke" && isBudgetExceeded(ended.error)) noticePartialResults(run);
    return ended;
  }

  /** Replays a run to the end of its journal. */
  async #look(stored: StoredRun, events: readonly JournalEvent[], onEvent?: AgentListener): Promise<AgentResult> {
    const persisted = deserializeAgentRun(stored);
    const { id: runId, epoch, startedAt, conversation } = stored;
    const lease = { runId, epoch };
    const prompt = await this.#promptOf(runId, persisted);
    const life = { requestsModel: false, listener: onEvent, clock: undefined };
    const run = createAgentRun(this.#parts, { persisted, prompt, lease, startedAt, events }, life);
    const host = openHost({ lease, startedAt, events, executor: undefined, clock: this.#clock });
    const event = await this.#runProgram(run, host, prompt);
    const waits = stored.status === "waiting";
    const open = waits ? await new AgentRunApprovals(this, run, events).open(this.#clock.now()) : [];
    const { ended, ...known } = storedOutcome(stored, event);
    if (stored.status === "success" && conversation) await this.#noteMissed(run, conversation);
    return toAgentResult(run, ended, { runner: persisted.spec.runner, startedAt, open, ...known });
  }
}

/** Maximum number of runs that a journal lists at once. */
const maxExamined = 1000;
