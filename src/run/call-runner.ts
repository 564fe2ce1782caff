import type { Approver, CallContext } from "../engine/index.ts";
import type { CallRecord } from "../store/index.ts";
import type { SecretArgument } from "../expr/index.ts";
import type { Effect, TargetKind, ToolError, ToolResult, ToolSuccess } from "../tool/index.ts";
import type { CallOutcome, CallWork, InterruptedOutcome } from "./host.ts";

/**
 * One call of one tool as plain JSON data: everything that a worker with the workspace needs to make it. Where the
 * arguments contain a secret, they hold only its name, until the worker opens {@link CallRequest.secrets}.
 */
export interface CallRequest extends CallWork {
  readonly runId: string;
  /** Key of the call in the journal of its run. */
  readonly key: string;
  readonly secrets?: readonly SecretArgument[] | undefined;
  readonly callerType: NonNullable<CallContext["callerType"]>;
  /** Default: the key. */
  readonly callerId?: string | undefined;
  /** The callers of the calls and runs that contain this call, the root caller first. */
  readonly callerPath?: CallContext["callerPath"] | undefined;
  /** Tools whose destructive calls a person approved with the call that contains this one. */
  readonly covered?: readonly string[] | undefined;
  readonly principal?: string | undefined;
  readonly conversationId?: string | undefined;
  /** Untrusted content may have caused the call, or is in its arguments. */
  readonly tainted?: boolean | "arguments" | undefined;
  readonly untrusted?: UntrustedContent | undefined;
  readonly maxRetries?: number | undefined;
  /** Category of the tool, whose limits the call counts against. */
  readonly bucket?: string | undefined;
  /** Fingerprint of the tool as of the time of planning: a worker with another tool of this name must not call it. */
  readonly fingerprint?: string | undefined;
  /** The start of its handler, if the journal has one and no end: an earlier process was making this call. */
  readonly started?: { readonly at: number; readonly effect: Effect } | undefined;
}

/** The untrusted content in the arguments of a call. */
export interface UntrustedContent {
  /** The untrusted parameters, each with its text in the file; null if there is none. `all`: every parameter. */
  readonly parameters: readonly (readonly [name: string, written: unknown])[] | "all";
  /** Kinds of targets that untrusted content may decide. */
  readonly allowed?: readonly TargetKind[] | undefined;
  /** The URLs in the arguments that appear verbatim in the prompt, or in an earlier result of the run. */
  readonly knownUrls?: readonly string[] | undefined;
}

/** The outcome of a call without images and files: a journal holds JSON, and steps can only see the output. */
interface CallEndOutcome extends Omit<CallOutcome, "result"> {
  readonly result: Omit<ToolSuccess, "attachments"> | ToolError;
}

/** The end of a call, as one value of plain JSON data. */
export interface CallEnd {
  readonly outcome: CallEndOutcome | InterruptedOutcome;
  /** Epoch milliseconds, by the clock of its worker. Default: now. */
  readonly at?: number | undefined;
  /** The record of the call. Undefined if its worker has stored it. */
  readonly record?: CallRecord | undefined;
  /** The worker closes and gave the call up: the next lease holder of the run re-executes it. */
  readonly isReleased?: true | undefined;
}

/** The run that a call belongs to, as its runner sees it. */
export interface CallSink {
  /**
   * Called before the handler runs. The handler waits for the promise, and never runs if it rejects.
   */
  started(effect: Effect): Promise<void> | undefined;
  progress(value: unknown): void;
  /** Called once, also while the call begins. */
  ended(end: CallEnd): void;
  /** True if the run stores the records of its calls with their outcomes. */
  readonly isDurable: boolean;
  /** True if the run is nested in a call of another run, and is re-executed with that call. */
  readonly isNested: boolean;
  /** True if the run starts nothing more in this process. */
  readonly isClosing: boolean;
  /** Approver of the call. Undefined: the approver of the engine. */
  readonly approver: RunApprover | undefined;
  /** Approver of the calls that the tool makes itself. */
  readonly innerApprover: RunApprover | undefined;
}

/** An approver of a run: its answer also says what the outcome of a call that waits is to contain. */
export interface RunApprover extends Approver {
  requestApproval(
    ...request: Parameters<Approver["requestApproval"]>
  ): Promise<Awaited<ReturnType<Approver["requestApproval"]>> & { readonly needs?: NeededApproval }>;
}

/** The approvals that a call waits for, in its outcome. */
export type NeededApproval = Pick<CallOutcome, "pendingApproval" | "approvalKey">;

/** A call that a runner is making. */
export interface RunningCall {
  /** Aborts the call; it still ends. */
  stop(cause: "cancelled" | "timeout"): void;
  /** The process gives up the run: the next lease holder makes the call again, and its end is ignored here. */
  detach(): void;
}

/**
 * Makes calls: in this process, elsewhere, as a dry run, or from a recording. Every call ends exactly once, and an
 * exception is a bug of the runner.
 */
export interface CallRunner {
  begin(call: CallRequest, sink: CallSink): RunningCall;
}

/** The calls of one run: what its program leaves open about them, and where they are made. */
export interface RunCalls {
  readonly runner: CallRunner;
  /** The result of a call that the run may not make. Undefined for all others. */
  refuse?(work: CallWork): ToolResult | undefined;
  /** Adds the facts that follow from the run. */
  request(key: string, work: CallWork): CallRequest;
  /** Receives the result of every call that was made. */
  ended?(call: CallRequest, result: ToolResult): void;
}

/** Ends a call that is not made, with this result. */
export function endAtOnce(sink: CallSink, result: ToolResult): RunningCall {
  sink.ended({ outcome: { kind: "call", result, effect: undefined } });
  return overCall;
}

/** A sink with these changes. */
export function wrapSink(
  sink: CallSink,
  changes: Partial<Pick<CallSink, "started" | "ended" | "isNested" | "approver" | "innerApprover">>,
): CallSink {
  const { isDurable, isNested } = sink;
  return {
    started: changes.started ?? ((effect) => sink.started(effect)),
    progress: (value) => sink.progress(value),
    ended: changes.ended ?? ((end) => sink.ended(end)),
    isDurable,
    isNested: changes.isNested ?? isNested,
    get isClosing() {
      return sink.isClosing;
    },
    get approver() {
      return changes.approver ?? sink.approver;
    },
    get innerApprover() {
      return changes.innerApprover ?? sink.innerApprover;
    },
  };
}

/** A call that has ended. */
export const overCall: RunningCall = { stop: () => {}, detach: () => {} };
