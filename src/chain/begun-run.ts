import { canonicalJson, fail } from "../base/index.ts";
import type { Claim, JournalEvent, RunLease, StoredRun } from "../store/index.ts";
import type { Plan } from "./plan/plan.ts";
import { type Surroundings, readSurroundings } from "./surroundings.ts";

/** A run that is about to be made. */
export interface MadeRun {
  readonly plan: Plan;
  readonly runId: string;
  readonly input: unknown;
  /** Taken over from an earlier run. */
  readonly events: readonly JournalEvent[];
  readonly rerunOf: string | undefined;
}

/** A run that this process owns. */
export interface BegunRun extends Surroundings {
  readonly plan: Plan;
  readonly input: unknown;
  readonly lease: RunLease;
  readonly startedAt: number;
  readonly events: readonly JournalEvent[];
  /** Who wanted it cancelled, null where nobody was named; undefined while nobody does. */
  readonly cancelledBy?: string | null | undefined;
  /** Tools that are not called any more. */
  readonly refused?: ReadonlySet<string>;
}

/** A run that this process took over. */
export type TakenRun = Omit<Extract<Claim, { kind: "claimed" }>, "kind">;

/** What a run was begun with. */
export function recalled(run: StoredRun): Surroundings & Pick<BegunRun, "input" | "startedAt"> {
  const input: unknown = JSON.parse(run.input);
  return { input, startedAt: run.startedAt, ...readSurroundings(run.context) };
}

/** Joining a run means the same chain with the same input; throws where it is another. */
export function checkSameRun(run: StoredRun, chain: string, input: unknown): void {
  const same = run.chain === chain && canonicalJson(JSON.parse(run.input)) === canonicalJson(input);
  if (same) return;
  const what = run.chain === chain ? "with other input" : `of the chain ${run.chain}`;
  throw fail(`run ${run.id} exists already, ${what}`, { code: "run_exists" });
}
