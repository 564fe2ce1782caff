import { type Clock, createIds, fail, failure, systemClock } from "../../base/index.ts";
import { type FreeClaim, type JournalHost, RunKeeper, attended, heldBy, openHost } from "../../chain/index.ts";
import { faultOf } from "../../model/index.ts";
import {
  type ApprovalStore,
  type Claim,
  type JournalEvent,
  type RunConversation,
  type RunLease,
  type RunStatus,
  type StoredRun,
  isAgentRun,
} from "../../store/index.ts";
import type { AgentListener } from "../agent-event.ts";
import type { AgentResult } from "../agent-result.ts";
import { FlowRun } from "../flow/flow-run.ts";
import type { AgentQuestion } from "../runner.ts";
import { agentExecutor } from "./agent-executor.ts";
import type { AgentRun } from "./agent-run.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { Conversations } from "./conversations.ts";
import { type KeptAgentRun, callerOf, readAgentRun, writeAgentRun } from "./kept-run.ts";
import { makeRun, nobodyToAsk } from "./make-run.ts";
import { isOverBudget, noteFound } from "./note-found.ts";
import type { RunInHand } from "./run-in-hand.ts";
import { RunQuestions, rejectOpen } from "./run-questions.ts";
import { type Said, nothingSaid } from "./said.ts";
import type { AgentRunsParts, InnerExecuteOptions, InnerStartOptions } from "./execute-options.ts";
import { type Ended, storedEnd, toResult, toRunEnd } from "./to-result.ts";

/** A life of a run, when it is over. */
interface EndedLife {
  readonly run: AgentRun;
  readonly host: JournalHost;
  readonly ended: Ended;
}

/** Runs of agents that survive: journaled, owned by one process at a time, taken up by another when that one is gone. */
export class AgentRuns {
  readonly #parts: AgentRunsParts;
  readonly #clock: Clock;
  readonly #keeper: RunKeeper;
  readonly #ids = createIds();
  /** What was said in the conversations that its runs are questions of. */
  readonly conversations: Conversations;

  constructor(parts: AgentRunsParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    this.#keeper = new RunKeeper({ journal: parts.journal, owner: parts.owner, clock: this.#clock });
    this.conversations = new Conversations({ journal: parts.journal, inspect: (runId) => this.inspect(runId) });
  }

  /** Where its questions to people are kept: `decide` answers one. */
  get approvals(): ApprovalStore {
    return this.#parts.approvals;
  }

  /** The time by which its approvals expire; epoch milliseconds. */
  now(): number {
    return this.#clock.now();
  }

  /** It begins nothing any more. */
  get isClosing(): boolean {
    return this.#keeper.isClosing;
  }

  /** Begins a run. Throws where the agent cannot be asked at all, such as for want of a model. */
  start(spec: AgentSpec, text: string, options: InnerStartOptions = {}): Promise<AgentResult> {
    return this.#keeper.track(this.#start(options.account?.limited(spec) ?? spec, text, options));
  }

