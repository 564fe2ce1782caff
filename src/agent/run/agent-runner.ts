import { type Clock, failure, isFailureError } from "../../base/index.ts";
import {
  type CallEnding,
  type CallExtras,
  type CallRequest,
  type CallRunner,
  type CallSink,
  type RunningCall,
  createToolResult,
  engineRunner,
} from "../../run/index.ts";
import type { BeginCall } from "../../engine/index.ts";
import { type ResultStore, storeLargeResult, redactOutput } from "../../hub/index.ts";
import { type ModelTurn, PriorTurnsReader, requestTurn } from "../../model/index.ts";
import { type Redactor, redactFailure } from "../../secrets/index.ts";
import type { Elicit, ToolResult, ToolSuccess } from "../../tool/index.ts";
import type { AgentRun } from "./agent-run.ts";
import { UsageAccount, withModelUsage } from "./usage-account.ts";
import { type ModelRequest, modelTool } from "./model-request.ts";
import { withAttachedContent } from "./attached-images.ts";
import type { AgentObserver } from "./agent-observer.ts";

/** Dependencies of {@link agentRunner}: what the process that makes the calls adds to them. */
interface AgentRunnerDeps extends Pick<AgentRun, "budget" | "engine" | "model" | "hasListener"> {
  readonly clock: Clock;
  /** Stores large results for `read_result`. */
  readonly resultStore: ResultStore | undefined;
  /** Maximum length of a result that is shown to the model. */
  readonly resultChars: number;
  readonly observer: AgentObserver | undefined;
  readonly elicit: Elicit | undefined;
  readonly begin: BeginCall;
}

/**
 * Makes the calls of an agent's run in this process: requests to its model, and tool calls through the engine on behalf
 * of the model.
 */
export function agentRunner(parts: AgentRunnerDeps): CallRunner {
  const { begin, elicit } = parts;
  const tools = engineRunner({
    begin,
    elicit,
    perCall: (call) => new AgentCallExtras(parts, call),
  });
  const requests = { ...parts, prior: new PriorTurnsReader() };
  return {
    begin: (call, sink) =>
      call.tool === modelTool ? new RunningModelRequest(requests, call, sink) : tools.begin(call, sink),
  };
}

/** A tool call on behalf of the model: its usage of models, and its result as the model gets it. */
class AgentCallExtras implements CallExtras {
  readonly account: UsageAccount;
  readonly #parts: AgentRunnerDeps;
  readonly #call: CallRequest;

  constructor(parts: AgentRunnerDeps, call: CallRequest) {
    this.account = new UsageAccount(parts.budget, call.key);
    this.#parts = parts;
    this.#call = call;
  }

  show(result: ToolResult): ToolResult | Promise<ToolResult> {
    return redacted(withModelUsage(result, this.account.uses), this.#call, this.#parts);
  }
}

interface ModelRequestDeps extends AgentRunnerDeps {
  readonly prior: PriorTurnsReader;
}

/** A model request in flight. */
class RunningModelRequest implements RunningCall {
  readonly #parts: ModelRequestDeps;
  readonly #call: CallRequest;
  readonly #sink: CallSink;
  readonly #controller = new AbortController();

  constructor(parts: ModelRequestDeps, call: CallRequest, sink: CallSink) {
    this.#parts = parts;
    this.#call = call;
    this.#sink = sink;
    void this.#run();
  }

  async #run(): Promise<void> {
    const { observer, model } = this.#parts;
    const { runId, conversationId = runId, key: attempt, args } = this.#call;
    // Created by `AgentCalls`.
    const request = args as ModelRequest;
    let result: ToolResult<ModelTurn>;
    if (observer === undefined || model === undefined) result = await this.#send(request);
    else {
      const key = attempt.slice(0, attempt.lastIndexOf("#"));
      const { call } = request;
      result = await observer.turn({ runId, conversationId, key, call, model }, () => this.#send(request));
    }
    const at = Math.floor(result.executedAt + result.durationMs);
    this.#sink.ended({ outcome: { kind: "call", result, effect: model && "pure" }, at });
  }

  async #send({ call, number: turn }: ModelRequest): Promise<ToolResult<ModelTurn>> {
    const { clock, model, engine, hasListener, prior } = this.#parts;
    const startedAt = clock.now();
    const began = clock.elapsed();
    const end = (ending: CallEnding<ModelTurn>): ToolResult<ModelTurn> =>
      createToolResult(modelTool, ending, { executedAt: startedAt, durationMs: clock.elapsed() - began });
    if (model === undefined)
      return end({ success: false, error: failure("cancelled", "the model request was not sent") });
    try {
      const { signal } = this.#controller;
      const onDelta = hasListener && { onDelta: (delta: unknown) => this.#sink.progress(delta) };
      const output = await requestTurn(model, call, { signal, turn, clock, prior, ...onDelta });
      return end({ success: true, output: redactFailedModels(output, engine.redactor) });
    } catch (error) {
      const reported = isFailureError(error) ? error.toFailure() : failure("execution_error", String(error));
      // Servers may quote keys. The kind of failure stays the same.
      return end({ success: false, error: redactFailure(reported, engine.redactor.text) });
    }
  }

  stop(): void {
    this.#controller.abort();
  }

  detach(): void {
    this.stop();
  }
}

/** The model's text stays unchanged; only the failures of other models, which people read, are redacted. */
function redactFailedModels(turn: ModelTurn, { text }: Redactor): ModelTurn {
  if (turn.failedModels === undefined) return turn;
  const instead = turn.failedModels.map((other) => ({ ...other, failure: redactFailure(other.failure, text) }));
  return { ...turn, failedModels: instead };
}

/**
 * The result of a call as a model gets it: known secrets are redacted, and a result that is too large to show is
 * stored.
 */
function redacted(result: ToolResult, call: CallRequest, parts: AgentRunnerDeps): ToolResult | Promise<ToolResult> {
  // The engine has already redacted its failures.
  if (!result.success) return result;
  const { knowsAny, knownTexts } = parts.engine.redactor;
  if (!knowsAny()) return stored(result, call, parts);
  const output = redactOutput(result.output, knownTexts);
  return output instanceof Promise
    ? output.then((safe: unknown) => stored(withOutput(result, safe), call, parts))
    : stored(withOutput(result, output), call, parts);
}

function stored(returned: ToolSuccess, call: CallRequest, parts: AgentRunnerDeps): ToolResult | Promise<ToolResult> {
  const { resultStore, model } = parts;
  const result = withAttachedContent(returned, model);
  return resultStore === undefined ? result : store(result, call, { ...parts, resultStore });
}

async function store(
  result: ToolSuccess,
  { principal, conversationId }: CallRequest,
  { resultChars: maxChars, resultStore }: AgentRunnerDeps & { readonly resultStore: ResultStore },
): Promise<ToolResult> {
  try {
    const handle = await storeLargeResult(result, { maxChars, resultStore, owner: { principal, conversationId } });
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

function withOutput(result: ToolSuccess, output: unknown): ToolSuccess {
  return output === result.output ? result : { ...result, output };
}
