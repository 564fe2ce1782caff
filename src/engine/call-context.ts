import { type Failure, failure, invalidTimeout, isTimeoutMs, maxTimeoutMs } from "../base/index.ts";
import type { CallerType } from "../store/index.ts";
import type { Elicit, AnyTool } from "../tool/index.ts";
import type { CallHooks } from "./internals.ts";
import type { Call } from "./call.ts";
import type { UntrustedArguments } from "./untrusted-targets.ts";

/** Caller, principal and limits of a call. Every field is optional. */
export interface CallContext {
  /** Default: `direct`. */
  readonly callerType?: CallerType;
  readonly callerId?: string;
  /**
   * The callers of the calls and runs that contain this call, the root caller first. Permission rules that deny a tool to
   * one of them also deny this call. Nested calls extend it.
   */
  readonly callerPath?: readonly CallerType[];
  /** Tools whose destructive calls a person approved with a call that contains this one. */
  readonly covered?: readonly string[];
  /** The person or account behind the caller. Permissions, cache and records are separated by principal. */
  readonly principal?: string;
  readonly conversationId?: string;
  /**
   * The session of the caller's protocol, or a hash of its token: an approval given in one session is not valid in
   * another.
   */
  readonly session?: string;
  readonly workflowId?: string;
  /** Deadline of one attempt if the tool has none; at most 24 hours. Default: 30 s. */
  readonly timeoutMs?: number;
  /**
   * Deadline of one attempt instead of the tool's own; at most 24 hours. Also applies to the tools that a capability or a
   * shared name leads to, but not to other nested calls.
   */
  readonly overrideTimeoutMs?: number;
  /** Maximum time of one attempt, at most 24 hours. Also limits the timeout of the tool. */
  readonly limitMs?: number;
  /**
   * Maximum number of retries after a failure that is safe to retry. Default: 3. Nested calls and chain steps are not
   * retried.
   */
  readonly maxRetries?: number;
  /** Calls with higher priority run first under the `priority` strategy. */
  readonly priority?: number;
  /** Values shared by the calls of one conversation or run. */
  readonly variables?: Record<string, unknown>;
  readonly signal?: AbortSignal;
  /** The same for every attempt of the same work. Default: the id of the call. */
  readonly idempotencyKey?: string;
  /**
   * Untrusted content may have caused this call: if it is destructive, it needs approval even if a rule allows it,
   * unless the rule says `trusted`. Also applies to nested calls. `arguments`: the decision to call was not influenced,
   * only the arguments contain such content; that matters to models that read them.
   */
  readonly tainted?: boolean | "arguments" | undefined;
  /**
   * The untrusted content in the arguments: a call needs approval if it decides the target, such as the host of a URL.
   * Default: all arguments of a tainted call, none of another. Nested calls get what their arguments contain of it.
   */
  readonly untrustedArguments?: UntrustedArguments | undefined;
  /** Receives the values that the handler reports with `ctx.progress()` or yields. */
  readonly onProgress?: (value: unknown) => unknown;
  /** Elicits input from a person for the tool; nested calls may use it too. Default: every elicitation is declined. */
  readonly elicit?: Elicit;
  /**
   * Reuses results of a `pure` or `read` tool for this long, overriding the tool's own cache setting. `key` replaces
   * the arguments in the cache key.
   */
  readonly reuse?: { readonly ttlMs: number; readonly key?: unknown };
  /**
   * Refuses undeclared parameters: all, or those of the arguments with one of these names. Default: `strictValidation` of
   * the engine. Does not apply to nested calls.
   */
  readonly strictValidation?: true | ReadonlySet<string>;
  readonly hooks?: CallHooks;
  /** Account charged for model requests of this call and its nested calls, such as the budget of an agent's run. */
  readonly account?: Account;
}

/** True if the person who answers elicitations of the call may also approve calls. */
export function canElicitApproval({ elicit }: CallContext): boolean {
  return elicit !== undefined && elicit.approves !== false;
}

/** Is charged for the model requests of tools. */
export interface Account {
  /** Adds the usage of one model request; further fields, such as its `cost`, are allowed. */
  spend(usage: { readonly inputTokens: number; readonly outputTokens: number }): void;
}

