import { failure, isFailureError, maxTimeoutMs } from "../../base/index.ts";
import {
  type Account,
  type Approver,
  type BeginCall,
  type CallApproval,
  type CallContext,
  type CallHandle,
  type CallHooks,
  type CallListener,
  type JournaledCall,
  type UntrustedArguments,
  knowsUrls,
} from "../../engine/index.ts";
import { openSecrets } from "../../expr/index.ts";
import type { CallRecord } from "../../store/index.ts";
import { type AnyTool, type Effect, type Secrets, type ToolResult, fingerprintTool } from "../../tool/index.ts";
import { cannotSuspendReason } from "../approvals/cannot-suspend.ts";
import {
  type CallRequest,
  type CallRunner,
  type CallSink,
  type NeededApproval,
  type RunApprover,
  type RunningCall,
  type UntrustedContent,
  endAtOnce,
  overCall,
} from "../call-runner.ts";

/** Options of {@link engineRunner}: what a process adds to the calls that it makes. */
export interface EngineRunnerOptions {
  readonly begin: BeginCall;
  /** The tools as of the time when the run was planned. Default: those of the engine, by their names. */
  readonly tools?: ReadonlyMap<string, AnyTool> | undefined;
  /** Finds a tool in a process that has not planned the run: one that has changed since is not called. */
  readonly resolve?: ((name: string) => AnyTool | undefined) | undefined;
  readonly secrets?: Secrets | undefined;
  /** Answers elicitations of the tools. */
  readonly elicit?: CallContext["elicit"] | undefined;
  /** True if no code of users runs between the end of a call and the calls that follow from it. */
  readonly isImmediate?: boolean | undefined;
  readonly perCall?: ((call: CallRequest) => CallExtras) | undefined;
}

/** Additions of a process to one call. */
export interface CallExtras {
  /** The account that is charged for model requests of the call. */
  readonly account: Account;
  /** Changes the result before it leaves the process, such as one that a model reads. */
  show(result: ToolResult): ToolResult | Promise<ToolResult>;
}

/** Returns a runner that makes the calls of a run in this process, through an engine, like any other call. */
export function engineRunner(options: EngineRunnerOptions): CallRunner {
  const { begin, tools, resolve, secrets, elicit, isImmediate = false, perCall } = options;
  const get = (name: string): string | undefined => secrets?.get(name);
  const todo = (name: string): string | undefined => secrets?.hint?.(name);
  return {
    begin(call, sink) {
      const { tool: name, started, secrets: closed } = call;
      if (started?.effect === "once") {
        sink.ended({ outcome: { kind: "interrupted", startedAt: started.at } });
        return overCall;
      }
      let { args } = call;
      if (closed !== undefined) {
        try {
          args = openSecrets({ value: args, secrets: closed }, get, todo);
        } catch (error) {
          return endAtOnce(sink, failed(name, error));
        }
      }
      const tool = tools?.get(name) ?? resolve?.(name);
      if (resolve !== undefined && hasChanged(call, tool)) return endAtOnce(sink, changedTool(name));
      const extras = perCall?.(call);
      const engineCall = new EngineCall(call, sink, { isImmediate, extras });
      engineCall.run(begin(tool ?? name, cloneJson(args), contextOf(call, engineCall, elicit)));
      return engineCall;
    },
  };
}

/** One literal, for speed; the engine treats undefined as not set. */
function contextOf(call: CallRequest, hooks: EngineCall, elicit: CallContext["elicit"]): CallContext {
  const { untrusted } = call;
  const context = {
    callerType: call.callerType,
    callerId: call.callerId ?? call.key,
    callerPath: call.callerPath,
    workflowId: call.runId,
    conversationId: call.conversationId,
    principal: call.principal,
    covered: call.covered,
    idempotencyKey: call.idempotencyKey,
    maxRetries: call.maxRetries,
    limitMs: limitOf(call.timeoutMs),
    reuse: call.cache,
    tainted: call.tainted,
    untrustedArguments: untrusted && untrustedArguments(untrusted),
    elicit,
    account: hooks.account,
    hooks,
  };
  return context as CallContext;
}

function untrustedArguments({ parameters, allowed, knownUrls }: UntrustedContent): UntrustedArguments {
  return {
    parameters: parameters === "all" ? parameters : new Map(parameters),
    ...(allowed !== undefined && { allowed }),
    ...(knownUrls !== undefined && { knowsUrl: knowsUrls(knownUrls) }),
  };
}

interface EngineCallOptions {
  readonly isImmediate: boolean;
  readonly extras: CallExtras | undefined;
}

/** A call of this process, as the engine and its tool see it. */
class EngineCall implements RunningCall, CallHooks, CallListener, JournaledCall {
  readonly #call: CallRequest;
  readonly #sink: CallSink;
  readonly isImmediate: boolean;
  readonly #extras: CallExtras | undefined;
  #handle: CallHandle | undefined = undefined;
  /** Undefined until the handler runs. */
  #effect: Effect | undefined = undefined;
  #record: CallRecord | undefined = undefined;
  #needs: NeededApproval | undefined = undefined;
  #isReleased = false;

  constructor(call: CallRequest, sink: CallSink, { isImmediate, extras }: EngineCallOptions) {
    this.#call = call;
    this.#sink = sink;
    this.isImmediate = isImmediate;
    this.#extras = extras;
  }

