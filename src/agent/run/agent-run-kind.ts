import {
  EffectRunner,
  type HeldRun,
  type Host,
  type PreparedRun,
  type RunInput,
  type RunExecution,
  type RunKind,
  type RunService,
  cancellerOf,
} from "../../run/index.ts";
import type { NewRun, RunConversation, RunRecording } from "../../store/index.ts";
import type { AgentListener } from "../events/agent-event.ts";
import type { AgentResult } from "../events/agent-result.ts";
import { AgentCalls } from "./agent-calls.ts";
import { agentRunner } from "./agent-runner.ts";
import { AgentRunApprovals } from "./agent-run-approvals.ts";
import type { AgentRun } from "./agent-run.ts";
import type { AgentRuns } from "./agent-runs.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { createAgentRun, worksWithoutModel } from "./create-agent-run.ts";
import type { AgentRunParts, NestedExecuteOptions, NestedStartOptions } from "./execute-options.ts";
import { type LoadedAgentRun, sharedConversation } from "./loaded-agent-run.ts";
import { emptyHistory } from "./message-history.ts";
import {
  type PersistedAgentRun,
  callersOf,
  deserializeAgentRun,
  historyBefore,
  isHistoryPersisted,
  promptInput,
  serializeAgentRun,
  toAgentPrompt,
} from "./persisted-agent-run.ts";
import type { AgentPrompt, Runner } from "./runner.ts";
import {
  type EndedProgram,
  emitRunFinished,
  isBudgetExceeded,
  noticePartialResults,
  storedOutcome,
  toAgentResult,
  toRunEnd,
} from "./to-agent-result.ts";

/** A prompt for an agent. */
export interface PromptSpec {
  readonly spec: AgentSpec;
  readonly text: string;
  readonly options: NestedStartOptions;
}

/** Runs of agents. */
export class AgentRunKind implements RunKind<PromptSpec, NestedExecuteOptions, AgentResult> {
  readonly id = "agent";
  readonly usesSecrets = false;
  readonly #parts: AgentRunParts;
  readonly #runs: AgentRuns;
  readonly #service: RunService;

  constructor(parts: AgentRunParts, runs: AgentRuns, service: RunService) {
    this.#parts = parts;
    this.#runs = runs;
    this.#service = service;
  }

  async prepare({ spec, text, options }: PromptSpec, how: NestedExecuteOptions): Promise<PreparedRun<AgentResult>> {
    const runId = this.#service.newRunId(options.runId);
    const withoutModel = await this.#worksWithoutModel(spec, runId);
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
    const startedAt = this.#service.clock.now();
    return {
      run: serializeAgentRun(runId, persisted, startedAt),
      program: (lease) => this.#program({ persisted, prompt, lease, startedAt, events: [] }, how),
    };
  }

