import type { Clock } from "../../base/index.ts";
import type { Engine } from "../../engine/index.ts";
import type { Budget, Model, ModelFamily, TokenUsage } from "../../model/index.ts";
import { addUsage, noTokens } from "../../model/index.ts";
import type { Settled } from "../../chain/index.ts";
import { type BriefSummary, successRate } from "../../store/index.ts";
import type { ToolResult } from "../../tool/index.ts";
import type { AgentEvent, AgentListener, Place } from "../agent-event.ts";
import type { FlowRun } from "../flow/flow-run.ts";
import { MadeCalls } from "./made-calls.ts";
import type { ConversationMessage } from "../message.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { bringsOutside } from "./brings-outside.ts";
import { type ModelUse, useOf } from "./call-account.ts";
import { shownEvents } from "./shown-events.ts";

/** What {@link AgentRun} is made of. */
export interface AgentRunParts {
  readonly runId: string;
  readonly conversationId: string;
  readonly spec: AgentSpec;
  readonly engine: Engine;
  readonly model: Model | undefined;
  readonly family: ModelFamily;
  readonly budget: Budget;
  readonly listener: AgentListener | undefined;
  /** Absent for a look at what happened, where the journal alone tells when. */
  readonly clock: Clock | undefined;
  /** Of those who are told what happens; UTC where absent. */
  readonly timezone?: string | undefined;
}

/** An event without what every event has. */
export type Told = AgentEvent extends infer Event
  ? Event extends AgentEvent
    ? Omit<Event, "at" | "runId">
    : never
  : never;

const none: ReadonlySet<string> = new Set();

/** One run of an agent: what its runner works with, and what is known of it so far. */
export class AgentRun {
  readonly runId: string;
  readonly conversationId: string;
  readonly spec: AgentSpec;
  readonly engine: Engine;
  readonly model: Model | undefined;
  readonly family: ModelFamily;
  readonly budget: Budget;
  /** Of those who are told what happens, where that is known. */
  readonly timezone: string | undefined;
  /** What people should know about how it went. */
  readonly notes: string[] = [];
  /** The conversation, as far as it has come: what is left of it when the run ends early, too. */
  messages: ConversationMessage[] = [];
  readonly made: MadeCalls = new MadeCalls();
  /** Names of tools to which its runner narrows what the spec allows, such as those of a project. */
  only: readonly string[] | undefined = undefined;
  /** Text from outside has entered the conversation. */
  tainted = false;
  /** What the model has said of an answer that has not come to its end. */
  partial = "";
  /** By its own questions, and by those of the agents and other tools that it called. */
  usage: TokenUsage = noTokens;
  /** Questions to the model. */
  rounds = 0;
  #questions = 0;
  readonly #tally = new Map<string, number>();
  #failed = 0;
  #calls = 0;
  readonly #listener: AgentListener | undefined;
  readonly #clock: Clock | undefined;
  #toldAt = 0;
  #flow: FlowRun | undefined;

  constructor(parts: AgentRunParts) {
    this.runId = parts.runId;
    this.conversationId = parts.conversationId;
    this.spec = parts.spec;
    this.engine = parts.engine;
    this.model = parts.model;
    this.family = parts.family;
    this.budget = parts.budget;
    this.timezone = parts.timezone;
    this.#listener = parts.listener && shownEvents(harmless(parts.listener), parts.engine.redactor);
    this.#clock = parts.clock;
  }

  /** Over this it goes on. */
  attach(flow: FlowRun): void {
    this.#flow = flow;
  }

  /** The time of what happened last; epoch milliseconds. */
  get now(): number {
    return this.#flow?.now ?? 0;
  }

  get isCancelled(): boolean {
    return this.#flow?.cancelled !== undefined;
  }

  /** The journal has what came of the question at this place. */
  knows({ part, round }: Place): boolean {
    return this.#flow?.host.knows(`${part}.${round}#1`) === true;
  }

  /** Whoever cancelled it, where that is known. */
  get cancelledBy(): string | undefined {
    return this.#flow?.cancelled?.by;
  }

  /** The approvals that people were asked for in this life of the run. */
  get asked(): ReadonlySet<string> {
    return this.#flow?.askedFor ?? none;
  }

  /** Somebody wants to know what happens. */
  get listens(): boolean {
    return this.#listener !== undefined;
  }

  /** Tells that something begins; in a run that was cancelled nothing does. */
  begins(event: Told): void {
    if (!this.isCancelled) this.tell(event);
  }

  tell(event: Told): void {
    if (this.#listener === undefined) return;
    const replayed = this.#flow?.host.replaying === true;
    const at = replayed ? this.now : this.#liveNow();
    this.#listener({ at, runId: this.runId, ...event, ...(replayed && { replayed }) });
  }

  /** The journal has only the time of what has ended. A clock that is put back does not turn the run's time around. */
  #liveNow(): number {
    return (this.#toldAt = Math.max(this.#toldAt, this.now, this.#clock?.now() ?? 0));
  }

  note(text: string): void {
    this.notes.push(text);
    this.tell({ type: "note", text });
  }

  /** Arguments as people and logs may see them. */
  shown(args: unknown): unknown {
    return this.engine.redactor.value(args);
  }

  /** Arguments for whoever decides on the call: all of them but secrets that are known. */
  shownToDecide(args: unknown): unknown {
    return this.engine.redactor.known(args);
  }

  /** The number of a question that is about to be asked, from 1. Those that never go out have one as well. */
  nextQuestion(): number {
    return ++this.#questions;
  }

  spent(usage: TokenUsage): void {
    this.usage = addUsage(this.usage, usage);
    this.budget.spend(usage);
  }

  /** Hears of everything that happens, before the runner does: also of what a chain inside of the run does. */
  heard({ outcome }: Settled): void {
    if (outcome.kind !== "call") return;
    const { result, effect, asks } = outcome;
    // One that waits for a person is made again: that is no result that anybody reads.
    if (asks === undefined && bringsOutside(this, result, effect)) this.tainted = true;
    const use = useOf(result);
    if (use !== undefined) this.#pay(use);
  }

  /** What its tools ask of models, above all those that are agents, is asked by this run. */
  #pay(use: ModelUse): void {
    for (const [who, used] of Object.entries(use)) this.usage = addUsage(this.usage, this.budget.settle(who, used));
  }

  /** Counts a call that was made, or refused. */
  count(result: ToolResult): void {
    this.#calls++;
    if (!result.success) this.#failed++;
    this.#tally.set(result.tool, (this.#tally.get(result.tool) ?? 0) + 1);
  }

  get toolUsage(): BriefSummary {
    return {
      totalCalls: this.#calls,
      successRate: successRate(this.#calls, this.#failed),
      toolUsage: Object.fromEntries(this.#tally),
      hasErrors: this.#failed > 0,
    };
  }
}

/** What a listener throws is its own affair. */
function harmless(listener: AgentListener): AgentListener {
  return (event) => {
    try {
      listener(event);
    } catch (error) {
      process.emitWarning(`a listener of an agent threw: ${String(error)}`);
    }
  };
}
