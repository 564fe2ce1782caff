import { type Clock, createIds, fail, failure, systemClock } from "../../base/index.ts";
import { type AskPerson, type JournalHost, RunKeeper, attended, openHost } from "../../chain/index.ts";
import type { BeginCall } from "../../engine/index.ts";
import type { ResultShelf } from "../../hub/index.ts";
import { faultOf } from "../../model/index.ts";
import {
  type ApprovalStore,
  type Claim,
  type JournalEvent,
  type RunJournal,
  type RunLease,
  type RunOwner,
  type RunStatus,
  type StoredRun,
  isAgentRun,
} from "../../store/index.ts";
import type { Elicit } from "../../tool/index.ts";
import type { AgentListener } from "../agent-event.ts";
import type { AgentResult } from "../agent-result.ts";
import { FlowRun } from "../flow/flow-run.ts";
import type { AgentQuestion, Runner } from "../runner.ts";
import { agentExecutor } from "./agent-executor.ts";
import type { AgentObserver } from "./agent-observer.ts";
import type { AgentRun } from "./agent-run.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { Conversations } from "./conversations.ts";
import { type KeptAgentRun, readAgentRun, writeAgentRun } from "./kept-run.ts";
import { type RunParts, makeRun, nobodyToAsk } from "./make-run.ts";
import { isOverBudget, noteFound } from "./note-found.ts";
import type { Said } from "./said.ts";
import { RunQuestions, rejectOpen } from "./run-questions.ts";
import { type Ended, storedEnd, toResult, toRunEnd } from "./to-result.ts";

/** What {@link AgentRuns} is made of. */
export interface AgentRunsParts extends RunParts {
  readonly journal: RunJournal;
  readonly approvals: ApprovalStore;
  readonly owner: RunOwner;
  /** The runner of this name; throws with those there are. */
  readonly runner: (name: string) => Runner;
  /** Where large results are kept for `read_result`. */
  readonly shelf?: ResultShelf | undefined;
  readonly observer?: AgentObserver | undefined;
  readonly clock?: Clock;
}

/** How a run is executed, whether it begins or goes on. */
export interface AgentExecuteOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: AgentListener;
  /** Answers questions to people right here; where absent the run waits, and can be resumed. */
  readonly ask?: AskPerson;
  /** Asks whoever runs the agent what its tools want to know. */
  readonly elicit?: Elicit;
  /** Stay and wait for people's decisions, instead of ending with status `waiting`. */
  readonly stay?: boolean;
  /** Makes its calls under another one, for an agent that is a tool. */
  readonly begin?: BeginCall;
}

/** What a new run takes. */
export interface AgentStartOptions extends AgentExecuteOptions {
  readonly runId?: string;
  /** The same for all questions of one conversation. */
  readonly conversationId?: string;
  /** Where in the conversation the history of the question is from; the run keeps it where this is absent. */
  readonly place?: Pick<Said, "turn" | "isKept">;
  /** No question of the conversation, which neither it nor its answer becomes part of: another agent asks it. */
  readonly aside?: boolean;
  readonly principal?: string;
}

/** A run that this process owns. */
interface Begun extends KeptAgentRun {
  readonly question: AgentQuestion;
  /** The journal tells what was said before the question. */
  readonly isKept: boolean;
  readonly lease: RunLease;
  readonly startedAt: number;
  readonly events: readonly JournalEvent[];
  /** Who wanted it cancelled, null where nobody was named; undefined while nobody does. */
  readonly cancelledBy?: string | null | undefined;
}

