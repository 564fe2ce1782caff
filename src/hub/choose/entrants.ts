import type { Issue } from "../../base/index.ts";
import { type Permission, effectOf, rulingsOf } from "../../engine/index.ts";
import { formatDuration } from "../../text/index.ts";
import type { AnyTool, Effect, ToolContext } from "../../tool/index.ts";
import { type Candidate, type Choice, argumentsFor } from "./candidate.ts";
import type { MadeChoice } from "./choice-world.ts";
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
export async function findEntrants({ choice, world, args }: MadeChoice, context: ToolContext): Promise<Entrants> {
  const { clock, breakers, isAvailable } = world;
  const now = clock.elapsed();
  const passed: PassedOver[] = [];
  const ready: Entrant[] = [];
  const rulings = rulingsOf(context);
  for (const candidate of world.historyOf(choice.name).order(choice.candidates, now, choice.byCapability)) {
    const { tool } = candidate.registration;
    const prepared = isAvailable(tool) ? await prepare(candidate, choice, args) : "it is switched off";
    if (typeof prepared === "string") {
      passed.push({ candidate, why: prepared });
      continue;
    }
    const { own, effect, destructive } = prepared;
    const { name, aliases } = tool;
    const { source } = candidate.registration;
    const permission = rulings({ tool: name, aliases, source, effect, destructive });
    ready.push({ candidate, args: own, effect, permission });
  }
  const allowed = keepSome(ready, ({ permission }) => permission !== "deny", first);
  for (const { candidate } of ready.filter((entrant) => !allowed.includes(entrant)))
    passed.push({ candidate, why: "a rule denies it" });
  const restOf = ({ candidate }: Entrant): number => breakers.restMs(candidate.registration.tool, now);
  const awake = keepSome(
    allowed,
    (entrant) => restOf(entrant) === 0,
    (all) => [all.toSorted((a, b) => restOf(a) - restOf(b))[0]],
  );
  for (const entrant of allowed.filter((one) => !awake.includes(one))) {
    const why = `it failed several times in a row and rests for ${formatDuration(restOf(entrant))}`;
    passed.push({ candidate: entrant.candidate, why });
  }
  return { entrants: awake, passed };
}

/** Those for which something holds; where it holds for none, what `otherwise` makes of them all. */
function keepSome(
  all: readonly Entrant[],
  holds: (entrant: Entrant) => boolean,
  otherwise: (all: readonly Entrant[]) => readonly (Entrant | undefined)[],
): readonly Entrant[] {
  const kept = all.filter(holds);
  return kept.length > 0 ? kept : otherwise(all).filter((entrant) => entrant !== undefined);
}

function first(all: readonly Entrant[]): readonly Entrant[] {
  return all.slice(0, 1);
}

/** What a candidate makes of the arguments. */
interface Prepared {
  /** As it is called with them. */
  readonly own: unknown;
  readonly effect: Effect;
  readonly destructive: boolean;
}

/** The same, or why it does not take them. */
async function prepare(candidate: Candidate, { contract }: Choice, given: unknown): Promise<Prepared | string> {
  const { tool } = candidate.registration;
  const own = argumentsFor(candidate, contract, given);
  if ("issues" in own) return refusal(own.issues);
  const validation = await tool.input.validate(own.args);
  if (validation.issues !== undefined) return refusal(validation.issues);
  const { value } = validation;
  return { own: own.args, effect: effectWith(tool, value), destructive: destructiveWith(tool, value) };
}

function refusal(issues: readonly Issue[]): string {
  return `it does not take these arguments: ${issues.map(({ message }) => message).join("; ")}`;
}

/** The effect of a tool with valid arguments; one that cannot be told is the most harmful. */
export function effectWith(tool: AnyTool, args: unknown): Effect {
  try {
    return effectOf(tool, args);
  } catch {
    return "once";
  }
}

/** The same for whether somebody should be asked first. */
export function destructiveWith({ destructive }: AnyTool, args: unknown): boolean {
  try {
    return typeof destructive === "function" ? destructive(args) : destructive;
  } catch {
    return true;
  }
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
