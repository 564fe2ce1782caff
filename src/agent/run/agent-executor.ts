import { type Clock, failure, isFailureError } from "../../base/index.ts";
import {
  type RunningCall,
  type StepExecutor,
  type StepHooks,
  type StepWork,
  recordedValueTool,
  type CallEnding,
  createToolResult,
} from "../../run/index.ts";
import type { BeginCall, CallContext, CallHandle, CallListener } from "../../engine/index.ts";
import { type ResultStore, storeLargeResult, redactOutput } from "../../hub/index.ts";
import { type ModelTurn, requestTurn } from "../../model/index.ts";
import { type Redactor, redactFailure } from "../../secrets/index.ts";
import type { Elicit, ToolResult, ToolSuccess } from "../../tool/index.ts";
import type { AgentRun } from "./agent-run.ts";
import { UsageAccount, withModelUsage } from "./usage-account.ts";
import { type ModelRequestWork, modelTool } from "./model-request-work.ts";
import { withAttachedContent } from "./attached-images.ts";
import { redactModelCall } from "./redact-model-call.ts";
import type { PersistedAgentRun } from "./persisted-agent-run.ts";
import type { AgentObserver } from "./agent-observer.ts";
import { isListedTool } from "./is-tool-allowed.ts";

/** Dependencies of {@link agentExecutor} in addition to the run. */
export interface AgentExecutorDeps {
  readonly clock: Clock;
  /** Stores large results for `read_result`. */
  readonly resultStore: ResultStore | undefined;
  readonly observer: AgentObserver | undefined;
  readonly persisted: Pick<PersistedAgentRun, "principal" | "callerPath" | "covered">;
  readonly elicit: Elicit | undefined;
  readonly begin: BeginCall;
}

/**
 * Makes the calls of an agent's run: requests to its model, and tool calls through the engine on behalf of the model.
 */
export function agentExecutor(run: AgentRun, parts: AgentExecutorDeps): StepExecutor {
  return {
    begin: (key, work, hooks) => {
      if (work.tool === modelTool) return new RunningModelRequest(run, { key, work, hooks, parts });
      if (work.tool === recordedValueTool) return beginFact(work, hooks);
      return refuseDisallowedTool(run, work) ?? beginTool(run, { key, work, hooks }, parts);
    },
  };
}

/** Observes a value outside the run, and records it in the journal. */
function beginFact({ tool, args }: StepWork, hooks: StepHooks): RunningCall {
  // Created by `recordValue` for exactly this.
  const look = args as () => unknown;
  return {
    run: () => {
      void hooks.started("pure");
      return createToolResult(tool, { success: true, output: look() });
    },
    abort: () => {},
  };
}

interface ModelRequestTask {
  readonly key: string;
  readonly work: StepWork;
  readonly hooks: StepHooks;
  readonly parts: AgentExecutorDeps;
}

/** A model request in flight. */
class RunningModelRequest implements RunningCall {
  readonly #run: AgentRun;
  readonly #work: ModelRequestTask;
  readonly #request: ModelRequestWork;
  #controller: AbortController | undefined;
  #aborted = false;

  constructor(run: AgentRun, request: ModelRequestTask) {
    this.#run = run;
    this.#work = request;
    // Created by the loop for exactly this.
    const modelRequest = request.work.args as ModelRequestWork;
    const call = redactModelCall(modelRequest.call, run.engine.redactor);
    this.#request = call === modelRequest.call ? modelRequest : { ...modelRequest, call };
  }

