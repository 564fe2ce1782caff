import type { RequestApproval, JournaledCall } from "../../engine/index.ts";
import type {
  JournalEvent,
  NewRun,
  RunEnd,
  RunKindId,
  RunLease,
  RunRecording,
  RunStatus,
  StoredRun,
} from "../../store/index.ts";
import type { Elicit } from "../../tool/index.ts";
import type { RunCalls } from "../call-runner.ts";
import type { Host } from "../host.ts";
import type { RunInput } from "./same-run.ts";

/** Options for executing a run of any kind, new or resumed. */
export interface RunExecuteOptions {
  readonly signal?: AbortSignal;
  /** Decides approvals in this process. If omitted, a run that needs one is suspended. */
  readonly requestApproval?: RequestApproval;
  /** Forwards elicitations of tools to the process that executes the run. Default: they are declined. */
  readonly elicit?: Elicit;
  /** Wait for decisions, instead of ending with status `waiting`. */
  readonly waitForDecisions?: boolean;
  /** Called when this process has claimed the run and can execute it; not for a run that has ended. */
  readonly onResumed?: (() => void) | undefined;
  /** The call of another run that this run is nested in: if that call is released, so is this run. */
  readonly step?: JournaledCall | undefined;
}

/** A run whose lease this process holds, with its journal so far. */
export interface HeldRun extends RunRecording {
  readonly lease: RunLease;
  /** Its status before it was claimed; a new run is `running`. */
  readonly was: RunStatus;
}

/** The person who cancelled a run: null if unnamed, undefined if it is not cancelled. */
export function cancellerOf(run: StoredRun): string | null | undefined {
  return run.cancelRequested ? (run.cancelBy ?? null) : undefined;
}

/** A run that is about to be stored. */
export interface PreparedRun<Result> {
  readonly run: NewRun;
  /** Results that it reuses from another run. */
  readonly events?: readonly JournalEvent[];
  /** Called if the run with this id is joined instead. */
  readonly onJoined?: (existing: StoredRun) => void;
  program(lease: RunLease): RunExecution<Result>;
}

/** The program of a run: it decides what happens next, and a host does it. */
export interface RunExecution<Result> {
  readonly startedAt: number;
  /** The outcomes so far; they are replayed. */
  readonly events: readonly JournalEvent[];
  readonly calls: RunCalls;
  /** Identity that its approvals are requested for. */
  readonly principal?: string | undefined;
  /** The person who cancelled it: null if unnamed, undefined if it is not cancelled. */
  readonly cancelledBy?: string | null | undefined;
  /** Observes the execution of the run. */
  readonly observe?: ((execute: () => Promise<Result>) => Promise<Result>) | undefined;
  /** Drives the run on its host until it ends, or until it is suspended. */
  drive(host: Host): Promise<DrivenRun<Result>>;
}

/** A run after its last step in this process. */
export interface DrivenRun<Result> {
  /** The end of the run; its status is `waiting` if the run is suspended. */
  readonly end: RunEnd;
  /**
   * True if a released run has nothing to do before a person decides; it then is not offered to other processes. Default:
   * false.
   */
  readonly onlyWaits?: boolean;
  /** Called when the end is durable and the approvals of the run are closed. Returns the result for the caller. */
  ended(status: RunStatus): Result | Promise<Result>;
}

/**
 * A kind of runs, such as those of chains. It registers itself with a {@link RunService}, which stores, leases, executes,
 * suspends, resumes and cancels the runs of all kinds in the same way.
 */
export interface RunKind<Spec, Options extends RunExecuteOptions, Result> {
  readonly id: RunKindId;
  /** True if the programs of its runs use `${secret.NAME}`; the journal then stores such values as handles. */
  readonly usesSecrets: boolean;
  /** Prepares a run. Throws if it cannot start here; nothing is stored then. */
  prepare(spec: Spec, options: Options): PreparedRun<Result> | Promise<PreparedRun<Result>>;
  /** The parts of its input: those with the same id must be equal, see {@link checkSameRun}. */
  inputOf(run: NewRun): RunInput;
  /**
   * The names of the external events that a run of this kind may wait for; undefined if that is known only when it runs.
   * Without the method: none.
   */
  eventsOf?(run: StoredRun): ReadonlySet<string> | undefined;
  /** The program of a claimed run. Throws if it cannot resume here; the run is then released unchanged. */
  program(held: HeldRun, options: Options): RunExecution<Result> | Promise<RunExecution<Result>>;
  /** Returns the result of a run, or its state so far, from its journal; executes nothing. */
  describe(stored: RunRecording): Promise<Result>;
}

/** A kind whose types do not matter. */
// oxlint-disable-next-line typescript/no-explicit-any -- kinds differ in all of their types
export type AnyRunKind = RunKind<any, any, any>;
