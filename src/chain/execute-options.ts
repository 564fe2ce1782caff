import type { Clock } from "../base/index.ts";
import type { Engine } from "../engine/index.ts";
import type { ApprovalStore, RunJournal, RunOwner } from "../store/index.ts";
import type { AskPerson } from "./host/run-approvals.ts";
import type { Elicit } from "../tool/index.ts";
import type { ChainLibrary } from "./library.ts";
import type { Plan } from "./plan/plan.ts";
import type { RunListener } from "./run/run-events.ts";
import type { RunObserver } from "./run/run-observer.ts";

/** Chains that are run from a file, and not by the name that they have in the library. */
export interface ChainFiles {
  /** Where a plan was read from; undefined for a chain of the library, and for one that was made of data. */
  fileOf(plan: Plan): string | undefined;
  /** The plan of such a file as it is now; undefined when it is gone. Throws with what is wrong with it. */
  load(file: string): Promise<Plan | undefined>;
}

/** What `ChainRuns` is made of. */
export interface ChainRunsParts {
  readonly engine: Engine;
  readonly journal: RunJournal;
  readonly approvals: ApprovalStore;
  readonly chains: ChainLibrary;
  /** For a rerun of what was run from a file; where absent, chains are found by their names. */
  readonly files?: ChainFiles;
  readonly owner: RunOwner;
  readonly env?: Readonly<Record<string, string>>;
  /** Sees all runs that are executed here. */
  readonly observer?: RunObserver | undefined;
  /** Ends what a run that is over has called and an earlier process left, such as agents; `by` where it was cancelled. */
  readonly endCalledBy?: (runId: string, by: string | undefined) => Promise<void>;
  readonly clock?: Clock;
}

/** How a run is executed, whether it begins or goes on. */
export interface ExecuteOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: RunListener;
  /** Answers questions to people right here. */
  readonly ask?: AskPerson;
  /** Asks whoever executes the run what its tools want to know; their questions are declined where absent. */
  readonly elicit?: Elicit;
  /** Stay and wait for people's decisions, instead of ending with status `waiting`. */
  readonly stay?: boolean;
  /** Told in a sentence what a person should know about the run, and what does not stop it. */
  readonly onNotice?: (message: string) => void;
}

/** What a new run takes. */
export interface StartOptions extends ExecuteOptions {
  readonly input?: unknown;
  readonly context?: Readonly<Record<string, unknown>>;
  /**
   * Letters, digits and `._-`, beginning with a letter or digit. The same id with the same chain, input and context
   * joins the run that has it.
   */
  readonly runId?: string;
  readonly principal?: string;
}
