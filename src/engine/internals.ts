import type { CallRecord, CallerType } from "../store/index.ts";
import type { AnyTool, Effect, ElicitRequest, ElicitResult, ToolContext, ToolResult } from "../tool/index.ts";
import type { Approver } from "./approver.ts";
import type { Account, CallContext } from "./call-context.ts";
import type { FindDenial } from "./denials.ts";
import type { AbortCause } from "./handler-failure.ts";
import type { Permission, RuleSubject } from "./permissions.ts";
import type { UntrustedArguments } from "./untrusted-targets.ts";

/** Hooks for the owner of a call, such as a run that journals its steps. */
export interface CallHooks {
  /**
   * Called before the handler runs for the first time. The handler waits for the promise, and never runs if it rejects.
   */
  started?(effect: Effect): void | Promise<void>;
  /** Returns true if it stores the record itself; the engine's store then does not get it. */
  record?(record: CallRecord): boolean;
  /**
   * Receives the values that the handler reports with `ctx.progress()` or yields, if the context has no `onProgress`.
   */
  progress?(value: unknown): void;
  /** Attempts of the same work that were separate calls before this one. Default: 0. */
  readonly earlierAttempts?: number;
  /** Used instead of the engine's approver. */
  readonly approver?: Approver | undefined;
  /** Approver for the nested calls of this call, at any depth. */
  readonly innerApprover?: Approver | undefined;
  /** The journaled call of a run that this call is; its nested calls are part of it. */
  readonly step?: JournaledCall | undefined;
}

/** A journaled call of a run, such as a step of a chain. Another process may have to re-execute it. */
export interface JournaledCall {
  /** True if the run was released: the next lease holder re-executes this call, and its outcome here is ignored. */
  readonly isReleased: boolean;
  /** True if the call was released, or waits for an approval: in both cases it will be re-executed. */
  readonly willReexecute: boolean;
  /** True if the run starts nothing more in this process. */
  readonly isClosing: boolean;
  /** Releases the call, and its run, for the next lease holder. */
  release(): void;
  /**
   * Ends the call with a pending approval of its own; it is re-executed after any decision. If it must not run twice,
   * returns the reason why it cannot be suspended.
   */
  suspendFor(approvalHandle: CallApproval): string | undefined;
}

/** A pending approval in the store. */
export interface CallApproval {
  readonly approvalId: string;
  readonly tool: string;
  /** Secrets redacted. */
  readonly args: unknown;
  readonly message: string;
  /** The call was running when its process ended, so the approver may also report that it was done. */
  readonly interrupted?: true;
}

/** Receives the result of a call, once. Must not throw. */
export interface CallListener {
  ended(result: ToolResult): void;
}

/** A call that can be aborted without a signal of its own. */
export interface CallHandle {
  /**
   * Executes the call; call it once. Never throws, and its promise never rejects. Returns a value, not a promise, if
   * nothing had to be awaited.
   */
  run(): ToolResult | Promise<ToolResult>;
  /** Same as `run`, for callers that make very many calls: the listener receives the result without a promise. */
  runFor(listener: CallListener): void;
  /** Aborts the call in any stage; it still returns a result. */
  abort(cause: AbortCause): void;
}

/** Begins a call: of an engine, or nested under the call of a composite tool. */
export type BeginCall = (target: string | AnyTool, args: unknown, context: CallContext) => CallHandle;

/** Begins nested calls of the call whose handler got this context; they can be aborted. For composites. */
export function nestedCalls(context: ToolContext): BeginCall {
  // Every handler context has it, including contexts of another copy of Windlass.
  return (context as ToolContext & { readonly beginCall: BeginCall }).beginCall;
}

/** Returns the denials of the engine's permission rules. For composites that run chains. */
export function denialsOf(context: ToolContext): FindDenial | undefined {
  return (context as ToolContext & { readonly denies?: FindDenial }).denies;
}

/** Returns the callers on the path to what this call starts for another caller, the root caller first. For composites. */
export function callerPathOf(context: ToolContext): readonly CallerType[] {
  return (context as ToolContext & { readonly callerPath?: readonly CallerType[] }).callerPath ?? [];
}

