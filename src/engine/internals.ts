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
  /**
   * True if the listener runs no code of users: calls that it makes at once start at the time when this one ended, which
   * saves a reading of the clock.
   */
  readonly isImmediate?: boolean;
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

/** Returns the permission of a call of some tool by the current caller. */
export type DecidePermission = (subject: RuleSubject) => Permission;

/** The part of a {@link ToolContext} that is not public: for composites, and for tools that use models or principals. */
export interface CallInternals {
  /** Begins a nested call, which can be aborted. */
  readonly beginCall: BeginCall;
  /** The denials of the engine's permission rules; undefined if they deny nothing at all. */
  readonly denies: FindDenial | undefined;
  /** Applies the permission rules to nested calls of the call. */
  readonly decidePermission: DecidePermission;
  /** The callers on the path to what the call starts for another caller, the root caller first. */
  readonly callerPath: readonly CallerType[];
  /** Tools whose calls contain this call. */
  readonly callers: ReadonlySet<AnyTool>;
  /** True if a model, here or at a client, decided on the call or on one that contains it. */
  readonly isModelInitiated: boolean;
  /** Tools whose destructive calls a person approved with the call. */
  readonly covered: readonly string[] | undefined;
  /** True if a model that reads the arguments of the call reads untrusted content. */
  readonly isTainted: boolean;
  /** The untrusted content in the arguments, unless a person or a rule permitted them. */
  readonly untrusted: UntrustedArguments | undefined;
  /** Elicits approvals from the caller; undefined if no one can answer, or the person may not approve calls. */
  readonly elicitApproval: ((request: ElicitRequest) => Promise<ElicitResult>) | undefined;
  /** Reports progress to the caller; undefined if there is no listener, to save the work. */
  readonly progress: ((value: unknown) => void) | undefined;
  /** The person or account behind the call. */
  readonly principal: string | undefined;
  /** The account that is charged for model requests of the call. */
  readonly account: Account | undefined;
  /** The reuse setting of the caller. */
  readonly reuse: CallContext["reuse"];
  /** The id of the run that contains the call. */
  readonly runId: string | undefined;
  /** The journaled call that contains the call: the next lease holder of its run re-executes it with all nested calls. */
  readonly step: JournaledCall | undefined;
}

/** Returns the internals of the call whose handler got this context; undefined for one that is not of an engine. */
export function internals(context: ToolContext): CallInternals;
export function internals(context: object): CallInternals | undefined;
export function internals(context: object): CallInternals | undefined {
  // By name, not by class: the context may be of another copy of Windlass.
  return (context as { readonly internals?: CallInternals }).internals;
}
