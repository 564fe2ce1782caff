import type { Permission } from "../../engine/index.ts";
import { internals } from "../../engine/index.ts";
import { formatDuration } from "../../text/index.ts";
import type { Effect, ToolContext } from "../../tool/index.ts";
import type { Candidate, Choice } from "./candidate.ts";
import type { ChoiceInvocation } from "./choice-deps.ts";
import { prepareCandidate } from "./prepare-candidate.ts";
import { type ChoiceStrategy, choiceStrategyFor } from "./tool-kind.ts";

/** A candidate that can run with the arguments at hand. */
export interface RunnableCandidate {
  readonly candidate: Candidate;
  /** Arguments for the candidate. */
  readonly args: unknown;
  readonly effect: Effect;
  readonly permission: Permission;
}

/** A candidate that is not called, and why. */
export interface SkippedCandidate {
  readonly candidate: Candidate;
  readonly why: string;
}

/** The candidates that take part, best first, and those that do not. */
export interface CandidateSelection {
  readonly runnable: readonly RunnableCandidate[];
  readonly skipped: readonly SkippedCandidate[];
}

/** Finds out which candidates of a choice can run with these arguments. Some are always left if any can. */
export async function selectRunnable(invocation: ChoiceInvocation, context: ToolContext): Promise<CandidateSelection> {
  const { choice, world } = invocation;
  const now = world.clock.elapsed();
  const coolDownOf = ({ registration }: Candidate): number => world.breakers.coolDownMs(registration.tool, now);
  const coolingDown = choice.candidates.filter((candidate) => coolDownOf(candidate) > 0);
  const skipCoolingDown = (candidate: Candidate): SkippedCandidate => {
    const why = `it failed repeatedly and is cooling down for ${formatDuration(coolDownOf(candidate))}`;
    return { candidate, why };
  };
  const ready = await prepareAll(
    choice.candidates.filter((candidate) => !coolingDown.includes(candidate)),
    invocation,
    context,
  );
  const allowed = ready.runnable.filter(isAllowed);
  if (allowed.length > 0) {
    // A candidate with an approval, or with a reusable result, does not take turns with others.
    const { reuse } = internals(context);
    const takesTurns = ({ permission }: RunnableCandidate): boolean => permission === "allow" && reuse === undefined;
    const runnable = world.historyOf(choice.name).order(allowed, now, choice.byCapability ? takesTurns : undefined);
    const denied = ready.runnable.filter((each) => !isAllowed(each)).map(skipDenied);
    return { runnable, skipped: [...ready.skipped, ...denied, ...coolingDown.map(skipCoolingDown)] };
  }
  // A candidate that is cooling down is better than none; and if rules deny all of them, one is called to report the
  // denial.
  const others = await prepareAll(
    coolingDown.toSorted((a, b) => coolDownOf(a) - coolDownOf(b)),
    invocation,
    context,
  );
  const all = [...ready.runnable, ...others.runnable];
  const last = others.runnable.find(isAllowed) ?? all[0];
  const rest = all.filter((each) => each !== last);
  return {
    runnable: last === undefined ? [] : [last],
    skipped: [
      ...ready.skipped,
      ...others.skipped,
      ...rest.map((each) => (isAllowed(each) ? skipCoolingDown(each.candidate) : skipDenied(each))),
    ],
  };
}

/** Those candidates that can run, in their order. They are checked concurrently: one may take long. */
async function prepareAll(
  candidates: readonly Candidate[],
  invocation: ChoiceInvocation,
  context: ToolContext,
): Promise<{ readonly runnable: readonly RunnableCandidate[]; readonly skipped: readonly SkippedCandidate[] }> {
  const all = await Promise.all(candidates.map((candidate) => prepareCandidate(candidate, invocation, context)));
  return {
    runnable: all.flatMap((one) => ("why" in one ? [] : [one])),
    skipped: all.flatMap((one) => ("why" in one ? [one] : [])),
  };
}

function isAllowed({ permission }: RunnableCandidate): boolean {
  return permission !== "deny";
}

function skipDenied({ candidate }: RunnableCandidate): SkippedCandidate {
  return { candidate, why: "a rule denies it" };
}

/** True if the call has no side effects, so that it may run concurrently with another, or be discarded. */
export function isReadOnly({ effect }: Pick<RunnableCandidate, "effect">): boolean {
  return effect === "pure" || effect === "read";
}

/**
 * The candidates that run concurrently first, and the strategy for their results. The others follow one after another.
 */
export function firstBatch(
  runnable: readonly RunnableCandidate[],
  { kind }: Choice,
  maxParallel: number,
): { readonly strategy: ChoiceStrategy; readonly batch: readonly RunnableCandidate[] } {
  const mayRace = (each: RunnableCandidate): boolean =>
    isReadOnly(each) && each.permission === "allow" && each.candidate.joins;
  const [best] = runnable;
  // The best is not put behind others only because it has to run alone.
  const racing = best !== undefined && mayRace(best) ? runnable.filter(mayRace) : [];
  // Two are equivalent only if there is no third, including one that has to run alone.
  const others = runnable.filter(({ candidate }) => candidate.joins).length;
  const strategy = choiceStrategyFor(kind, kind === "other" && racing.length < others ? 0 : racing.length);
  const batch = strategy === "in_turn" ? [] : racing.slice(0, Math.max(1, maxParallel));
  return batch.length < 2 ? { strategy: "in_turn", batch: [] } : { strategy, batch };
}
