import type { Engine } from "../engine/index.ts";
import type { CallerType } from "../store/index.ts";
import type { RunExecuteOptions, RunServiceSource } from "../run/index.ts";
import type { ChainLibrary } from "./chain-library.ts";
import type { Plan } from "./plan/plan.ts";
import type { RunListener } from "./interpreter/run-events.ts";
import type { ChainNoticeListener } from "./texts/chain-text-table.ts";
import type { RunObserver } from "./interpreter/run-facts.ts";

/** Chains that are run from a file, not by their name in the library. */
export interface ChainFileLookup {
  /** File that a plan was read from; undefined for a chain of the library, and for one that was made from data. */
  fileOf(plan: Plan): string | undefined;
  /** The current plan of such a file; undefined if the file no longer exists. Throws with its problems. */
  load(file: string): Promise<Plan | undefined>;
}

/** The parts of a workspace that runs of chains use. */
export interface ChainRunParts {
  readonly engine: Engine;
  readonly chains: ChainLibrary;
  /** For a rerun of a chain that was run from a file. Default: chains are found by name. */
  readonly files?: ChainFileLookup;
  readonly env?: Readonly<Record<string, string>>;
  /** Observes all runs that are executed here. */
  readonly observer?: RunObserver | undefined;
  /**
   * Ends unfinished sub-runs, such as agents, that a finished run called in an earlier process; `by` if it was
   * cancelled.
   */
  readonly cancelSubRuns?: (runId: string, by: string | undefined) => Promise<void>;
}

/** Dependencies of `ChainRuns`, with the service that stores and executes the runs. */
export type ChainRunsDeps = ChainRunParts & RunServiceSource;

/** Options for executing a run, new or resumed. */
export interface ExecuteRunOptions extends Omit<RunExecuteOptions, "step"> {
  readonly onEvent?: RunListener;
  /** Receives notices about the run that the user should see and that do not stop it, as text and as data. */
  readonly onNotice?: ChainNoticeListener;
}

/** The caller that starts a run. */
export interface RunCallerOptions {
  /** The root caller: permission rules that deny a tool to it apply to the steps of the run. Default: `direct`. */
  readonly callerType?: CallerType;
  /** Set to true if the input is untrusted: a step whose target the input decides then needs approval. */
  readonly tainted?: boolean;
}

/** Options of a new run. */
export interface StartRunOptions extends ExecuteRunOptions, RunCallerOptions {
  readonly input?: unknown;
  readonly context?: Readonly<Record<string, unknown>>;
  /**
   * Letters, digits and `._-`, beginning with a letter or digit. The same id with the same chain, input, context
   * and principal joins the run that has it.
   */
  readonly runId?: string;
  readonly principal?: string;
}