  /** True if a new run works without a model. Throws if it needs one, unless a run with this id is joined instead. */
  async #worksWithoutModel(spec: AgentSpec, runId: string): Promise<boolean> {
    try {
      return worksWithoutModel(this.#parts, spec);
    } catch (error) {
      if ((await this.#service.journal.read(runId)) === undefined) throw error;
      return false;
    }
  }

  inputOf({ input, context }: NewRun): RunInput {
    return { input: promptInput(input, context) };
  }

  async program({ run, lease, events }: HeldRun, options: NestedExecuteOptions): Promise<RunExecution<AgentResult>> {
    const persisted = deserializeAgentRun(run);
    const prompt = await this.#promptOf(run.id, persisted);
    const { conversation } = persisted;
    // In a conversation without turns, stores the older history as a turn first, so that it precedes the turn of this
    // run.
    if (conversation?.after === 0 && !isHistoryPersisted(persisted)) {
      await this.#runs.conversations.load(conversation.id);
    }
    const { startedAt } = run;
    return this.#program({ persisted, prompt, lease, startedAt, events, cancelledBy: cancellerOf(run) }, options);
  }

  /** The prompt of a persisted run, with its conversation history. */
  async #promptOf(runId: string, { prompt, conversation }: PersistedAgentRun): Promise<AgentPrompt> {
    if (prompt.history !== undefined) return { ...prompt, history: prompt.history };
    const { conversations } = this.#runs;
    return { ...prompt, history: conversation ? await conversations.historyBefore(runId, conversation) : [] };
  }

  #program(loaded: LoadedAgentRun, options: NestedExecuteOptions): RunExecution<AgentResult> {
    const { persisted, prompt, lease, startedAt, events, cancelledBy } = loaded;
    const { engine, resultStore, observer } = this.#parts;
    const { clock } = this.#service;
    const requestsModel = cancelledBy === undefined;
    const run = createAgentRun(this.#parts, loaded, {
      requestsModel,
      listener: options.onEvent,
      clock,
      account: options.account,
    });
    const program = this.#parts.runner(persisted.spec.runner);
    const { elicit, begin = (...call) => engine.begin(...call) } = options;
    const { recordConversationId: conversationId, spec } = persisted;
    const { budget, model, hasListener } = run;
    const { resultChars } = spec;
    const runner = agentRunner({
      budget,
      engine,
      model,
      hasListener,
      resultChars,
      clock,
      resultStore,
      observer,
      elicit,
      begin,
    });
    const of = { runId: lease.runId, conversationId, runner: spec.runner, prompt: prompt.text };
    return {
      startedAt,
      events,
      principal: persisted.principal,
      cancelledBy,
      calls: new AgentCalls(run, persisted, runner),
      observe: observer && ((execute) => observer.run({ ...of, resumed: events.length > 0 }, execute)),
      drive: async (host) => {
        const ended = await drive(program, { run, host, prompt });
        const before = persisted.conversation && historyBefore(persisted, prompt);
        const end = toRunEnd(run, ended, clock.now(), before);
        const approvals = new AgentRunApprovals(this.#runs, run, events);
        const open = end.status === "waiting" ? await approvals.open(clock.now()) : [];
        return {
          end,
          onlyWaits: open.length > 0,
          ended: async (status) => {
            if (end.status !== "waiting") await approvals.end(clock.now());
            const shared = sharedConversation(loaded);
            if (end.turn !== undefined && shared) await this.#noteMissed(run, shared);
            const left = status === "running" && { status };
            const result = toAgentResult(run, ended, { runner: spec.runner, startedAt, open, ...left });
            emitRunFinished(run, result);
            return result;
          },
        };
      },
    };
  }

  /** Notifies the user of concurrent prompts in the conversation that this answer does not take into account. */
  async #noteMissed(run: AgentRun, conversation: RunConversation): Promise<void> {
    // The answer counts even if this lookup fails.
    const missed = await this.#runs.conversations.countConcurrent(run.runId, conversation).catch(() => 0);
    if (missed === 0) return;
    run.notice({ code: "other_prompts_answered", params: { count: missed } });
  }

  /** Replays a run to the end of its journal; executes nothing. */
  async describe(recording: RunRecording, onEvent?: AgentListener): Promise<AgentResult> {
    const { run: stored, events } = recording;
    const persisted = deserializeAgentRun(stored);
    const { id: runId, epoch, startedAt, conversation } = stored;
    const { clock } = this.#service;
    const lease = { runId, epoch };
    const prompt = await this.#promptOf(runId, persisted);
    const life = { requestsModel: false, listener: onEvent, clock: undefined };
    const run = createAgentRun(this.#parts, { persisted, prompt, lease, startedAt, events }, life);
    const host = this.#service.replayHost(recording);
    const replayed = await drive(this.#parts.runner(persisted.spec.runner), { run, host, prompt });
    const waits = stored.status === "waiting";
    const open = waits ? await new AgentRunApprovals(this.#runs, run, events).open(clock.now()) : [];
    const { ended, ...known } = storedOutcome(stored, replayed);
    if (stored.status === "success" && conversation) await this.#noteMissed(run, conversation);
    return toAgentResult(run, ended, { runner: persisted.spec.runner, startedAt, open, ...known });
  }
}

/** Drives the program of a runner until it ends, or until it is suspended. */
async function drive(
  runner: Runner,
  { run, host, prompt }: { readonly run: AgentRun; readonly host: Host; readonly prompt: AgentPrompt },
): Promise<EndedProgram> {
  const effects = new EffectRunner(host, (settled) => run.onSettled(settled));
  run.attach(effects);
  run.emit({ type: "run-started", runner: run.spec.runner, prompt: prompt.text });
  const ended = await effects.run(runner.run(run, prompt));
  if (ended.kind === "broke" && isBudgetExceeded(ended.error)) noticePartialResults(run);
  return ended;
}