type Taken = Extract<Claim, { kind: "claimed" }>;

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

  /** Begins a run. Throws where the agent cannot be asked at all, such as for want of a model. */
  start(spec: AgentSpec, question: AgentQuestion, options: AgentStartOptions = {}): Promise<AgentResult> {
    return this.#keeper.track(this.#start(spec, question, options));
  }

  async #start(spec: AgentSpec, question: AgentQuestion, options: AgentStartOptions): Promise<AgentResult> {
    const { journal, owner } = this.#parts;
    // Before anything is kept: what cannot begin leaves nothing behind.
    const { worksAlone = false } = this.#parts.runner(spec.runner);
    const model = this.#parts.model(spec.model);
    const alone = model === undefined;
    const fault = worksAlone ? undefined : faultOf(model);
    if (fault !== undefined) throw fault;
    if (alone && !worksAlone) throw nobodyToAsk(this.#parts, spec);
    const runId = options.runId ?? this.#ids.next();
    const conversationId = options.conversationId ?? runId;
    const { place: { turn, isKept } = { turn: 0, isKept: question.history.length === 0 }, aside, principal } = options;
    const kept = { spec, question, conversationId, principal, alone, ...(aside !== true && { after: turn }) };
    const { history, ...alike } = question;
    const startedAt = this.#clock.now();
    const write = { ...kept, question: isKept ? alike : { ...alike, history } };
    const created = await journal.create(writeAgentRun(runId, write, startedAt), owner);
    if ("existing" in created) {
      throw fail(`there is a run ${runId} already; windlass resume ${runId} goes on with it`, { code: "run_exists" });
    }
    const { lease } = created;
    return this.#holding(lease, "running", () =>
      this.#observed({ ...kept, isKept, lease, startedAt, events: [] }, options),
    );
  }

  /** Goes on with a run that waits or whose process is gone. A finished one gives its result. */
  async resume(runId: string, options: AgentExecuteOptions = {}): Promise<AgentResult> {
    const claim = await this.#parts.journal.claim(runId, this.#parts.owner);
    switch (claim.kind) {
      case "unknown":
        throw fail(`there is no run ${JSON.stringify(runId)}`, { code: "run_not_found" });
      case "held":
        throw fail(`run ${runId} is being executed by process ${claim.run.owner?.pid ?? "?"}`, { code: "run_held" });
      case "finished":
        return this.#look(claim.run, claim.events);
      case "claimed":
        return this.#keeper.track(this.#goOn(claim, options));
    }
  }

  #goOn({ run, lease, was, events }: Taken, options: AgentExecuteOptions): Promise<AgentResult> {
    const { startedAt, cancelRequested, cancelBy = null } = run;
    const cancelledBy = cancelRequested ? cancelBy : undefined;
    const otherwise = cancelRequested && isAgentRun(run) ? "cancelled" : was;
    return this.#holding(lease, otherwise, async () => {
      const kept = await this.#kept(run);
      // What was said since in a conversation that has no turns yet comes before what this run adds.
      if (kept.after === 0 && !kept.isKept) await this.conversations.soFar(kept.conversationId);
      return this.#observed({ ...kept, lease, startedAt, events, cancelledBy }, options);
    });
  }

  /** A run as it began, with what was said before. */
  async #kept(run: StoredRun): Promise<KeptAgentRun & Pick<Begun, "question" | "isKept">> {
    const { question, ...kept } = readAgentRun(run);
    const { conversation = { id: "", after: 0 } } = run;
    const { history = await this.conversations.before(run.id, conversation) } = question;
    return { ...kept, question: { ...question, history }, isKept: question.history === undefined };
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

  /** The conversation that a run belongs to; undefined where there is no such run. */
  async conversationOf(runId: string): Promise<string | undefined> {
    const kept = await this.#parts.journal.read(runId);
    return kept && readAgentRun(kept.run).conversationId;
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

  async #endUnheld(runId: string): Promise<void> {
    const claim = await this.#parts.journal.claim(runId, this.#parts.owner);
    // What was asked for is kept, whatever comes of this.
    if (claim.kind === "claimed") await this.#keeper.track(this.#goOn(claim, {})).catch(() => {});
  }

  /** Starts nothing more, waits for what runs, and leaves the runs to whoever comes next. */
  close(drainMs = 5000): Promise<void> {
    return this.#keeper.close(drainMs);
  }

  /** Executes a run, and whoever observes is around it. */
  #observed(begun: Begun, options: AgentExecuteOptions): Promise<AgentResult> {
    const { observer } = this.#parts;
    if (observer === undefined) return this.#execute(begun, options);
    const { lease, spec, question, conversationId, events } = begun;
    const of = { runId: lease.runId, conversationId, runner: spec.runner, question: question.text };
    return observer.run({ ...of, resumed: events.length > 0 }, () => this.#execute(begun, options));
  }

  async #execute(begun: Begun, options: AgentExecuteOptions): Promise<AgentResult> {
    const { lease, spec } = begun;
    const { journal, approvals, engine } = this.#parts;
    const life = { asks: begun.cancelledBy === undefined, listener: options.onEvent, clock: this.#clock };
    const run = makeRun(this.#parts, begun, life);
    const { elicit, ask, stay, begin = (...call) => engine.begin(...call) } = options;
    const executor = agentExecutor(run, {
      clock: this.#clock,
      shelf: this.#parts.shelf,
      observer: this.#parts.observer,
      principal: begun.principal,
      elicit,
      begin,
    });
    const host = openHost({
      ...begun,
      journal,
      executor,
      clock: this.#clock,
      approvals,
      ask,
      stay,
      redact: (value) => engine.redactor.value(value),
    });
    const by = { keeper: this.#keeper, signal: options.signal, cancelledBy: begun.cancelledBy };
    const ended = await attended(host, by, () => this.#flow(run, host, begun));
    const before = begun.after === undefined ? undefined : { ...begun, messages: begun.question.history };
    const runEnd = toRunEnd(run, ended, { at: this.#clock.now(), before });
    // Left half-way by a process that closes: whoever comes next goes on with it.
    const status = host.left && runEnd.status === "waiting" ? "running" : runEnd.status;
    await journal.finish(lease, { ...runEnd, status });
    const questions = new RunQuestions(this, run, begun.events);
    const waits = runEnd.status === "waiting";
    if (!waits) await questions.end(host, this.#clock.now());
    const open = waits ? await questions.open(this.#clock.now()) : [];
    // Nobody else knows a conversation that begins with this life of the run.
    const isAlone = begun.events.length === 0 && begun.conversationId === lease.runId;
    if (runEnd.turn !== undefined && !isAlone) await this.#noteMissed(run, begun.after);
    const result = toResult(run, ended, { runner: spec.runner, startedAt: begun.startedAt, open });
    tellEnd(run, result);
    return result;
  }

  /** Whoever asks in a conversation at the same time as others is told that this answer knows nothing of theirs. */
  async #noteMissed(run: AgentRun, after = 0): Promise<void> {
    // The answer counts, whether or not this can be looked up.
    const missed = await this.conversations.missedBy(run.runId, { id: run.conversationId, after }).catch(() => 0);
    if (missed === 0) return;
    const others = missed === 1 ? "another question was" : `${missed} other questions were`;
    run.note(`${others} answered in this conversation meanwhile; this answer does not know of it, the next one will`);
  }

  async #flow(run: AgentRun, host: JournalHost, { spec, question }: Begun): Promise<Ended> {
    const flow = new FlowRun(host, (settled) => run.heard(settled));
    run.attach(flow);
    run.tell({ type: "run-started", runner: spec.runner, question: question.text });
    const ended = await flow.run(this.#parts.runner(spec.runner).run(run, question));
    if (ended.kind === "broke" && isOverBudget(ended.error)) noteFound(run);
    return ended;
  }

  /** What happened, told again to the end of what is known. */
  async #look(stored: StoredRun, events: readonly JournalEvent[], onEvent?: AgentListener): Promise<AgentResult> {
    const kept = await this.#kept(stored);
    const { id: runId, epoch, startedAt } = stored;
    const begun = { ...kept, lease: { runId, epoch }, startedAt, events };
    const run = makeRun(this.#parts, begun, { asks: false, listener: onEvent, clock: undefined });
    const host = openHost({ ...begun, executor: undefined, clock: this.#clock });
    const told = await this.#flow(run, host, begun);
    const waits = stored.status === "waiting";
    const open = waits ? await new RunQuestions(this, run, events).open(this.#clock.now()) : [];
    const { ended, ...known } = storedEnd(stored, told);
    if (stored.status === "success" && stored.conversation) await this.#noteMissed(run, stored.conversation.after);
    return toResult(run, ended, { runner: kept.spec.runner, startedAt, open, ...known });
  }
}

function tellEnd(run: AgentRun, { status, answer, partial, durationMs, usage, error }: AgentResult): void {
  const more = { ...(partial !== undefined && { partial }), ...(error !== undefined && { error }) };
  run.tell({ type: "run-finished", status, answer, durationMs, usage, ...more });
}
