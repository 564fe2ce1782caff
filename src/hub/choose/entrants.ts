import type { Permission } from "../../engine/index.ts";
import { reuseOf } from "../../engine/index.ts";
import { formatDuration } from "../../text/index.ts";
import type { Effect, ToolContext } from "../../tool/index.ts";
import type { Candidate, Choice } from "./candidate.ts";
import type { MadeChoice } from "./choice-world.ts";
import { prepareCandidate } from "./prepare-candidate.ts";
import { type Strategy, strategyFor } from "./tool-kind.ts";

/** A candidate that can run with the arguments at hand. */
export interface Entrant {
  readonly candidate: Candidate;
  /** What the candidate is called with. */
  readonly args: unknown;
  readonly effect: Effect;
  readonly permission: Permission;
}

/** A candidate that is not called, and why. */
export interface PassedOver {
  readonly candidate: Candidate;
  readonly why: string;
}

/** Who takes part, best first, and who does not. */
export interface Entrants {
  readonly entrants: readonly Entrant[];
  readonly passed: readonly PassedOver[];
}

/** Finds out which candidates of a choice can run with these arguments. Some are always left if any can. */
export async function findEntrants(made: MadeChoice, context: ToolContext): Promise<Entrants> {
  const { choice, world } = made;
  const now = world.clock.elapsed();
  const restOf = ({ registration }: Candidate): number => world.breakers.restMs(registration.tool, now);
  const tired = choice.candidates.filter((candidate) => restOf(candidate) > 0);
  const rests = (candidate: Candidate): PassedOver => {
    const why = `it failed several times in a row and rests for ${formatDuration(restOf(candidate))}`;
    return { candidate, why };
  };
  const awake = await readyOf(
    choice.candidates.filter((candidate) => !tired.includes(candidate)),
    made,
    context,
  );
  const able = awake.entrants.filter(isAllowed);
  if (able.length > 0) {
    // What was approved for one, or is to be used again, is not handed to the next in turn.
    const takesTurns = ({ permission }: Entrant): boolean => permission === "allow" && reuseOf(context) === undefined;
    const entrants = world.historyOf(choice.name).order(able, now, choice.byCapability ? takesTurns : undefined);
    const denied = awake.entrants.filter((entrant) => !isAllowed(entrant)).map(isDenied);
    return { entrants, passed: [...awake.passed, ...denied, ...tired.map(rests)] };
  }
  // One that rests is better than none; and where rules deny all of them, one is called to be told so.
  const others = await readyOf(
    tired.toSorted((a, b) => restOf(a) - restOf(b)),
    made,
    context,
  );
  const all = [...awake.entrants, ...others.entrants];
  const last = others.entrants.find(isAllowed) ?? all[0];
  const left = all.filter((entrant) => entrant !== last);
  return {
    entrants: last === undefined ? [] : [last],
    passed: [
      ...awake.passed,
      ...others.passed,
      ...left.map((entrant) => (isAllowed(entrant) ? rests(entrant.candidate) : isDenied(entrant))),
    ],
  };
}

/** Those of some candidates that can run, in their order. They are asked at the same time: one may take long. */
async function readyOf(
  candidates: readonly Candidate[],
  made: MadeChoice,
  context: ToolContext,
): Promise<{ readonly entrants: readonly Entrant[]; readonly passed: readonly PassedOver[] }> {
  const all = await Promise.all(candidates.map((candidate) => prepareCandidate(candidate, made, context)));
  return {
    entrants: all.flatMap((one) => ("why" in one ? [] : [one])),
    passed: all.flatMap((one) => ("why" in one ? [one] : [])),
  };
}

function isAllowed({ permission }: Entrant): boolean {
  return permission !== "deny";
}

function isDenied({ candidate }: Entrant): PassedOver {
  return { candidate, why: "a rule denies it" };
}

/** Changes nothing in the world, so that it may run beside another, or in vain. */
export function isHarmless({ effect }: Pick<Entrant, "effect">): boolean {
  return effect === "pure" || effect === "read";
}

/** Those that run at the same time, first of all, and what is made of them. The rest follow one after another. */
export function firstBatch(
  entrants: readonly Entrant[],
  { kind }: Choice,
  atOnce: number,
): { readonly strategy: Strategy; readonly batch: readonly Entrant[] } {
  const mayRace = (entrant: Entrant): boolean =>
    isHarmless(entrant) && entrant.permission === "allow" && entrant.candidate.joins;
  const [best] = entrants;
  // The best is not put behind others only because it has to run alone.
  const able = best !== undefined && mayRace(best) ? entrants.filter(mayRace) : [];
  // Two are alike only where there is no third, be it one that has to run alone.
  const others = entrants.filter(({ candidate }) => candidate.joins).length;
  const strategy = strategyFor(kind, kind === "other" && able.length < others ? 0 : able.length);
  const batch = strategy === "in_turn" ? [] : able.slice(0, Math.max(1, atOnce));
  return batch.length < 2 ? { strategy: "in_turn", batch: [] } : { strategy, batch };
}
