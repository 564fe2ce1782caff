import { failure, isFailureError } from "../../base/index.ts";
import type { Approver, BeginCall, CallContext, CallListener, CallStep } from "../../engine/index.ts";
import { openSecrets } from "../../expr/index.ts";
import type { CallRecord } from "../../store/index.ts";
import type { AnyTool, Effect, Secrets, ToolResult } from "../../tool/index.ts";
import type { StepWork } from "./host.ts";
import { ownCopy } from "./own-copy.ts";

/** What whoever runs a step's call is told on the way. */
export interface StepHooks {
  /** Before the handler runs; it runs once the promise is fulfilled, and never if it is rejected. */
  started(effect: Effect): void | Promise<void>;
  /** True when it takes the record, which then goes nowhere else. */
  record(record: CallRecord): boolean;
  progress(value: unknown): void;
  readonly approver: Approver | undefined;
  /** Asked about calls that the tool makes on its own; the engine's approver where absent. */
  readonly innerApprover?: Approver | undefined;
  readonly step?: CallStep | undefined;
}

/** A step's call under way. */
export interface RunningCall {
  /** Makes the call; once. Never throws, and its promise never rejects. */
  run(): ToolResult | Promise<ToolResult>;
  /** The same where it can do without a promise. */
  runFor?(listener: CallListener): void;
  /** Stops it; it still gives its result. */
  abort(cause: "cancelled" | "timeout"): void;
}

/** Makes the calls of a run: for real, for show (a dry run), or from a recording. */
export interface StepExecutor {
  begin(key: string, work: StepWork, hooks: StepHooks): RunningCall;
}

/** What {@link engineExecutor} needs. */
export interface EngineExecutorOptions {
  readonly begin: BeginCall;
  readonly runId: string;
  /** The tools as they were when the chain was planned: an edited file does not change a run under way. */
  readonly tools?: ReadonlyMap<string, AnyTool>;
  readonly secrets?: Secrets;
  /** False when the chain passes no secrets on: then arguments, which may be large, are not searched for them. */
  readonly opensSecrets?: boolean;
  /** Which calls, by their keys, are made with text from outside. What a composite tool makes of that is not in the plan. */
  readonly outside?: { has(key: string): boolean };
  /** For every call: principal, conversation, shared variables, who can be asked. */
  readonly context?: Pick<CallContext, "principal" | "conversationId" | "variables" | "elicit"> | undefined;
}

/** Makes the calls through an engine, like any other call. */
export function engineExecutor(options: EngineExecutorOptions): StepExecutor {
  const { begin, runId, tools, secrets, opensSecrets = true, outside, context } = options;
  const get = (name: string): string | undefined => secrets?.get(name);
  const todo = (name: string): string | undefined => secrets?.todo?.(name);
  return {
    begin(key, work, hooks) {
      let { args } = work;
      try {
        if (opensSecrets) args = openSecrets(args, get, todo);
      } catch (error) {
        return failed(work.tool, error);
      }
      const tool = tools?.get(work.tool);
      const call = {
        callerType: "workflow_node",
        callerId: key,
        workflowId: runId,
        idempotencyKey: work.idempotencyKey,
        limitMs: work.timeoutMs,
        reuse: work.cache,
        tainted: tool?.composite === true && outside?.has(key) === true && "arguments",
        hooks,
      };
      const stated = context === undefined ? call : { ...call, ...context };
      // Every call has the same shape; to the engine, what is undefined is not stated.
      return begin(tool ?? work.tool, ownCopy(args), stated as CallContext);
    },
  };
}

/** A call that failed before it reached the engine. */
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
