import type { CallerType } from "../store/index.ts";
import type { Elicit } from "../tool/index.ts";
import type { CallHooks } from "./call-hooks.ts";

/** Who calls, on whose behalf, and with which limits. Every field is optional. */
export interface CallContext {
  /** `direct` where absent. */
  readonly callerType?: CallerType;
  readonly callerId?: string;
  /** The person or account behind the caller; permission, cache and records are kept apart by it. */
  readonly principal?: string;
  readonly conversationId?: string;
  readonly workflowId?: string;
  /** Deadline of one attempt, where the tool states none; 30 s where absent. */
  readonly timeoutMs?: number;
  /** The most an attempt may take, whatever the tool states. */
  readonly limitMs?: number;
  /** Further attempts after a failure that is safe to retry; 3 where absent. Nested calls and chain steps get none. */
  readonly maxRetries?: number;
  /** Higher goes first under the `priority` strategy. */
  readonly priority?: number;
  /** Values that calls of one conversation or run share. */
  readonly variables?: Record<string, unknown>;
  readonly signal?: AbortSignal;
  /** The same for every attempt of the same work; the call's id where absent. */
  readonly idempotencyKey?: string;
  /**
   * Text from outside could have led to this call: it is asked about when it is destructive, also where a rule allows
   * it, unless the rule says `trusted`. Holds for the calls within it, too. `arguments`: somebody else decided on the call,
   * and only its arguments hold such text; then it matters to models that read them.
   */
  readonly tainted?: boolean | "arguments";
  /** Gets what the handler reports with `ctx.progress()` or yields. */
  readonly onProgress?: (value: unknown) => unknown;
  /** Asks a person what a tool has to know; the calls within this one may ask too. Declined where absent. */
  readonly elicit?: Elicit;
  /** Reuses results of a `pure` or `read` tool for this long, whatever the tool states; `key` stands for the arguments. */
  readonly reuse?: { readonly ttlMs: number; readonly key?: unknown };
  readonly hooks?: CallHooks;
  /** Who pays for what is asked of models within this call and those below, such as an agent's run with its budget. */
  readonly account?: Account;
}

/** Pays for what tools ask of models. */
export interface Account {
  /** Takes note of what a question used; more may be said of it, such as its `cost`. */
  spend(usage: { readonly inputTokens: number; readonly outputTokens: number }): void;
}

/**
 * The context of a call that an agent makes in a conversation.
 *
 * @example
 * ```ts
 * await engine.call("echo", { message: "hi" }, forConversation("agent-1", "conversation-1"));
 * ```
 */
export function forConversation(agentId: string, conversationId: string, more: CallContext = {}): CallContext {
  return { ...more, callerType: "conversation_agent", callerId: agentId, conversationId };
}

/**
 * The context of a chain step: it passes by the global limit, waits for a rate or a place of its category without the
 * queue's time limit, and its retries are the chain's business.
 */
export function forWorkflow(workflowId: string, nodeId: string, more: CallContext = {}): CallContext {
  return { maxRetries: 0, ...more, callerType: "workflow_node", callerId: nodeId, workflowId };
}

/**
 * How long a call waits for a place or for a rate; undefined for the queue's own limits. Callers of a run are not told to
 * come back later: a chain step, and whatever is called within one, waits as long as its step may take, and a call that a
 * model wants as long as the call itself may take, since a refusal would cost a question to the model.
 */
export function patience({ callerType, limitMs, workflowId }: CallContext, timeoutMs: number): number | undefined {
  if (callerType === "workflow_node") return timeLimit(limitMs) ?? Infinity;
  return callerType === "conversation_agent" && workflowId !== undefined ? timeoutMs : undefined;
}

/** A time that a clock can measure; what is none (NaN, 0, text from plain JavaScript) counts as not stated. */
export function timeLimit(ms: unknown): number | undefined {
  return typeof ms === "number" && ms > 0 && Number.isFinite(ms) ? ms : undefined;
}

/** How long an attempt may take: what the tool states, else what the caller states, but no longer than its limit. */
export function attemptLimit(own: unknown, { timeoutMs, limitMs }: CallContext): number | undefined {
  const usual = timeLimit(own) ?? timeLimit(timeoutMs);
  const most = timeLimit(limitMs);
  return usual !== undefined && most !== undefined ? Math.min(usual, most) : (usual ?? most);
}
