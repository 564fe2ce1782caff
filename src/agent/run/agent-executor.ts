import { type Clock, failure, isFailureError } from "../../base/index.ts";
import type { RunningCall, StepExecutor, StepHooks, StepWork } from "../../chain/index.ts";
import type { BeginCall, CallContext, CallHandle, CallListener } from "../../engine/index.ts";
import { type ResultShelf, keepLarge, redactOutput } from "../../hub/index.ts";
import { type ModelTurn, askTurn } from "../../model/index.ts";
import { type Redactor, redactFailure } from "../../text/index.ts";
import type { Elicit, ToolResult, ToolSuccess } from "../../tool/index.ts";
import { factTool } from "../flow/fact.ts";
import { type Ending, resultOf } from "../flow/result-of.ts";
import type { AgentRun } from "./agent-run.ts";
import { CallAccount, withUse } from "./call-account.ts";
import { type ModelQuestion, modelTool } from "./model-tool.ts";
import { refusedTool } from "./refused-tool.ts";
import { withoutSecrets } from "./without-secrets.ts";
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
    begin: (key, work, hooks) => {
      if (work.tool === modelTool) return new ModelRequest(run, { key, work, hooks, parts });
      if (work.tool === factTool) return beginFact(work, hooks);
      return refusedTool(run, work) ?? beginTool(run, { key, work, hooks }, parts);
    },
  };
}

