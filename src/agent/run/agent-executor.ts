import { type Clock, failure, isFailureError } from "../../base/index.ts";
import type { RunningCall, StepExecutor, StepHooks, StepWork } from "../../chain/index.ts";
import type { BeginCall, CallContext, CallHandle } from "../../engine/index.ts";
import { type ResultShelf, keepLarge } from "../../hub/index.ts";
import { type ModelCall, askTurn } from "../../model/index.ts";
import type { Elicit, ToolResult } from "../../tool/index.ts";
import type { AgentRun } from "./agent-run.ts";
import { modelTool } from "./model-tool.ts";
import type { AgentObserver } from "./agent-observer.ts";

/** What {@link agentExecutor} needs besides the run. */
export interface ExecutorParts {
  readonly clock: Clock;
  /** Where large results are kept for `read_result`. */
  readonly shelf: ResultShelf | undefined;
  readonly observer: AgentObserver | undefined;
  readonly principal: string | undefined;
  readonly elicit: Elicit | undefined;
  readonly begin: BeginCall;
}

/** Makes the calls of an agent's run: questions to its model, and tool calls through the engine, as a model's. */
export function agentExecutor(run: AgentRun, parts: ExecutorParts): StepExecutor {
  return {
    begin: (key, work, hooks) =>
      work.tool === modelTool
        ? new ModelRequest(run, { key, work, hooks, parts })
        : beginTool(run, { key, work, hooks }, parts),
  };
}

interface Asked {
  readonly key: string;
  readonly work: StepWork;
  readonly hooks: StepHooks;
  readonly parts: ExecutorParts;
}

/** A question to the model under way. */
class ModelRequest implements RunningCall {
  readonly #run: AgentRun;
  readonly #asked: Asked;
  #controller: AbortController | undefined;
  #aborted = false;

  constructor(run: AgentRun, asked: Asked) {
    this.#run = run;
    this.#asked = asked;
  }

  run(): Promise<ToolResult> {
    const { key, work, parts } = this.#asked;
    const { runId, conversationId, model } = this.#run;
    if (parts.observer === undefined || model === undefined) return this.#ask();
    // Made by the loop for exactly this.
    const of = { runId, conversationId, key: key.slice(0, key.lastIndexOf("#")), model, call: work.args as ModelCall };
    return parts.observer.turn(of, () => this.#ask());
  }

  async #ask(): Promise<ToolResult> {
    const { work, hooks, parts } = this.#asked;
    const { model, listens, rounds } = this.#run;
    const startedAt = parts.clock.now();
    const began = parts.clock.elapsed();
    const end = (what: Outcome): ToolResult => ({
      ...what,
      tool: modelTool,
      durationMs: parts.clock.elapsed() - began,
      executedAt: startedAt,
      meta: { callId: "", source: "", attempts: 1 },
    });
    if (model === undefined || this.#aborted) return end({ success: false, error: failure("cancelled", "not asked") });
    this.#controller = new AbortController();
    try {
      // Made by the loop for exactly this.
      const output = await askTurn(model, work.args as ModelCall, {
        signal: this.#controller.signal,
        turn: rounds,
        clock: parts.clock,
        ...(listens && { onDelta: (delta) => hooks.progress(delta) }),
      });
      return end({ success: true, output });
    } catch (error) {
      const told = isFailureError(error) ? error.toFailure() : failure("execution_error", String(error));
      return end({ success: false, error: told });
    }
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}

type Outcome =
  | { readonly success: true; readonly output: unknown }
  | { readonly success: false; readonly error: ReturnType<typeof failure> };

interface ToolWork {
  readonly key: string;
  readonly work: StepWork;
  readonly hooks: StepHooks;
}

function beginTool(run: AgentRun, { key, work, hooks }: ToolWork, parts: ExecutorParts): RunningCall {
  const { principal, elicit, begin } = parts;
  const context: Stated = {
    // A model decides on it, whoever runs the agent.
    callerType: "conversation_agent",
    callerId: key,
    conversationId: run.conversationId,
    workflowId: run.runId,
    idempotencyKey: work.idempotencyKey,
    maxRetries: 0,
    hooks,
  };
  // What is not stated is taken over from the call that the agent runs under.
  if (run.tainted) context.tainted = true;
  if (work.timeoutMs !== undefined) context.limitMs = work.timeoutMs;
  if (principal !== undefined) context.principal = principal;
  if (elicit !== undefined) context.elicit = elicit;
  const handle = begin(work.tool, work.args, context);
  return parts.shelf === undefined ? handle : new KeptCall(run, handle, parts);
}

type Stated = { -readonly [Key in keyof CallContext]: CallContext[Key] };

/** A call whose result is kept where the model cannot be shown all of it. */
class KeptCall implements RunningCall {
  readonly #run: AgentRun;
  readonly #handle: CallHandle;
  readonly #parts: ExecutorParts;

  constructor(run: AgentRun, handle: CallHandle, parts: ExecutorParts) {
    this.#run = run;
    this.#handle = handle;
    this.#parts = parts;
  }

  run(): ToolResult | Promise<ToolResult> {
    const result = this.#handle.run();
    return result instanceof Promise ? result.then((settled) => this.#keep(settled)) : this.#keep(result);
  }

  abort(cause: "cancelled" | "timeout"): void {
    this.#handle.abort(cause);
  }

  async #keep(result: ToolResult): Promise<ToolResult> {
    if (!result.success) return result;
    const { spec, conversationId } = this.#run;
    const { shelf, principal } = this.#parts;
    const owner = { principal, conversationId };
    try {
      // What the model is shown has to be of the output that is kept.
      const safe = (await shelf?.redacted(result)) ?? result;
      const handle = await keepLarge(safe, { maxChars: spec.viewChars, shelf, owner });
      return handle === undefined ? result : { ...safe, meta: { ...safe.meta, handle } };
    } catch (error) {
      // The result is there; only the rest of it cannot be read later.
      process.emitWarning(`a large result of ${result.tool} could not be kept: ${String(error)}`);
      return result;
    }
  }
}