  get account(): Account | undefined {
    return this.#extras?.account;
  }

  run(handle: CallHandle): void {
    this.#handle = handle;
    handle.runFor(this);
  }

  ended(result: ToolResult): void {
    const shown = this.#extras === undefined ? result : this.#extras.show(result);
    if (shown instanceof Promise) void shown.then((settled) => this.#end(settled));
    else this.#end(shown);
  }

  #end(result: ToolResult): void {
    const { executedAt, durationMs, queuedMs = 0 } = result;
    // Aborted while its start was being journaled.
    const effect = !result.success && result.meta.attempts === 0 ? undefined : this.#effect;
    const outcome = { kind: "call" as const, result: withoutAttachments(result), effect };
    const at = Math.floor(executedAt + queuedMs + durationMs);
    const needs = this.#needs;
    const isReleased = this.#isReleased || undefined;
    this.#sink.ended({
      outcome: needs === undefined ? outcome : { ...outcome, ...needs },
      at,
      record: this.#record,
      isReleased,
    });
  }

  // --- the runner's handle

  stop(cause: "cancelled" | "timeout"): void {
    this.#handle?.abort(cause);
  }

  detach(): void {
    this.#isReleased = true;
    this.stop("cancelled");
  }

  // --- hooks of the engine

  started(effect: Effect): Promise<void> | undefined {
    this.#effect = effect;
    return this.#sink.started(effect);
  }

  record(record: CallRecord): boolean {
    if (!this.#sink.isDurable) return false;
    this.#record = record;
    return true;
  }

  progress(value: unknown): void {
    this.#sink.progress(value);
  }

  get earlierAttempts(): number {
    return (this.#call.attempt ?? 1) - 1;
  }

  get approver(): Approver | undefined {
    const { approver } = this.#sink;
    return approver && this.#noting(approver, () => false);
  }

  get innerApprover(): Approver | undefined {
    const { innerApprover } = this.#sink;
    // After an approval the whole call is re-executed.
    return innerApprover && this.#noting(innerApprover, () => this.#effect !== "once");
  }

  #noting(approver: RunApprover, isRepeatable: () => boolean): Approver {
    return {
      ...(approver.bindsToRun && { bindsToRun: true }),
      requestApproval: async (request, signal, chosen = false) => {
        const { needs, ...answer } = await approver.requestApproval(request, signal, chosen || isRepeatable());
        this.#needs ??= needs;
        return answer;
      },
    };
  }

  get step(): JournaledCall | undefined {
    return this.#sink.isNested ? undefined : this;
  }

  // --- the journaled call, for what its tool starts

  get isReleased(): boolean {
    return this.#isReleased;
  }

  get willReexecute(): boolean {
    const pending = this.#needs?.pendingApproval;
    return this.#isReleased || (pending !== undefined && pending.key === undefined);
  }

  get isClosing(): boolean {
    return this.#sink.isClosing;
  }

  release(): void {
    this.#isReleased = true;
  }

  suspendFor(approval: CallApproval): string | undefined {
    if (this.#effect === "once") return cannotSuspendReason(this.#call.tool, approval.tool);
    this.#needs ??= { pendingApproval: approval };
    return undefined;
  }
}

/** Drops attachments such as images and files: a journal holds JSON, and steps can only see the output. */
function withoutAttachments(result: ToolResult): ToolResult {
  if (!result.success || result.attachments === undefined) return result;
  const { attachments: _, ...rest } = result;
  return rest;
}

/** The timeout of a step as the engine takes it: a run of an earlier version may have one that is not valid now. */
function limitOf(timeoutMs: number | undefined): number | undefined {
  return timeoutMs === undefined || !(timeoutMs > 0) ? undefined : Math.min(timeoutMs, maxTimeoutMs);
}

function hasChanged({ fingerprint }: CallRequest, tool: AnyTool | undefined): boolean {
  return fingerprint !== undefined && tool !== undefined && fingerprintTool(tool) !== fingerprint;
}

/** The result of a call whose tool is not what it was when the run was planned. */
export function changedTool(tool: string): ToolResult {
  const message = `${tool} has changed since the run began, or no longer exists; it was not called`;
  return notCalled(tool, failure("not_available", message, { reason: "tool_changed", retry: "never" }));
}

/** Returns the result of a call that failed before it reached the engine. */
function failed(tool: string, error: unknown): ToolResult {
  if (!isFailureError(error)) throw error;
  const { code, message, reason } = error;
  return notCalled(tool, failure(code, message, { retry: "never", ...(reason !== undefined && { reason }) }));
}

function notCalled(tool: string, error: ReturnType<typeof failure>): ToolResult {
  const meta = { callId: "", source: "", attempts: 0 };
  return { success: false, tool, error, durationMs: 0, executedAt: 0, meta };
}

/** Data from a file or a tool never nests deeper. */
const maxDepth = 1000;

/**
 * Deep-copies JSON data: a receiver of arguments may modify them without changing the output of another step, or the
 * plan.
 */
function cloneJson(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => cloneJson(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  // A spread defines own properties, so that a key named __proto__ stays a key.
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const item = copy[key];
    if (typeof item === "object" && item !== null) copy[key] = cloneJson(item, depth + 1);
  }
  return copy;
}