  run(): Promise<ToolResult<ModelTurn>> {
    const { key, parts } = this.#work;
    const { runId, conversationId, model } = this.#run;
    const { call, refusal } = this.#request;
    if (parts.observer === undefined || model === undefined || refusal !== undefined) return this.#send();
    const of = { runId, conversationId, key: key.slice(0, key.lastIndexOf("#")), model, call };
    return parts.observer.turn(of, () => this.#send());
  }

  async #send(): Promise<ToolResult<ModelTurn>> {
    const { hooks, parts } = this.#work;
    const { model, engine, hasListener, budget } = this.#run;
    const { number, call, refusal, understand } = this.#request;
    const startedAt = parts.clock.now();
    const began = parts.clock.elapsed();
    const end = (ending: CallEnding<ModelTurn>): ToolResult<ModelTurn> =>
      createToolResult(modelTool, ending, { executedAt: startedAt, durationMs: parts.clock.elapsed() - began });
    if (model === undefined || this.#aborted)
      return end({ success: false, error: failure("cancelled", "the model request was not sent") });
    if (refusal !== undefined) return end({ success: false, error: refusal.toFailure() });
    this.#controller = new AbortController();
    void hooks.started("pure");
    budget.reserve();
    try {
      const turn = await requestTurn(model, call, {
        signal: this.#controller.signal,
        turn: number,
        clock: parts.clock,
        ...(hasListener && { onDelta: (delta) => hooks.progress(delta) }),
      });
      return end({ success: true, output: redactFailedModels(understand(turn), engine.redactor) });
    } catch (error) {
      budget.failed();
      const reported = isFailureError(error) ? error.toFailure() : failure("execution_error", String(error));
      // Servers may quote keys. The kind of failure stays the same.
      return end({ success: false, error: redactFailure(reported, engine.redactor.text) });
    }
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}

/** The model's text stays unchanged; only the failures of other models, which people read, are redacted. */
function redactFailedModels(turn: ModelTurn, { text }: Redactor): ModelTurn {
  if (turn.failedModels === undefined) return turn;
  const instead = turn.failedModels.map((other) => ({ ...other, failure: redactFailure(other.failure, text) }));
  return { ...turn, failedModels: instead };
}

function beginTool(
  run: AgentRun,
  { key, work, hooks }: { readonly key: string; readonly work: StepWork; readonly hooks: StepHooks },
  parts: AgentExecutorDeps,
): RunningCall {
  const { persisted, elicit, begin } = parts;
  const { principal, callerPath, covered } = persisted;
  const account = new UsageAccount(run.budget, key);
  const context: Stated = {
    // A model decides on the call, regardless of the caller that runs the agent.
    callerType: "conversation_agent",
    callerId: key,
    conversationId: run.conversationId,
    workflowId: run.runId,
    idempotencyKey: work.idempotencyKey,
    maxRetries: 0,
    hooks,
    account,
    tainted: run.tainted ? true : undefined,
    untrustedArguments: run.tainted ? run.untrustedArguments : undefined,
  };
  // Omitted fields are inherited from the call that the agent runs under.
  if (callerPath !== undefined) context.callerPath = callerPath;
  if (covered !== undefined) context.covered = covered;
  if (work.timeoutMs !== undefined) context.limitMs = work.timeoutMs;
  if (principal !== undefined) context.principal = principal;
  if (elicit !== undefined) context.elicit = elicit;
  return new RedactedCall(run, { handle: begin(work.tool, work.args, context), account }, parts);
}

type Stated = { -readonly [Key in keyof CallContext]: CallContext[Key] };

/**
 * A call whose result goes to a model: known secrets are redacted, and a result that is too large to show is stored.
 */
class RedactedCall implements RunningCall {
  readonly #run: AgentRun;
  readonly #handle: CallHandle;
  readonly #account: UsageAccount;
  readonly #parts: AgentExecutorDeps;

  constructor(
    run: AgentRun,
    { handle, account }: { readonly handle: CallHandle; readonly account: UsageAccount },
    parts: AgentExecutorDeps,
  ) {
    this.#run = run;
    this.#handle = handle;
    this.#account = account;
    this.#parts = parts;
  }

  run(): ToolResult | Promise<ToolResult> {
    const result = this.#handle.run();
    return result instanceof Promise ? result.then((settled) => this.#redacted(settled)) : this.#redacted(result);
  }

  /** Used by the host: most calls then need no promise. */
  runFor(listener: CallListener): void {
    this.#handle.runFor({
      ended: (result) => {
        const shown = this.#redacted(result);
        if (shown instanceof Promise) void shown.then((settled) => listener.ended(settled));
        else listener.ended(shown);
      },
    });
  }

  abort(cause: "cancelled" | "timeout"): void {
    this.#handle.abort(cause);
  }

  #redacted(overrides: ToolResult): ToolResult | Promise<ToolResult> {
    const result = withModelUsage(overrides, this.#account.uses);
    // The engine has already redacted its failures.
    if (!result.success) return result;
    const { knowsAny, knownTexts } = this.#run.engine.redactor;
    if (!knowsAny()) return this.#stored(result);
    const output = redactOutput(result.output, knownTexts);
    return output instanceof Promise
      ? output.then((safe: unknown) => this.#stored(withOutput(result, safe)))
      : this.#stored(withOutput(result, output));
  }

  #stored(returned: ToolSuccess): ToolResult | Promise<ToolResult> {
    const { resultStore } = this.#parts;
    const result = withAttachedContent(returned, this.#run.model);
    return resultStore === undefined ? result : this.#store(result, resultStore);
  }

  async #store(result: ToolSuccess, resultStore: ResultStore): Promise<ToolResult> {
    const { spec, conversationId } = this.#run;
    const owner = { principal: this.#parts.persisted.principal, conversationId };
    try {
      const handle = await storeLargeResult(result, { maxChars: spec.resultChars, resultStore, owner });
      if (handle === undefined) return result;
      // The text shown to the model must belong to the stored output.
      const safe = await resultStore.redact(result);
      return { ...safe, meta: { ...safe.meta, handle } };
    } catch (error) {
      // The result is available; only its rest cannot be read later.
      process.emitWarning(`a large result of ${result.tool} could not be stored: ${String(error)}`);
      return result;
    }
  }
}

function withOutput(result: ToolSuccess, output: unknown): ToolSuccess {
  return output === result.output ? result : { ...result, output };
}

/**
 * Refuses a call of a tool that the run may not use; undefined for any other. The engine itself refuses missing and
 * disabled tools. Checked when a call starts: calls in the journal were checked then.
 */
function refuseDisallowedTool(run: AgentRun, { tool: name }: StepWork): RunningCall | undefined {
  const tool = run.engine.resolver.resolve(name)?.tool;
  if (tool === undefined || isListedTool(run, tool)) return undefined;
  const message = `${name} is not available here. Use the tools that are offered to you, or answer.`;
  const error = failure("not_available", message, { forModel: message, retry: "never" });
  const result = createToolResult(name, { success: false, error });
  return { run: () => result, abort: () => {} };
}
