import { type Clock, nameGlob } from "../../base/index.ts";
import type { Engine } from "../../engine/index.ts";
import {
  type Budget,
  type Model,
  type ModelFamily,
  type ModelTurn,
  type TokenUsage,
  addUsage,
  noTokens,
} from "../../model/index.ts";
import type { SettledOutcome, EffectRunner } from "../../run/index.ts";
import { type BriefSummary, successRate } from "../../store/index.ts";
import { findToolsName } from "../../hub/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type AnyTool, type ToolResult, type Effect, builtinOwner, namesToTrust } from "../../tool/index.ts";
import type { AgentNotice } from "../events/agent-notice.ts";
import type { AgentEvent, AgentListener, TurnRef } from "../events/agent-event.ts";
import { CallHistory } from "./call-history.ts";
import { fenceResults } from "./fence-results.ts";
import { KnownUrls } from "./known-urls.ts";
import type { AgentPrompt } from "./runner.ts";
import type { ConversationMessage } from "../events/message.ts";
import type { OfferedTools } from "./offered-tools.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { type ModelUsage, modelUsageOf } from "./usage-account.ts";
import { agentNoticeText } from "../texts/agent-texts.ts";
import { redactingListener } from "./redacting-listener.ts";
import { modelTool } from "./model-request.ts";

/** Dependencies of {@link AgentRun}. */
export interface AgentRunDeps {
  readonly runId: string;
  readonly conversationId: string;
  readonly spec: AgentSpec;
  readonly engine: Engine;
  readonly model: Model | undefined;
  readonly family: ModelFamily;
  readonly budget: Budget;
  readonly listener: AgentListener | undefined;
  /** Absent in a replay for inspection, where all times come from the journal. */
  readonly clock: Clock | undefined;
  /** Time zone of the users. Default: UTC. */
  readonly timezone?: string | undefined;
  readonly prompt: AgentPrompt;
}

/** An event without the fields common to all events. */
export type AgentEventBody = AgentEvent extends infer Event
  ? Event extends AgentEvent
    ? Omit<Event, "at" | "runId">
    : never
  : never;

const none: ReadonlySet<string> = new Set();

/** One run of an agent: the context of its runner, and its state so far. */
export class AgentRun {
  readonly runId: string;
  readonly conversationId: string;
  readonly spec: AgentSpec;
  readonly engine: Engine;
  readonly model: Model | undefined;
  readonly family: ModelFamily;
  readonly budget: Budget;
  /** Time zone of the users, if known. */
  readonly timezone: string | undefined;
  /** Notices about the run for the user. */
  readonly notices: AgentNotice[] = [];
  /** The conversation so far; also the result if the run ends early. */
  messages: ConversationMessage[] = [];
  readonly callHistory: CallHistory = new CallHistory();
  readonly fenceResults: ReturnType<typeof fenceResults>;
  /** The URLs that its model may request although the conversation is tainted. */
  readonly knownUrls: KnownUrls;
  /** Names of tools to which its runner narrows the configuration, such as those of a project. */
  only: readonly string[] | undefined = undefined;
  /** The tools that its model is offered; undefined until they are chosen. */
  offered: OfferedTools | undefined = undefined;
  /** The conversation contains untrusted content. */
  tainted: boolean;
  /** The model's text of an unfinished answer. */
  partial = "";
  /** Usage of its own model requests, and of the agents and other tools that it called. */
  usage: TokenUsage = noTokens;
  /** Number of model requests. */
  rounds = 0;
  #requests = 0;
  readonly #tally = new Map<string, number>();
  #failed = 0;
  #calls = 0;
  readonly #listener: AgentListener | undefined;
  readonly #clock: Clock | undefined;
  #emittedAt = 0;
  #effects: EffectRunner | undefined;

