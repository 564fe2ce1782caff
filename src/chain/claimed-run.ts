import { canonicalJson, fail } from "../base/index.ts";
import { isRecord } from "../schema/index.ts";
import type { JournalEvent, NewRun, RunLease, StoredRun } from "../store/index.ts";
import type { Plan } from "./plan/plan.ts";
import { sameChains } from "./plan/snapshot.ts";
import type { ChainNotice } from "./texts/chain-text-table.ts";
import { type RunEnvironment, parseRunEnvironment } from "./run-environment.ts";

/** A run that is about to be created. */
export interface NewChainRun {
  readonly plan: Plan;
  /** File that the chain was read from; undefined if the chain is found by its name. */
  readonly file: string | undefined;
  readonly runId: string;
  readonly input: unknown;
  /** Events reused from an earlier run. */
  readonly events: readonly JournalEvent[];
  readonly rerunOf: string | undefined;
  /** Steps whose results are reused from an earlier run. */
  readonly reused?: readonly string[];
}

/** A run that this process holds. */
export interface OwnedRun extends RunEnvironment {
  readonly plan: Plan;
  readonly input: unknown;
  readonly lease: RunLease;
  readonly startedAt: number;
  readonly events: readonly JournalEvent[];
  /** Name of the person who cancelled the run, null if no name was given; undefined if it is not cancelled. */
  readonly cancelledBy?: string | null | undefined;
  /** Tools that must no longer be called. */
  readonly refused?: ReadonlySet<string>;
}

/** Restores the input and the environment that a run was started with. */
export function restoreRunInput(run: StoredRun): RunEnvironment & Pick<OwnedRun, "input" | "startedAt"> {
  const input: unknown = JSON.parse(run.input);
  return { input, startedAt: run.startedAt, ...parseRunEnvironment(run.context) };
}

/**
 * Joining a run requires the same chain with the same input and context; throws if they differ. Returns a notice for
 * the user, for example if the chain was edited in the meantime.
 */
export function checkSameRun(run: StoredRun, request: NewRun): ChainNotice | undefined {
  const other = (difference: string): Error =>
    fail(`run ${run.id} already exists, ${difference}`, { code: "run_exists" });
  if (run.kind !== request.kind || run.name !== request.name) throw other(`of the ${run.kind} ${run.name}`);
  const input = difference(JSON.parse(run.input), JSON.parse(request.input));
  if (input !== undefined) throw other(`with different input${input}`);
  const context = difference(parseRunEnvironment(run.context).context, parseRunEnvironment(request.context).context);
  if (context !== undefined) throw other(`with different context${context}`);
  if (sameChains(run.definition, request.definition)) return undefined;
  return { code: "chain_changed", params: { run: run.id, chain: run.name } };
}

/** Names whose values differ; empty if there are no names to list, undefined if nothing differs. */
function difference(before: unknown, now: unknown): string | undefined {
  if (canonicalJson(before) === canonicalJson(now)) return undefined;
  if (!isRecord(before) || !isRecord(now)) return "";
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const valueIn = (map: Readonly<Record<string, unknown>>, name: string): string =>
    Object.hasOwn(map, name) ? canonicalJson(map[name]) : "";
  const other = names.filter((name) => valueIn(before, name) !== valueIn(now, name));
  return `: ${other.slice(0, 5).join(", ")}${other.length > 5 ? ", …" : ""}`;
}
