import type { DeniedChains } from "./denied-chains.ts";
import type { Plan } from "./plan/plan.ts";
import { envNamesOf } from "./tools-of.ts";

/** What a run sees besides its input. It is kept with the run: told again, it has to see the same. */
export interface Surroundings {
  /** The caller's values for `${context.NAME}`. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Environment variables that the chain, or one that it calls, declares. */
  readonly env: Readonly<Record<string, string>>;
  /** Whom its calls are made for. */
  readonly principal: string | undefined;
  /** Chains that its steps may not call. */
  readonly denied: DeniedChains | undefined;
}

/** As the journal keeps it; of the environment only what the chain may read. */
export function writeSurroundings(plan: Plan, { context, env, principal, denied }: Surroundings): string {
  const declared = Object.fromEntries(
    [...envNamesOf(plan)].flatMap((name) => (Object.hasOwn(env, name) ? [[name, env[name]]] : [])),
  );
  return JSON.stringify({ context, env: declared, principal, denied });
}

/** What {@link writeSurroundings} wrote. */
export function readSurroundings(text: string): Surroundings {
  const { context, env, principal, denied } = JSON.parse(text) as Partial<Surroundings>;
  return { context: context ?? {}, env: env ?? {}, principal, denied };
}
