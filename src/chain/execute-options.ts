import type { Clock } from "../base/index.ts";
import type { Engine } from "../engine/index.ts";
import type { ApprovalStore, RunJournal, RunOwner } from "../store/index.ts";
import type { AskPerson } from "./host/run-approvals.ts";
import type { ChainLibrary } from "./library.ts";
import type { RunListener } from "./run/run-events.ts";

/** What `ChainRuns` is made of. */
export interface ChainRunsParts {
  readonly engine: Engine;
  readonly journal: RunJournal;
  readonly approvals: ApprovalStore;
  readonly chains: ChainLibrary;
  readonly owner: RunOwner;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

/** How a run is executed, whether it begins or goes on. */
export interface ExecuteOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: RunListener;
  /** Answers questions to people right here. */
  readonly ask?: AskPerson;
  /** Stay and wait for people's decisions, instead of ending with status `waiting`. */
  readonly stay?: boolean;
}

/** What a new run takes. */
export interface StartOptions extends ExecuteOptions {
  readonly input?: unknown;
  readonly context?: Readonly<Record<string, unknown>>;
  /**
   * Letters, digits and `._-`, beginning with a letter or digit. The same id with the same chain and input joins the
   * run that has it.
   */
  readonly runId?: string;
  readonly principal?: string;
}
