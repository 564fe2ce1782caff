import { failure, isFailureError, maxTimeoutMs } from "../../base/index.ts";
import {
  type Approver,
  type BeginCall,
  type CallContext,
  type CallHandle,
  type CallListener,
  type JournaledCall,
  type UntrustedArguments,
  SeenUrls,
  bringsUrls,
} from "../../engine/index.ts";
import { openSecrets } from "../../expr/index.ts";
import type { CallRecord } from "../../store/index.ts";
import type { AnyTool, Effect, Secrets, ToolResult } from "../../tool/index.ts";
import type { RunHost, StepWork } from "../host.ts";
import type { LeasedRun, RunLeases } from "../leases/run-leases.ts";

/** Callbacks of a step's call while it runs. */
export interface StepHooks {
  /** Called before the handler runs. The handler waits for the promise, and never runs if it rejects. */
  started(effect: Effect): void | Promise<void>;
  /** Returns true if it stores the record itself; the record is then not written anywhere else. */
  record(record: CallRecord): boolean;
  progress(value: unknown): void;
  /** Attempts of the same work before this call. */
  readonly earlierAttempts?: number;
  readonly approver: Approver | undefined;
  /** Approver for calls that the tool makes itself. Default: the engine's approver. */
  readonly innerApprover?: Approver | undefined;
  readonly step?: JournaledCall | undefined;
}

/** A running call of a step. */
export interface RunningCall {
  /** Executes the call; call it once. Never throws, and its promise never rejects. */
  run(): ToolResult | Promise<ToolResult>;
  /** Same as `run`, with a callback instead of a promise. */
  runFor?(listener: CallListener): void;
  /** Aborts the call; it still returns a result. */
  abort(cause: "cancelled" | "timeout"): void;
}

/** Executes the calls of a run: for real, as a dry run, or from a recording. */
export interface StepExecutor {
  begin(key: string, work: StepWork, hooks: StepHooks): RunningCall;
}

/** Options of {@link engineExecutor}. */
export interface EngineExecutorOptions {
  readonly begin: BeginCall;
  readonly runId: string;
  /** The tools as of the time when the chain was planned: editing a file does not change a running chain. */
  readonly tools?: ReadonlyMap<string, AnyTool>;
  readonly secrets?: Secrets;
  /** False if the chain passes no secrets: arguments, which may be large, are then not searched for secret handles. */
  readonly opensSecrets?: boolean;
  /**
   * Keys of calls whose arguments contain untrusted content. The plan does not cover what a composite tool does with
   * them.
   */
  readonly tainted?: { has(key: string): boolean };
  /** The untrusted content in the arguments of each call. Default: there is none. */
  readonly untrusted?: { argumentsOf(key: string): UntrustedArguments };
  /** Earlier results of the run, and its input if that is trusted: a URL that appears in them may be read. */
  readonly known?: () => Iterable<unknown>;
  /** Context of every call: principal, conversation, shared variables, elicitation. */
  readonly context?:
    | Pick<CallContext, "principal" | "conversationId" | "variables" | "elicit" | "callerPath">
    | undefined;
}

/** Returns an executor that runs the calls of a run through an engine, like any other call. */
export function engineExecutor(options: EngineExecutorOptions): StepExecutor {
  const { begin, runId, tools, secrets, opensSecrets = true, tainted, untrusted } = options;
  // Without a context, as in a nested run, its calls inherit that of the call that contains it.
  const { principal, conversationId, variables, elicit, callerPath } = options.context ?? noContext;
  const results = untrusted && new SeenResults(options);
  const get = (name: string): string | undefined => secrets?.get(name);
  const todo = (name: string): string | undefined => secrets?.hint?.(name);
  return {
    begin(key, work, hooks) {
      let { args } = work;
      try {
        if (opensSecrets) args = openSecrets(args, get, todo);
      } catch (error) {
        return failed(work.tool, error);
      }
      const tool = tools?.get(work.tool);
      // One literal, for speed; the engine treats undefined as not set.
      const call = {
        callerType: "workflow_node",
        callerId: key,
        workflowId: runId,
        idempotencyKey: work.idempotencyKey,
        limitMs: limitOf(work.timeoutMs),
        reuse: work.cache,
        tainted: tool?.composite === true && tainted?.has(key) === true && "arguments",
        untrustedArguments: results?.argumentsOf(key, tool),
        hooks,
        principal,
        conversationId,
        variables,
        elicit,
        callerPath,
      };
      const started = begin(tool ?? work.tool, cloneJson(args), call as CallContext);
      return results === undefined ? started : results.watch(started, tool);
    },
  };
}

const noContext: NonNullable<EngineExecutorOptions["context"]> = {};

/** The URLs in the results of a run. */
class SeenResults {
  /** True if a tool of the run takes a URL; otherwise results are not read. */
  readonly #isNeeded: boolean;
  readonly #untrusted: EngineExecutorOptions["untrusted"];
  readonly #seen = new SeenUrls();

