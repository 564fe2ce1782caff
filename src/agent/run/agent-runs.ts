import { errorMessage } from "../../base/index.ts";
import { type RunRef, type RunService, runServiceOf } from "../../run/index.ts";
import {
  type Approval,
  type ApprovalStore,
  type ConversationStore,
  type Decision,
  type RunReader,
  isFinished,
} from "../../store/index.ts";
import type { AgentListener } from "../events/agent-event.ts";
import type { AgentResult } from "../events/agent-result.ts";
import { AgentRunKind } from "./agent-run-kind.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { Conversations } from "./conversations.ts";
import { worksWithoutModel } from "./create-agent-run.ts";
import type { AgentRunsDeps, NestedExecuteOptions, NestedStartOptions } from "./execute-options.ts";

/**
 * Durable runs of agents: journaled, leased by one process at a time, and resumed by another when that one is gone.
 *
 * @see docs/guide/agents.md
 */
export class AgentRuns {
  /** The engine that makes its calls. */
  readonly engine: AgentRunsDeps["engine"];
  /** Histories of the conversations of its runs. */
  readonly conversations: Conversations;
  readonly #parts: AgentRunsDeps;
  readonly #service: RunService;
  readonly #kind: AgentRunKind;

  constructor(parts: AgentRunsDeps) {
    this.engine = parts.engine;
    this.#parts = parts;
    this.#service = runServiceOf(parts, parts.engine);
    this.#kind = new AgentRunKind(parts, this, this.#service);
    this.#service.register(this.#kind);
    this.conversations = new Conversations({ journal: this.#journal, inspect: (runId) => this.inspect(runId) });
  }

  get #journal(): ConversationStore & RunReader {
    return this.#service.journal;
  }

  /** The store of its approvals. */
  get approvals(): ApprovalStore {
    return this.#service.approvals;
  }

  /** The time by which its approvals expire; epoch milliseconds. */
  now(): number {
    return this.#service.clock.now();
  }

  /** It starts nothing more. */
  get isClosing(): boolean {
    return this.#service.isClosing;
  }

  /** Starts a run, or joins the run with this id. Throws if the agent cannot run at all, for example without a model. */
  start(spec: AgentSpec, text: string, options: NestedStartOptions = {}): Promise<AgentResult> {
    const limited = options.account?.limited(spec) ?? spec;
    return this.#service.start(this.#kind, { spec: limited, text, options }, options);
  }

  /** Stores a run for a process that serves runs, and returns at once. */
  submit(spec: AgentSpec, text: string, options: NestedStartOptions = {}): Promise<RunRef> {
    return this.#service.submit(this.#kind, { spec, text, options }, options);
  }

  /** Waits until a run has ended or waits for a person, and returns its result; executes nothing. */
  result(runId: string, signal?: AbortSignal): Promise<AgentResult> {
    return this.#service.result(this.#kind, runId, signal);
  }

  /** Why a new run of such an agent would not start here, such as a missing model; undefined if it would. */
  whyUnavailable(spec: AgentSpec): string | undefined {
    try {
      worksWithoutModel(this.#parts, spec);
      return undefined;
    } catch (error) {
      return errorMessage(error);
    }
  }

  /** Resumes a run that is suspended or whose process is gone. Returns the result of a finished run. */
  resume(runId: string, options: NestedExecuteOptions = {}): Promise<AgentResult> {
    return this.#service.resume(this.#kind, runId, options);
  }

  /** Like {@link resume}, but waits if another caller executes the run. */
  join(runId: string, options: NestedExecuteOptions = {}): Promise<AgentResult> {
    return this.#service.join(this.#kind, runId, options);
  }

  /** True if there is such a run, ended or not. */
  has(runId: string): Promise<boolean> {
    return this.#service.has(runId);
  }

  /** The conversation that a run belongs to; undefined if it belongs to none, or there is no such run. */
  async conversationOf(runId: string): Promise<string | undefined> {
    return (await this.#journal.read(runId))?.run.conversation?.id;
  }

  /** Replays a run from its journal and returns its result; nothing is executed. */
  async inspect(runId: string, onEvent?: AgentListener): Promise<AgentResult> {
    return this.#kind.describe(await this.#service.read(this.#kind, runId), onEvent);
  }

  /** Cancels a run in any process; a run that no process executes ends at once. False if it has already ended. */
  async cancel(runId: string, by?: string): Promise<boolean> {
    if (!(await this.#service.cancel(runId, by))) return false;
    await this.#service.endCancelled(this.#kind, runId, {});
    return true;
  }

  /** Cancels unfinished runs that an ended run called in an earlier process. */
  async cancelSubRuns(runId: string, by: string | undefined): Promise<void> {
    const called = await this.#journal.list({ calledBy: runId, limit: 1000 });
    for (const run of called) if (!isFinished(run.status)) await this.cancel(run.id, by);
  }

  /** Records a person's decision, and wakes the runs that wait for it. Throws if it does not count. */
  decide(approvalId: string, decision: Decision): Promise<Approval> {
    return this.#service.decide(approvalId, decision);
  }

  /** Starts no more runs, waits for running ones, and releases the rest for other processes. */
  close(drainMs?: number): Promise<void> {
    return this.#service.close(drainMs);
  }
}
