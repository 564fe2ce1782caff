import type { CallRecord } from "../store/index.ts";
import type { AnyTool, Effect, Question, QuestionAnswer, ToolContext, ToolResult } from "../tool/index.ts";
import type { Approver } from "./approver.ts";
import type { Account, CallContext } from "./call-context.ts";
import type { Denies } from "./denials.ts";
import type { AbortCause } from "./failed-attempt.ts";
import type { Permission, PermissionSubject } from "./permissions.ts";

/** What the owner of a call takes into its own hands, such as a run that journals its steps. */
export interface CallHooks {
  /** Before the handler runs for the first time; it runs once the promise is fulfilled, and never if it is rejected. */
  started?(effect: Effect): void | Promise<void>;
  /** True when it takes the record, which the engine's store then does not get. */
  record?(record: CallRecord): boolean;
  /** Gets what the handler reports with `ctx.progress()` or yields, where the context has no `onProgress`. */
  progress?(value: unknown): void;
  /** Asked instead of the engine's approver. */
  readonly approver?: Approver | undefined;
  /** Asked about the calls that this one makes, and those below. */
  readonly innerApprover?: Approver | undefined;
  /** What this call is to a run; those below it are part of that. */
  readonly step?: CallStep | undefined;
}

/** A call of a run that is journaled, such as a step of a chain: another process may have to make it again. */
export interface CallStep {
  /** Whoever takes the run over makes it again: how it ends here counts for nothing. */
  readonly isLeft: boolean;
  /** It is left, or waits for a person: either way it is made again. */
  readonly isMadeAgain: boolean;
  /** Its run begins nothing more in this process. */
  readonly isClosing: boolean;
  /** Leaves it, and the run with it, to whoever comes next. */
  leave(): void;
  /**
   * It ends with a question of its own to a person, and is made again once that is decided, one way or the other. Where it
   * must not be made twice, gives the reason why it cannot wait.
   */
  waitsFor(question: CallQuestion): string | undefined;
}

/** What a person is to decide: an approval that is in the store. */
export interface CallQuestion {
  readonly approvalId: string;
  readonly tool: string;
  /** Secrets redacted. */
  readonly args: unknown;
  readonly message: string;
  /** It is about a call that was running when its process ended: a person may say that it was done. */
  readonly interrupted?: true;
}

/** Told how a call ended, once. Must not throw. */
export interface CallListener {
  ended(result: ToolResult): void;
}

/** A call that can be stopped without a signal of its own. */
export interface CallHandle {
  /** Makes the call; once. Never throws, and its promise never rejects. A value where nothing had to be waited for. */
  run(): ToolResult | Promise<ToolResult>;
  /** The same for whoever makes very many calls: the listener is told as soon as it is over, without a promise. */
  runFor(listener: CallListener): void;
  /** Stops it wherever it is; it still gives its result. */
  abort(cause: AbortCause): void;
}

/** Begins a call: of an engine, or nested under the call of a composite tool. */
export type BeginCall = (target: string | AnyTool, args: unknown, context: CallContext) => CallHandle;

/** Begins calls under the one whose handler got this context; they can be stopped. For composites. */
export function nestedCalls(context: ToolContext): BeginCall {
  // Every handler's context has it, also that of another copy of Windlass.
  return (context as ToolContext & { readonly beginCall: BeginCall }).beginCall;
}

/** What the rules of the engine refuse whose call this is. For composites that run chains. */
export function denialsOf(context: ToolContext): Denies | undefined {
  return (context as ToolContext & { readonly denies?: Denies }).denies;
}

/** What the rules say about a call of some tool by the present caller. */
export type Rulings = (subject: Omit<PermissionSubject, "callerType">) => Permission;

/** What the rules would say about calls within the one whose handler got this context. For composites that choose. */
export function rulingsOf(context: ToolContext): Rulings {
  return (context as ToolContext & { readonly rulings: Rulings }).rulings;
}

/** Asks whoever made the call whose handler got this context; undefined where nobody can be asked. For composites. */
export function elicitOf(context: ToolContext): ((question: Question) => Promise<QuestionAnswer>) | undefined {
  return (context as ToolContext & { readonly canElicit?: boolean }).canElicit === true ? context.elicit : undefined;
}

/** The same for approvals of calls; undefined also where whoever can be asked has no say in them. */
export function approvingElicitOf(context: ToolContext): ((question: Question) => Promise<QuestionAnswer>) | undefined {
  return (context as ToolContext & { readonly canApprove?: boolean }).canApprove === true ? context.elicit : undefined;
}

/** Tells whoever made the call how far it is; undefined where nobody listens, so that nothing is told in vain. */
export function progressOf(context: ToolContext): ((value: unknown) => void) | undefined {
  return (context as ToolContext & { readonly isHeard?: boolean }).isHeard === true ? context.progress : undefined;
}

/** The person or account behind the call whose handler got this context. For tools that keep what is theirs apart. */
export function principalOf(context: ToolContext): string | undefined {
  return (context as ToolContext & { readonly principal?: string }).principal;
}

/** The call of a run that is made again by whoever takes the run over, with all that is called within it. */
export function stepOf(context: ToolContext): CallStep | undefined {
  return (context as ToolContext & { readonly step?: CallStep }).step;
}

/** Does a model that reads the arguments of the call read text from outside? For composites that show them to one. */
export function isTainted(context: ToolContext): boolean {
  return (context as ToolContext & { readonly tainted?: boolean }).tainted === true;
}

/** Did a model, here or at a client, decide on the call, or on one that it is within? For composites that obey texts. */
export function isByModel(context: ToolContext): boolean {
  return (context as ToolContext & { readonly byModel?: boolean }).byModel === true;
}

/** The run that the call is a part of whose handler got this context, if it is of one. For composites that keep runs. */
export function runOf(context: ToolContext): string | undefined {
  return (context as ToolContext & { readonly workflowId?: string }).workflowId;
}

/** Who pays for what is asked of models by the call whose handler got this context. For tools that ask them. */
export function accountOf(context: object): Account | undefined {
  return (context as { readonly account?: Account }).account;
}

/** The tools within whose calls the one is made whose handler got this context. For composites that choose. */
export function callersOf(context: ToolContext): ReadonlySet<AnyTool> {
  return (context as ToolContext & { readonly callers?: ReadonlySet<AnyTool> }).callers ?? new Set();
}

/** For how long whoever made the call reuses results, if it does. For composites that hand that on. */
export function reuseOf(context: ToolContext): CallContext["reuse"] {
  return (context as ToolContext & { readonly reuse?: CallContext["reuse"] }).reuse;
}