  constructor({ tools, known, untrusted }: EngineExecutorOptions) {
    this.#seen.add({ by: "user", content: () => [...(known?.() ?? [])] });
    this.#untrusted = untrusted;
    this.#isNeeded = tools === undefined || [...tools.values()].some(takesUrls);
  }

  add(result: ToolResult, tool: AnyTool | undefined): void {
    const effect = typeof tool?.effect === "string" ? tool.effect : undefined;
    if (!result.success || !bringsUrls(result, effect, tool)) return;
    this.#seen.add({ by: "tool", content: result.output });
    // Only the URLs are retained.
    this.#seen.read();
  }

  /** Reads the result of the call. */
  watch(call: CallHandle, tool: AnyTool | undefined): RunningCall {
    return this.#isNeeded ? new SeenCall(call, { results: this, tool }) : call;
  }

  /** The untrusted content in the arguments of a call; undefined if neither it nor a call of it can have a target. */
  argumentsOf(key: string, tool: AnyTool | undefined): UntrustedArguments | undefined {
    if (tool !== undefined && tool.targets === undefined && !tool.composite) return undefined;
    const untrusted = this.#untrusted?.argumentsOf(key);
    return untrusted && { ...untrusted, knowsUrl: this.#knowsUrl };
  }

  readonly #knowsUrl = (url: string): boolean => this.#seen.has(url);
}

function takesUrls({ targets, composite }: AnyTool): boolean {
  return composite || (targets !== undefined && Object.values(targets).includes("url"));
}

/** A call whose result is read for URLs. */
class SeenCall implements RunningCall {
  readonly #call: CallHandle;
  readonly #seenBy: { readonly results: SeenResults; readonly tool: AnyTool | undefined };

  constructor(call: CallHandle, seenBy: { readonly results: SeenResults; readonly tool: AnyTool | undefined }) {
    this.#call = call;
    this.#seenBy = seenBy;
  }

  run(): ToolResult | Promise<ToolResult> {
    const result = this.#call.run();
    return result instanceof Promise ? result.then((settled) => this.#seen(settled)) : this.#seen(result);
  }

  runFor(listener: CallListener): void {
    this.#call.runFor({ ...listener, ended: (result) => listener.ended(this.#seen(result)) });
  }

  abort(cause: "cancelled" | "timeout"): void {
    this.#call.abort(cause);
  }

  #seen(result: ToolResult): ToolResult {
    this.#seenBy.results.add(result, this.#seenBy.tool);
    return result;
  }
}

/** The timeout of a step as the engine takes it: a run of an earlier version may have one that is not valid now. */
function limitOf(timeoutMs: number | undefined): number | undefined {
  return timeoutMs === undefined || !(timeoutMs > 0) ? undefined : Math.min(timeoutMs, maxTimeoutMs);
}

/** Returns a call that failed before it reached the engine. */
function failed(tool: string, error: unknown): RunningCall {
  if (!isFailureError(error)) throw error;
  const { code, message, reason } = error;
  const result: ToolResult = {
    success: false,
    tool,
    error: failure(code, message, { retry: "never", ...(reason !== undefined && { reason }) }),
    durationMs: 0,
    executedAt: 0,
    meta: { callId: "", source: "", attempts: 0 },
  };
  return { run: () => result, abort: () => {} };
}

/** Data from a file or a tool never nests deeper. */
const maxDepth = 1000;

/**
 * Deep-copies JSON data: a receiver of arguments may modify them without changing the output of another step, or the
 * plan.
 */
export function cloneJson(value: unknown, depth = 0): unknown {
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

/** Sources that can stop a run while it is executed. */
export interface RunLifecycleOptions {
  readonly leases?: Pick<RunLeases, "add" | "remove"> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The call of another run that this run is nested in: if that call is released, so is this run. */
  readonly step?: JournaledCall | undefined;
  /**
   * The person who requested the cancellation before the run was claimed: null if unnamed, undefined if it was not
   * cancelled.
   */
  readonly cancelledBy?: string | null | undefined;
}

/** Executes a run on its host, and closes the host afterwards so that no call, timer or listener remains. */
export async function withRunLifecycle<T>(
  host: Pick<RunHost, keyof LeasedRun | "close">,
  by: RunLifecycleOptions,
  execute: () => Promise<T>,
): Promise<T> {
  const { leases, signal, step, cancelledBy } = by;
  const cancel = (): void => (step?.isReleased === true ? host.releaseNow() : host.cancelRun(undefined));
  if (signal?.aborted === true) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  if (cancelledBy !== undefined) host.cancelRun(cancelledBy ?? undefined);
  leases?.add(host);
  try {
    return await execute();
  } finally {
    signal?.removeEventListener("abort", cancel);
    leases?.remove(host);
    host.close();
  }
}
