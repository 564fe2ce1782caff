import { canonicalJson, fail } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import type { NewRun, StoredRun } from "../../store/index.ts";

/** The parts of the input of a run, by their names. */
export type RunInput = Readonly<Record<string, unknown>>;

/**
 * The rule of run ids, for all kinds of runs: a caller who repeats an id joins the run that has it, or gets its recorded
 * result, if kind, name, principal and input are the same. Anything else throws `run_exists`; another principal learns
 * nothing else about the run. A joined run keeps the chain, the agent or the tool with which it began.
 *
 * @param inputOf Reads the parts of the input that a kind compares. Both runs are in their stored form.
 */
export function checkSameRun(run: StoredRun, request: NewRun, inputOf: (run: NewRun) => RunInput): void {
  const other = (difference: string): Error =>
    fail(`run ${run.id} already exists, ${difference}`, { code: "run_exists" });
  if (principalOf(run) !== principalOf(request)) throw other("for another principal");
  if (run.kind !== request.kind || run.name !== request.name) throw other(`of the ${run.kind} ${run.name}`);
  const [before, now] = [inputOf(run), inputOf(request)];
  for (const part of Object.keys(now)) {
    const names = difference(before[part], now[part]);
    if (names !== undefined) throw other(`with different ${part}${names}`);
  }
}

/** Every kind stores it in the context of its runs. */
function principalOf({ context }: NewRun): unknown {
  const { principal }: { readonly principal?: unknown } = JSON.parse(context) as object;
  return principal;
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