  constructor(parts: AgentRunDeps) {
    this.runId = parts.runId;
    this.conversationId = parts.conversationId;
    this.spec = parts.spec;
    this.engine = parts.engine;
    this.model = parts.model;
    this.family = parts.family;
    this.budget = parts.budget;
    this.timezone = parts.timezone;
    this.fenceResults = fenceResults(parts.conversationId);
    this.knownUrls = KnownUrls.of(parts.prompt, (name) => bringsUrlsByName(this.#toolNamed(name)));
    this.tainted = parts.prompt.tainted === true;
    this.#listener = parts.listener && redactingListener(harmless(parts.listener), parts.engine.redactor);
    this.#clock = parts.clock;
  }

  /** Sets the effect runner that executes the run. */
  attach(effects: EffectRunner): void {
    this.#effects = effects;
  }

  /** The time of the last event; epoch milliseconds. */
  get now(): number {
    return this.#effects?.now ?? 0;
  }

  get isCancelled(): boolean {
    return this.#effects?.cancelled !== undefined;
  }

  /** True if the journal has the outcome of the model request of this turn. */
  hasRecorded({ part, round }: TurnRef): boolean {
    return this.#effects?.host.hasRecorded(`${part}.${round}#1`) === true;
  }

  /** The person who cancelled the run, if known. */
  get cancelledBy(): string | undefined {
    return this.#effects?.cancelled?.by;
  }

  /** The approvals requested in this execution of the run. */
  get requestedApprovals(): ReadonlySet<string> {
    return this.#effects?.requestedApprovals ?? none;
  }

  /** True if events are emitted to a listener. */
  get hasListener(): boolean {
    return this.#listener !== undefined;
  }

  /** Emits the start of an operation; in a cancelled run nothing starts. */
  emitStart(event: AgentEventBody): void {
    if (!this.isCancelled) this.emit(event);
  }

  emit(event: AgentEventBody): void {
    if (this.#listener === undefined) return;
    const replayed = this.#effects?.host.isReplaying === true;
    const at = replayed ? this.now : this.#liveNow();
    this.#listener({ at, runId: this.runId, ...event, ...(replayed && { replayed }) });
  }

  /** The journal has only end times. Time in a run never decreases, even if the clock is set back. */
  #liveNow(): number {
    return (this.#emittedAt = Math.max(this.#emittedAt, this.now, this.#clock?.now() ?? 0));
  }

  /** Adds a notice to the result, and emits it. */
  notice(notice: AgentNotice): void {
    this.notices.push(notice);
    this.emitNotice(notice);
  }

  emitNotice(notice: AgentNotice): void {
    if (this.hasListener) this.emit({ type: "notice", ...notice, text: agentNoticeText(notice) });
  }

  /** Arguments for people and logs, with secrets redacted. */
  redacted(args: unknown): unknown {
    return this.engine.redactor.value(args);
  }

  /** Arguments for the approver of a call: complete except for known secrets. */
  redactedForApproval(args: unknown): unknown {
    return this.engine.redactor.known(args);
  }

  /** Number of the next model request, from 1. Requests that are never sent have a number as well. */
  nextRequestNumber(): number {
    return ++this.#requests;
  }

  spent(usage: TokenUsage): void {
    this.usage = addUsage(this.usage, usage);
    this.budget.spend(usage);
  }

  /** Receives every settled outcome before the runner does, including those of a chain inside the run. */
  onSettled({ outcome }: SettledOutcome): void {
    if (outcome.kind !== "call") return;
    const { result, effect, pendingApproval } = outcome;
    if (result.tool !== modelTool) this.knownUrls.addResult(result, effect, this.#toolNamed(result.tool));
    else if (result.success) {
      this.knownUrls.addTurn(result.output as ModelTurn, this.#effects?.host.isReplaying === true);
    }
    // A call that waits for an approval is retried: this result is never read.
    if (!this.tainted && pendingApproval === undefined && isUntrustedResult(this, result, effect)) this.tainted = true;
    if (result.success && result.tool === findToolsName) this.#noteFound(result.output);
    const use = modelUsageOf(result);
    if (use !== undefined) this.#pay(use);
  }

  #toolNamed(name: string): AnyTool | undefined {
    return this.engine.resolver.resolve(name)?.tool;
  }

  /** Called with the definitions that the model is about to read: those of sources that are not trusted taint the run. */
  noteDefinitions(tools: Iterable<AnyTool>): void {
    if (this.tainted) return;
    for (const { name, untrustedDefinition } of tools) {
      if (untrustedDefinition === true && !isTrustedTool(this, name)) this.tainted = true;
    }
  }

  #noteFound(output: unknown): void {
    for (const { name, source } of foundTools(output)) {
      const tool = this.engine.resolver.resolve(name)?.tool;
      if (tool !== undefined) this.noteDefinitions([tool]);
      // Not registered any more: nothing proves that it is trusted.
      else if (source === mcpSource && !isTrustedTool(this, name)) this.tainted = true;
    }
  }

  /** Model usage of its tools, especially of agents as tools, counts for this run. */
  #pay(use: ModelUsage): void {
    for (const [childId, used] of Object.entries(use))
      this.usage = addUsage(this.usage, this.budget.settle(childId, used));
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

/** In a stored conversation only the name of the tool shows whether a model can have composed its result. */
function bringsUrlsByName(tool: AnyTool | undefined): boolean {
  if (tool === undefined || tool.composite || tool.callerContent === true) return false;
  return typeof tool.effect === "string" && tool.effect !== "pure";
}

/** Errors of a listener are ignored. */
function harmless(listener: AgentListener): AgentListener {
  return (event) => {
    try {
      listener(event);
    } catch (error) {
      process.emitWarning(`a listener of an agent threw: ${String(error)}`);
    }
  };
}

interface TrustContext {
  readonly engine: Engine;
  readonly spec: AgentSpec;
}

/**
 * True if untrusted sources may influence the result of a tool, or the text of its failure: the tool is not pure and
 * not trusted. A failure of a call whose handler never ran has the engine's own text.
 */
export function isUntrustedResult(request: TrustContext, result: ToolResult, effect: Effect | undefined): boolean {
  const { tool: name, success } = result;
  if (name === modelTool || effect === "pure" || (effect === undefined && !success)) return false;
  if (isTrustedByList(request, result) || isTrustedBuiltin(request, result)) return false;
  // A result from a cache never ran here, and so has no effect of its own.
  return effect !== undefined || request.engine.resolver.resolve(name)?.tool.effect !== "pure";
}

function isTrustedTool({ spec }: Pick<TrustContext, "spec">, name: string): boolean {
  return spec.trustedTools.some((glob) => nameGlob(glob)(name));
}

/** Source of the tools of MCP servers. */
const mcpSource = "mcps";

/** The names and sources of the tools in the output of `find_tools`. */
export function foundTools(output: unknown): readonly { readonly name: string; readonly source: unknown }[] {
  const found = isRecord(output) ? output["tools"] : undefined;
  if (!Array.isArray(found)) return [];
  return found.flatMap((one: unknown) =>
    isRecord(one) && typeof one["name"] === "string" ? [{ name: one["name"], source: one["source"] }] : [],
  );
}

function isTrustedByList({ engine, spec }: TrustContext, { tool: name, meta }: ToolResult): boolean {
  const { trustedTools } = spec;
  if (trustedTools.length === 0) return false;
  const found = meta.source === "tools" ? engine.resolver.resolve(name) : undefined;
  const names = found === undefined ? [name] : namesToTrust(found, (alias) => engine.resolver.resolve(alias));
  return trustedTools.some((glob) => [name, ...names].some(nameGlob(glob)));
}

/** A name alone proves nothing: any tool may have it. */
function isTrustedBuiltin({ engine }: TrustContext, { tool: name, meta }: ToolResult): boolean {
  const found = meta.source === "tools" ? engine.resolver.resolve(name) : undefined;
  if (found === undefined || found.owner !== builtinOwner || found.source !== "tools") return false;
  return found.tool.trusted === true && found.tool.name === name;
}