  async #start(spec: AgentSpec, text: string, options: InnerStartOptions): Promise<AgentResult> {
    const { journal, owner } = this.#parts;
    // Before anything is kept: what cannot begin leaves nothing behind.
    this.#keeper.checkOpen();
    const alone = this.#worksAlone(spec);
    const runId = options.runId ?? this.#ids.next();
    const { conversationId: under = runId, said = nothingSaid, aside = false, calledBy, principal } = options;
    const question = questionOf(text, said, options);
    const { history: _history, ...asked } = question;
    const kept: KeptAgentRun = {
      spec,
      question: said.isKept ? asked : question,
      under,
      conversation: aside ? undefined : { id: under, after: said.turn },
      calledBy,
      principal,
      alone,
    };
    const startedAt = this.#clock.now();
    const created = await journal.create(writeAgentRun(runId, kept, startedAt), owner);
    if ("existing" in created) {
      throw fail(`there is a run ${runId} already; windlass resume ${runId} goes on with it`, { code: "run_exists" });
    }
    const { lease } = created;
    return this.#holding(lease, "running", () =>
      this.#observed({ kept, question, lease, startedAt, events: [] }, options),
    );
  }

  /** Does an agent that begins now work without a model? Throws where it cannot, and has none that answers. */
  #worksAlone(spec: AgentSpec): boolean {
    const { worksAlone = false } = this.#parts.runner(spec.runner);
    const model = this.#parts.model(spec.model);
    if (worksAlone) return model === undefined;
    if (model === undefined) throw nobodyToAsk(this.#parts, spec);
    const fault = faultOf(model);
    if (fault !== undefined) throw fault;
    return false;
  }

  /** Goes on with a run that waits or whose process is gone. A finished one gives its result. */
  async resume(runId: string, options: InnerExecuteOptions = {}): Promise<AgentResult> {
    this.#keeper.checkOpen();
    const claim = await this.#claim(runId);
    if (claim.kind === "held") throw heldBy(claim.run);
    return this.#goOnWith(runId, claim, options);
  }

  /** The same where somebody executes it: waits for that. */
  async join(runId: string, options: InnerExecuteOptions = {}): Promise<AgentResult> {
    this.#keeper.checkOpen();
    return this.#goOnWith(runId, await this.#keeper.whenFree(() => this.#claim(runId), options.signal), options);
  }

  #claim(runId: string): Promise<Claim> {
    return this.#parts.journal.claim(runId, this.#parts.owner);
  }

  #goOnWith(runId: string, claim: FreeClaim, options: InnerExecuteOptions): Promise<AgentResult> {
    switch (claim.kind) {
      case "unknown":
        throw fail(`there is no run ${JSON.stringify(runId)}`, { code: "run_not_found" });
      case "finished":
        return this.#look(claim.run, claim.events);
      case "claimed":
        return this.#keeper.track(this.#goOn(claim, options));
    }
  }

  #goOn(claim: Extract<Claim, { kind: "claimed" }>, options: InnerExecuteOptions): Promise<AgentResult> {
    const { run, lease, was, events } = claim;
    const { startedAt, cancelRequested, cancelBy = null } = run;
    const cancelledBy = cancelRequested ? cancelBy : undefined;
    const otherwise = cancelRequested && isAgentRun(run) ? "cancelled" : was;
    return this.#holding(lease, otherwise, async () => {
      const kept = readAgentRun(run);
      const question = await this.#questionOf(run.id, kept);
      const { conversation } = kept;
      // What was said since in a conversation that has no turns yet comes before what this run adds.
      if (conversation?.after === 0 && !isToldByTurns(kept)) await this.conversations.soFar(conversation.id);
      return this.#observed({ kept, question, lease, startedAt, events, cancelledBy }, options);
    });
  }

  /** The question of a run that began, with what was said before. */
  async #questionOf(runId: string, { question, conversation }: KeptAgentRun): Promise<AgentQuestion> {
    if (question.history !== undefined) return { ...question, history: question.history };
    return { ...question, history: conversation ? await this.conversations.before(runId, conversation) : [] };
  }

  /** Whatever breaks, the run is not kept from others: it is given back as it was, or is over where it was cancelled. */
  async #holding(lease: RunLease, otherwise: RunStatus, execute: () => Promise<AgentResult>): Promise<AgentResult> {
    try {
      return await execute();
    } catch (error) {
      // Where it is over, lost, or the journal is what broke, there is nothing to give back.
      await this.#giveBack(lease, otherwise, error).catch(() => {});
      throw error;
    }
  }

  async #giveBack({ runId, epoch }: RunLease, status: RunStatus, why: unknown): Promise<void> {
    const { journal, approvals } = this.#parts;
    const at = this.#clock.now();
    const message = `the run was cancelled; what it did cannot be told again: ${String(why)}`;
    const error = status === "cancelled" && { error: JSON.stringify(failure("cancelled", message)) };
    await journal.finish({ runId, epoch }, { status, at, ...error });
    if (status === "cancelled") await rejectOpen(approvals, runId, at);
  }

  /** Is there such a run, over or not? */
  async has(runId: string): Promise<boolean> {
    return (await this.#parts.journal.read(runId)) !== undefined;
  }

  /** The conversation that a run is a question of; undefined where it is none, or there is no such run. */
  async conversationOf(runId: string): Promise<string | undefined> {
    const found = await this.#parts.journal.read(runId);
    return found && readAgentRun(found.run).conversation?.id;
  }

  /** All that is known of a run, told again from its journal; nothing is executed. */
  async inspect(runId: string, onEvent?: AgentListener): Promise<AgentResult> {
    const kept = await this.#parts.journal.read(runId);
    if (kept === undefined) throw fail(`there is no run ${JSON.stringify(runId)}`, { code: "run_not_found" });
    return this.#look(kept.run, kept.events, onEvent);
  }

  /** Stops a run, whoever executes it; where nobody does, it is over at once. False when it is over already. */
  async cancel(runId: string, by?: string): Promise<boolean> {
    if (!(await this.#parts.journal.requestCancel(runId, by))) return false;
    if (!this.#keeper.cancel(runId, by)) await this.#endUnheld(runId);
    return true;
  }

  /** Ends what a run that is over has called and an earlier life of it left. */
  async endCalledBy(runId: string, by: string | undefined): Promise<void> {
    const { journal } = this.#parts;
    for (const status of ["running", "waiting"] as const) {
      const unfinished = await journal.list({ status, limit: mostLookedAt });
      for (const run of unfinished) if (callerOf(run) === runId) await this.cancel(run.id, by);
    }
  }

  async #endUnheld(runId: string): Promise<void> {
    const claim = await this.#claim(runId);
    // What was asked for is kept, whatever comes of this.
    if (claim.kind === "claimed") await this.#keeper.track(this.#goOn(claim, {})).catch(() => {});
  }

  /** Starts nothing more, waits for what runs, and leaves the runs to whoever comes next. */
  close(drainMs = 5000): Promise<void> {
    return this.#keeper.close(drainMs);
  }

  /** Executes a run, and whoever observes is around it. */
  #observed(inHand: RunInHand, options: InnerExecuteOptions): Promise<AgentResult> {
    const { observer } = this.#parts;
    if (observer === undefined) return this.#execute(inHand, options);
    const { kept, question, lease, events } = inHand;
    const of = { runId: lease.runId, conversationId: kept.under, runner: kept.spec.runner, question: question.text };
    return observer.run({ ...of, resumed: events.length > 0 }, () => this.#execute(inHand, options));
  }

  async #execute(inHand: RunInHand, options: InnerExecuteOptions): Promise<AgentResult> {
    const { kept, question, lease, startedAt, events, cancelledBy } = inHand;
    const { principal } = kept;
    const { journal, approvals, engine } = this.#parts;
    const asks = cancelledBy === undefined;
    const life = { asks, listener: options.onEvent, clock: this.#clock, account: options.account };
    const run = makeRun(this.#parts, inHand, life);
    const { elicit, ask, stay, begin = (...call) => engine.begin(...call) } = options;
    const executor = agentExecutor(run, {
      clock: this.#clock,
      shelf: this.#parts.shelf,
      observer: this.#parts.observer,
      principal,
      elicit,
      begin,
    });
    const host = openHost({
      lease,
      startedAt,
      events,
      principal,
      journal,
      executor,
      clock: this.#clock,
      approvals,
      ask,
      stay,
      redactor: engine.redactor,
    });
    const by = { keeper: this.#keeper, signal: options.signal, step: options.step, cancelledBy };
    const ended = await attended(host, by, () => this.#flow(run, host, question));
    return this.#ended(inHand, { run, host, ended });
  }

  /** Keeps how a life of a run ended, and tells it. */
  async #ended(inHand: RunInHand, { run, host, ended }: EndedLife): Promise<AgentResult> {
    const { kept, question, lease, startedAt, events } = inHand;
    const { conversation } = kept;
    const before = conversation && { messages: question.history, isKept: isToldByTurns(kept) };
    const runEnd = toRunEnd(run, ended, { at: this.#clock.now(), before });
    const questions = new RunQuestions(this, run, events);
    const waits = runEnd.status === "waiting";
    const open = waits ? await questions.open(this.#clock.now()) : [];
    // Left half-way by a process that closes: whoever comes next goes on with it, once all is decided.
    const isLeft = waits && host.left && open.length === 0;
    await this.#parts.journal.finish(lease, isLeft ? { ...runEnd, status: "running" } : runEnd);
    if (!waits) await questions.end(host, this.#clock.now());
    // Nobody else knows a conversation that begins with this life of the run.
    const isAlone = events.length === 0 && kept.under === lease.runId;
    if (runEnd.turn !== undefined && conversation && !isAlone) await this.#noteMissed(run, conversation);
    const left = isLeft && { status: "running" as const };
    const result = toResult(run, ended, { runner: kept.spec.runner, startedAt, open, ...left });
    tellEnd(run, result);
    return result;
  }

  /** Whoever asks in a conversation at the same time as others is told that this answer knows nothing of theirs. */
  async #noteMissed(run: AgentRun, conversation: RunConversation): Promise<void> {
    // The answer counts, whether or not this can be looked up.
    const missed = await this.conversations.missedBy(run.runId, conversation).catch(() => 0);
    if (missed === 0) return;
    const others = missed === 1 ? "another question was" : `${missed} other questions were`;
    run.note(`${others} answered in this conversation meanwhile; this answer does not know of it, the next one will`);
  }

  async #flow(run: AgentRun, host: JournalHost, question: AgentQuestion): Promise<Ended> {
    const { runner } = run.spec;
    const flow = new FlowRun(host, (settled) => run.heard(settled));
    run.attach(flow);
    run.tell({ type: "run-started", runner, question: question.text });
    const ended = await flow.run(this.#parts.runner(runner).run(run, question));
    if (ended.kind === "broke" && isOverBudget(ended.error)) noteFound(run);
    return ended;
  }

  /** What happened, told again to the end of what is known. */
  async #look(stored: StoredRun, events: readonly JournalEvent[], onEvent?: AgentListener): Promise<AgentResult> {
    const kept = readAgentRun(stored);
    const { id: runId, epoch, startedAt, conversation } = stored;
    const lease = { runId, epoch };
    const question = await this.#questionOf(runId, kept);
    const life = { asks: false, listener: onEvent, clock: undefined };
    const run = makeRun(this.#parts, { kept, question, lease, startedAt, events }, life);
    const host = openHost({ lease, startedAt, events, executor: undefined, clock: this.#clock });
    const told = await this.#flow(run, host, question);
    const waits = stored.status === "waiting";
    const open = waits ? await new RunQuestions(this, run, events).open(this.#clock.now()) : [];
    const { ended, ...known } = storedEnd(stored, told);
    if (stored.status === "success" && conversation) await this.#noteMissed(run, conversation);
    return toResult(run, ended, { runner: kept.spec.runner, startedAt, open, ...known });
  }
}

/** The most that a journal lists at once. */
const mostLookedAt = 1000;

function questionOf(text: string, said: Said, { images, fromOutside, byModel }: InnerStartOptions): AgentQuestion {
  const { messages: history } = said;
  const isTainted = said.tainted || fromOutside === true;
  return {
    text,
    history,
    ...(images !== undefined && { images }),
    ...(isTainted && { tainted: true }),
    ...((fromOutside === true || byModel === true) && { fromOutside: true }),
  };
}

/** The turns of its conversation tell what was said before its question; else it keeps that itself. */
function isToldByTurns({ question }: KeptAgentRun): boolean {
  return question.history === undefined;
}

function tellEnd(run: AgentRun, { status, answer, partial, durationMs, usage, error }: AgentResult): void {
  const more = { ...(partial !== undefined && { partial }), ...(error !== undefined && { error }) };
  run.tell({ type: "run-finished", status, answer, durationMs, usage, ...more });
}
