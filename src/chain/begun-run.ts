import { canonicalJson, fail } from "../base/index.ts";
import { isMap } from "../schema/index.ts";
import type { Claim, JournalEvent, NewRun, RunLease, StoredRun } from "../store/index.ts";
import type { Plan } from "./plan/plan.ts";
import { sameChains } from "./plan/snapshot.ts";
import { type Surroundings, readSurroundings } from "./surroundings.ts";

/** A run that is about to be made. */
export interface MadeRun {
  readonly plan: Plan;
  /** Where its chain was read from; undefined where that is found by its name. */
  readonly file: string | undefined;
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

/**
 * Joining a run means the same chain with the same input and context; throws where it is another. What a person should
 * know, such as that the chain was edited since, is given back.
 */
export function checkSameRun(run: StoredRun, asked: NewRun): string | undefined {
  const other = (what: string): Error => fail(`run ${run.id} exists already, ${what}`, { code: "run_exists" });
  if (run.chain !== asked.chain) throw other(`of the chain ${run.chain}`);
  const input = difference(JSON.parse(run.input), JSON.parse(asked.input));
  if (input !== undefined) throw other(`with other input${input}`);
  const context = difference(readSurroundings(run.context).context, readSurroundings(asked.context).context);
  if (context !== undefined) throw other(`with other context${context}`);
  if (sameChains(run.definition, asked.definition)) return undefined;
  return `the chain ${run.chain} has changed since run ${run.id} began; windlass rerun ${run.id} runs it as it is now`;
}

/** Which names have other values; empty where there are no names to tell, undefined where nothing differs. */
function difference(before: unknown, now: unknown): string | undefined {
  if (canonicalJson(before) === canonicalJson(now)) return undefined;
  if (!isMap(before) || !isMap(now)) return "";
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const valueIn = (map: Readonly<Record<string, unknown>>, name: string): string =>
    Object.hasOwn(map, name) ? canonicalJson(map[name]) : "";
  const other = names.filter((name) => valueIn(before, name) !== valueIn(now, name));
  return `: ${other.slice(0, 5).join(", ")}${other.length > 5 ? ", …" : ""}`;
}