/**
 * The context of a call that an agent makes in a conversation.
 *
 * @example
 * ```ts
 * await engine.call("echo", { message: "hi" }, forConversation("agent-1", "conversation-1"));
 * ```
 *
 * @see docs/guide/engine.md
 */
export function forConversation(agentId: string, conversationId: string, more: CallContext = {}): CallContext {
  return { ...more, callerType: "conversation_agent", callerId: agentId, conversationId };
}

/**
 * Returns the context of a chain step. It bypasses the global limit, waits for a rate limit or a slot of its category
 * without the queue timeout, and is retried only by the chain.
 *
 * @example
 * ```ts
 * await engine.call("echo", { message: "hi" }, forWorkflow("run-1", "step-1"));
 * ```
 *
 * @see docs/guide/engine.md
 */
export function forWorkflow(workflowId: string, nodeId: string, more: CallContext = {}): CallContext {
  return { maxRetries: 0, ...more, callerType: "workflow_node", callerId: nodeId, workflowId };
}

/**
 * Returns how long a call may wait for a slot or a rate limit; undefined for the queue's own timeout. Calls of a run
 * are not rejected by a full queue: a chain step and its nested calls wait as long as the step may take, and a call of
 * a model waits as long as the call itself may take, since a rejection would cost another model request.
 */
export function admissionTimeoutMs(
  { callerType, limitMs, workflowId }: CallContext,
  timeoutMs: number,
): number | undefined {
  if (callerType === "workflow_node") return validTimeoutMs(limitMs) ?? Infinity;
  return callerType === "conversation_agent" && workflowId !== undefined ? timeoutMs : undefined;
}

/**
 * Returns a duration that a timer supports, at most 24 hours. Invalid values (NaN, 0, strings from plain JavaScript)
 * count as not set: a tool may compute its timeout from arguments.
 */
export function validTimeoutMs(ms: unknown): number | undefined {
  return typeof ms === "number" && ms > 0 && Number.isFinite(ms) ? Math.min(ms, maxTimeoutMs) : undefined;
}

/** Returns why a context cannot be used: a timeout that no timer supports, or that is surely a mistake. */
export function checkTimeouts({ timeoutMs, limitMs, overrideTimeoutMs }: CallContext): Failure | undefined {
  if (timeoutMs !== undefined && !isTimeoutMs(timeoutMs)) return invalidContext("timeoutMs", timeoutMs);
  if (limitMs !== undefined && !isTimeoutMs(limitMs)) return invalidContext("limitMs", limitMs);
  if (overrideTimeoutMs !== undefined && !isTimeoutMs(overrideTimeoutMs))
    return invalidContext("overrideTimeoutMs", overrideTimeoutMs);
  return undefined;
}

function invalidContext(key: keyof CallContext, value: unknown): Failure {
  return failure("validation_error", invalidTimeout(key, value), { reason: "invalid_timeout", retry: "never" });
}

/** Returns the timeout of an attempt: the override, else that of the tool, else that of the caller; capped at `limitMs`. */
export function attemptTimeoutMs(tool: AnyTool, args: unknown, context: CallContext): number | undefined {
  const { timeoutMs, limitMs, overrideTimeoutMs } = context;
  const own = typeof tool.timeoutMs === "function" ? tool.timeoutMs(args) : tool.timeoutMs;
  const defaults = validTimeoutMs(overrideTimeoutMs) ?? validTimeoutMs(own) ?? validTimeoutMs(timeoutMs);
  const max = validTimeoutMs(limitMs);
  return defaults !== undefined && max !== undefined ? Math.min(defaults, max) : (defaults ?? max);
}

/** Returns the callers on the path to the calls and runs that a call with this context starts for another caller. */
export function callerPathBelow({ callerType = "direct", callerPath = [] }: CallContext): readonly CallerType[] {
  return callerPath.includes(callerType) ? callerPath : [...callerPath, callerType];
}

/** Target, arguments, context and parent of a call. */
export interface CallRequest {
  readonly target: string | AnyTool;
  readonly args: unknown;
  readonly context: CallContext;
  readonly parent?: Call;
  readonly isIndirect?: boolean;
}