/** Returns the tools whose destructive calls a person approved with this call. For composites that store runs. */
export function coveredBy(context: ToolContext): readonly string[] | undefined {
  return (context as ToolContext & { readonly covered?: readonly string[] }).covered;
}

/** Returns the permission of a call of some tool by the current caller. */
export type DecidePermission = (subject: RuleSubject) => Permission;

/**
 * Returns a function that applies the permission rules to nested calls of the call whose handler got this context. For
 * composites that choose.
 */
export function permissionsOf(context: ToolContext): DecidePermission {
  return (context as ToolContext & { readonly rulings: DecidePermission }).rulings;
}

/** Returns the function that elicits input from the caller; undefined if no one can answer. For composites. */
export function elicitOf(context: ToolContext): ((approvalHandle: ElicitRequest) => Promise<ElicitResult>) | undefined {
  return (context as ToolContext & { readonly canElicit?: boolean }).canElicit === true ? context.elicit : undefined;
}

/**
 * Same as {@link elicitOf} for approvals of calls; also undefined if the person who would answer may not approve calls.
 */
export function approvingElicitOf(
  context: ToolContext,
): ((approvalHandle: ElicitRequest) => Promise<ElicitResult>) | undefined {
  return (context as ToolContext & { readonly canApprove?: boolean }).canApprove === true ? context.elicit : undefined;
}

/** Returns the function that reports progress to the caller; undefined if there is no listener, to save the work. */
export function progressOf(context: ToolContext): ((value: unknown) => void) | undefined {
  return (context as ToolContext & { readonly hasProgressListener?: boolean }).hasProgressListener === true
    ? context.progress
    : undefined;
}

/**
 * Returns the person or account behind the call whose handler got this context. For tools that separate data by
 * principal.
 */
export function principalOf(context: ToolContext): string | undefined {
  return (context as ToolContext & { readonly principal?: string }).principal;
}

/**
 * Returns the journaled call that contains this call. The next lease holder of the run re-executes it with all its
 * nested calls.
 */
export function journaledCallOf(context: ToolContext): JournaledCall | undefined {
  return (context as ToolContext & { readonly step?: JournaledCall }).step;
}

/**
 * True if a model that reads the arguments of the call reads untrusted content. For composites that show them to a
 * model.
 */
export function isTainted(context: ToolContext): boolean {
  return (context as ToolContext & { readonly tainted?: boolean }).tainted === true;
}

/**
 * Returns the untrusted content in the arguments of the call whose handler got this context, unless a person or a rule
 * permitted them. For composites that pass them on.
 */
export function untrustedOf(context: ToolContext): UntrustedArguments | undefined {
  return (context as ToolContext & { readonly untrusted?: UntrustedArguments }).untrusted;
}

/**
 * True if a model, here or at a client, decided on the call or on one that contains it. For composites that follow
 * instructions in texts.
 */
export function isModelInitiated(context: ToolContext): boolean {
  return (context as ToolContext & { readonly byModel?: boolean }).byModel === true;
}

/**
 * Returns the id of the run that contains the call whose handler got this context, if any. For composites that store
 * runs.
 */
export function runOf(context: ToolContext): string | undefined {
  return (context as ToolContext & { readonly workflowId?: string }).workflowId;
}

/**
 * Returns the account that is charged for model requests of the call whose handler got this context. For tools that use
 * models.
 */
export function accountOf(context: object): Account | undefined {
  return (context as { readonly account?: Account }).account;
}

/** Returns the tools whose calls contain the call whose handler got this context. For composites that choose. */
export function callersOf(context: ToolContext): ReadonlySet<AnyTool> {
  return (context as ToolContext & { readonly callers?: ReadonlySet<AnyTool> }).callers ?? new Set();
}

/** Returns the caller's reuse setting, if any. For composites that pass it on. */
export function reuseOf(context: ToolContext): CallContext["reuse"] {
  return (context as ToolContext & { readonly reuse?: CallContext["reuse"] }).reuse;
}
