import type { AnyTool, Effect, Registration } from "../tool/index.ts";
import { type CallContext, type CallRequest, callerPathBelow } from "./call-context.ts";
import type { CallHandle } from "./internals.ts";
import { type UntrustedArguments, nestedUntrusted, untrustedArgumentsOf } from "./untrusted-targets.ts";

/** The reason why a call may run that is tainted, or that needs approval. */
export type Clearance =
  /** A rule says `trusted`. */
  | { readonly by: "rule" }
  | { readonly by: "preapproval"; readonly name: string }
  | {
      readonly by: "person";
      /** Tools whose destructive calls were approved with the call. */
      readonly covered: readonly string[] | undefined;
      /** Restores the approval if the call never runs. */
      readonly restore: (() => Promise<void>) | undefined;
    };

export const clearedByRule: Clearance = { by: "rule" };

/** The work of one call: tool, arguments and limits. */
export interface Job {
  readonly tool: AnyTool;
  readonly args: unknown;
  readonly effect: Effect;
  readonly callId: string;
  readonly idempotencyKey: string;
  /** Time at which everything before the execution was done, by the clock's elapsed time. */
  readonly readyAt: number;
  /** True if the caller has its result; identical calls may still wait for this work. */
  readonly isSettled: boolean;
  readonly context: CallContext;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** True for a nested call, which runs under the global slot of its root. */
  readonly nested: boolean;
  /** The registration of the tool, with its source. */
  readonly registration: Registration | undefined;
  /** True if a tool makes the call, not the caller itself. */
  readonly isIndirect: boolean;
  /** The call that contains this one. */
  readonly parent: Job | undefined;
  /** Called before the first attempt. */
  started(queuedMs: number): void;
  readonly clearance: Clearance | undefined;
  beginChild(target: string | AnyTool, args: unknown, more: CallContext): CallHandle;
  /** Called when the attempt is over: nothing that it started may outlive it. */
  stopChildren(): void;
  /** Called before another attempt: recreates its arguments. */
  renewArgs(): void | Promise<void>;
}

/** Tools whose calls a person approved with this call, or with one that contains it. */
export function coveredBy({ clearance, context }: Job): readonly string[] | undefined {
  return (clearance?.by === "person" ? clearance.covered : undefined) ?? context.covered;
}

/** The untrusted content in the arguments of a call, unless a rule or a person permitted them. */
export function uncleared({ clearance, context }: Job): UntrustedArguments | undefined {
  return isCleared(clearance) ? undefined : untrustedArgumentsOf(context);
}

/**
 * True if a model that reads the arguments reads untrusted content. A person's approval does not change that, because the
 * person sees the arguments, not their effect on a model; a `trusted` rule does.
 */
export function taintsReading({ clearance, context }: Job): boolean {
  return (context.tainted ?? false) !== false && clearance?.by !== "rule";
}

/** True if a tainted call may run, and its nested calls too. A preapproval does not apply to tainted calls. */
function isCleared(clearance: Clearance | undefined): boolean {
  return clearance !== undefined && clearance.by !== "preapproval";
}

/** True if the tool only chooses what runs. */
export function isChoosingJob({ registration }: Pick<Job, "registration">): boolean {
  return registration?.isChoice === true;
}

/**
 * Returns the context of a nested call, and whether its caller makes it indirectly. The context does not inherit what
 * belongs to the caller alone: signal, progress, hooks, limits. A chosen tool does inherit the caller's timeout.
 */
export function nestedCall(args: unknown, more: CallContext, parent: Job): Pick<CallRequest, "context" | "isIndirect"> {
  const { context, clearance } = parent;
  const covered = coveredBy(parent);
  const { signal: _s, onProgress: _p, hooks: _h, limitMs: _l, reuse: _r, strictValidation: _v, ...rest } = context;
  const { overrideTimeoutMs, ...inherited } = rest;
  // An approval covers the arguments of the parent, not the untrusted content that it reads afterwards.
  const isLed = more.tainted === true || (context.tainted === true && !isCleared(clearance));
  const tainted = isLed || (more.tainted ?? (taintsReading(parent) && "arguments"));
  // A new caller, such as the model of an agent, calls the tool itself.
  const isNewCaller = more.callerType !== undefined;
  const nested = {
    ...inherited,
    ...(isNewCaller && { callerPath: callerPathBelow(context) }),
    ...(covered !== undefined && { covered }),
    ...withoutUndefined(more),
    ...(overrideTimeoutMs !== undefined && chosenTimeout(parent, overrideTimeoutMs)),
    tainted,
    untrustedArguments: untrustedBelow(args, more, parent),
  };
  return { context: nested, isIndirect: !isNewCaller && (parent.isIndirect || !isChoosingJob(parent)) };
}

/** Undefined means not set: the value of the parent is inherited. */
function withoutUndefined(context: CallContext): CallContext {
  return Object.fromEntries(Object.entries(context).filter(([, value]) => value !== undefined));
}

/** The untrusted content of a nested call: as its caller states, or as the arguments of the parent contain it. */
function untrustedBelow(args: unknown, more: CallContext, parent: Job): UntrustedArguments | undefined {
  const stated = more.untrustedArguments;
  const outer = uncleared(parent);
  if (stated === undefined) return outer && nestedUntrusted(outer, parent.args, args);
  const { knowsUrl } = stated;
  const knowsOuter = outer?.knowsUrl;
  if (knowsOuter === undefined) return stated;
  return { ...stated, knowsUrl: (url) => knowsUrl?.(url) === true || knowsOuter(url) };
}

/** The timeout of a choice also holds for the tools that it calls, instead of the default limit of the choice. */
function chosenTimeout(parent: Job, overrideTimeoutMs: number): CallContext | undefined {
  return isChoosingJob(parent) ? { overrideTimeoutMs, limitMs: overrideTimeoutMs } : undefined;
}
