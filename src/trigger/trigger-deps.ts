import type { Clock } from "../base/index.ts";
import type { ChainRuns, Plan, Trigger } from "../chain/index.ts";
import type { FileAccess } from "../file/index.ts";
import type { Redactor } from "../secrets/index.ts";
import type { TriggerStore } from "../store/index.ts";

/** A trigger of the files of a workspace. */
export interface DefinedTrigger {
  readonly trigger: Trigger;
  /** Why it cannot fire: its chain is not valid, it is not trusted, or another one has its id. */
  readonly fault?: { readonly status: "invalid" | "untrusted"; readonly message: string } | undefined;
}

/** The parts of a workspace that its triggers use. */
export interface TriggerDeps {
  readonly store: TriggerStore;
  readonly clock: Clock;
  /** The triggers of the files, as they are now. */
  readonly defined: () => readonly DefinedTrigger[];
  /** The chain of a trigger. Throws if it is not valid. */
  readonly plan: (chain: string) => Promise<Plan>;
  readonly runs: Pick<ChainRuns, "submit" | "cancel" | "result" | "statuses">;
  /** The value of a secret; undefined if it has none. */
  readonly secret: (name: string) => string | undefined;
  readonly redactor: Pick<Redactor, "known">;
  /** The folder of the workspace. */
  readonly dir: string;
  readonly files: Pick<FileAccess, "walk">;
  /** Called with errors of work without a caller, such as those of the database. */
  readonly onError: (error: unknown) => void;
}