/** Takes a look at the world, and keeps what is seen. */
function beginFact({ tool, args }: StepWork, hooks: StepHooks): RunningCall {
  // Made by `fact` for exactly this.
  const look = args as () => unknown;
  return {
    run: () => {
      void hooks.started("pure");
      return resultOf(tool, { success: true, output: look() });
    },
    abort: () => {},
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
  readonly #question: ModelQuestion;
  #controller: AbortController | undefined;
  #aborted = false;

  constructor(run: AgentRun, asked: Asked) {
    this.#run = run;
    this.#asked = asked;
    // Made by the loop for exactly this.
    const question = asked.work.args as ModelQuestion;
    const call = withoutSecrets(question.call, run.engine.redactor);
    this.#question = call === question.call ? question : { ...question, call };
  }

  run(): Promise<ToolResult<ModelTurn>> {
    const { key, parts } = this.#asked;
    const { runId, conversationId, model } = this.#run;
    const { call, refusal } = this.#question;
    if (parts.observer === undefined || model === undefined || refusal !== undefined) return this.#ask();
    const of = { runId, conversationId, key: key.slice(0, key.lastIndexOf("#")), model, call };
    return parts.observer.turn(of, () => this.#ask());
  }

  async #ask(): Promise<ToolResult<ModelTurn>> {
    const { hooks, parts } = this.#asked;
    const { model, engine, listens, budget } = this.#run;
    const { number, call, refusal, understand } = this.#question;
    const startedAt = parts.clock.now();
    const began = parts.clock.elapsed();
    const end = (ending: Ending<ModelTurn>): ToolResult<ModelTurn> =>
      resultOf(modelTool, ending, { executedAt: startedAt, durationMs: parts.clock.elapsed() - began });
    if (model === undefined || this.#aborted) return end({ success: false, error: failure("cancelled", "not asked") });
    if (refusal !== undefined) return end({ success: false, error: refusal.toFailure() });
    this.#controller = new AbortController();
    void hooks.started("pure");
    budget.asks();
    try {
      const turn = await askTurn(model, call, {
        signal: this.#controller.signal,
        turn: number,
        clock: parts.clock,
        ...(listens && { onDelta: (delta) => hooks.progress(delta) }),
      });
      return end({ success: true, output: toldSafely(understand(turn), engine.redactor) });
    } catch (error) {
      budget.failed();
      const told = isFailureError(error) ? error.toFailure() : failure("execution_error", String(error));
      // Servers quote keys. It stays the failure that it is.
      return end({ success: false, error: redactFailure(told, engine.redactor.text) });
    }
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}

/** What a model says stays as it is; why others gave no answer is told to people. */
function toldSafely(turn: ModelTurn, { text }: Redactor): ModelTurn {
  if (turn.instead === undefined) return turn;
  const instead = turn.instead.map((other) => ({ ...other, failure: redactFailure(other.failure, text) }));
  return { ...turn, instead };
}

interface ToolWork {
  readonly key: string;
  readonly work: StepWork;
  readonly hooks: StepHooks;
}

function beginTool(run: AgentRun, { key, work, hooks }: ToolWork, parts: ExecutorParts): RunningCall {
  const { principal, elicit, begin } = parts;
  const account = new CallAccount(run.budget, key);
  const context: Stated = {
    // A model decides on it, whoever runs the agent.
    callerType: "conversation_agent",
    callerId: key,
    conversationId: run.conversationId,
    workflowId: run.runId,
    idempotencyKey: work.idempotencyKey,
    maxRetries: 0,
    hooks,
    account,
  };
  // What is not stated is taken over from the call that the agent runs under.
  if (run.tainted) context.tainted = true;
  if (work.timeoutMs !== undefined) context.limitMs = work.timeoutMs;
  if (principal !== undefined) context.principal = principal;
  if (elicit !== undefined) context.elicit = elicit;
  return new ShownCall(run, { handle: begin(work.tool, work.args, context), account }, parts);
}

type Stated = { -readonly [Key in keyof CallContext]: CallContext[Key] };

interface Made {
  readonly handle: CallHandle;
  readonly account: CallAccount;
}

/** A call whose result a model is shown: without the secrets that are known, and kept where it cannot be shown all of it. */
class ShownCall implements RunningCall {
  readonly #run: AgentRun;
  readonly #handle: CallHandle;
  readonly #account: CallAccount;
  readonly #parts: ExecutorParts;

  constructor(run: AgentRun, { handle, account }: Made, parts: ExecutorParts) {
    this.#run = run;
    this.#handle = handle;
    this.#account = account;
    this.#parts = parts;
  }

  run(): ToolResult | Promise<ToolResult> {
    const result = this.#handle.run();
    return result instanceof Promise ? result.then((settled) => this.#shown(settled)) : this.#shown(result);
  }

  /** What the host uses: most calls then need no promise. */
  runFor(listener: CallListener): void {
    this.#handle.runFor({
      ended: (result) => {
        const shown = this.#shown(result);
        if (shown instanceof Promise) void shown.then((settled) => listener.ended(settled));
        else listener.ended(shown);
      },
    });
  }

  abort(cause: "cancelled" | "timeout"): void {
    this.#handle.abort(cause);
  }

  #shown(given: ToolResult): ToolResult | Promise<ToolResult> {
    const result = withUse(given, this.#account.uses);
    // The engine has seen to what its failures say.
    if (!result.success) return result;
    const { knowsAny, knownTexts } = this.#run.engine.redactor;
    if (!knowsAny()) return this.#kept(result);
    const output = redactOutput(result.output, knownTexts);
    return output instanceof Promise
      ? output.then((safe: unknown) => this.#kept(withOutput(result, safe)))
      : this.#kept(withOutput(result, output));
  }

  #kept(result: ToolSuccess): ToolResult | Promise<ToolResult> {
    const { shelf } = this.#parts;
    return shelf === undefined ? result : this.#keep(result, shelf);
  }

  async #keep(result: ToolSuccess, shelf: ResultShelf): Promise<ToolResult> {
    const { spec, conversationId } = this.#run;
    const owner = { principal: this.#parts.principal, conversationId };
    try {
      const handle = await keepLarge(result, { maxChars: spec.viewChars, shelf, owner });
      if (handle === undefined) return result;
      // What the model is shown has to be of the output that is kept.
      const safe = await shelf.redacted(result);
      return { ...safe, meta: { ...safe.meta, handle } };
    } catch (error) {
      // The result is there; only the rest of it cannot be read later.
      process.emitWarning(`a large result of ${result.tool} could not be kept: ${String(error)}`);
      return result;
    }
  }
}

function withOutput(result: ToolSuccess, output: unknown): ToolSuccess {
  return output === result.output ? result : { ...result, output };
}
