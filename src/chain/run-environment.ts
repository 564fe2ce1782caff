import type { CallerType } from "../store/index.ts";
import type { DeniedChains } from "./denied-chains.ts";
import type { Plan } from "./plan/plan.ts";
import { reachOf } from "./plan-targets.ts";

/** Values that a run sees besides its input. Persisted with the run: a replay has to see the same. */
export interface RunEnvironment {
  /** The caller's values for `${context.NAME}`. */
  readonly context: Readonly<Record<string, unknown>>;
  /** Environment variables that the chain, or one that it calls, declares. */
  readonly env: Readonly<Record<string, string>>;
  /** Identity that its calls are made for. */
  readonly principal: string | undefined;
  /** Chains that its steps may not call. */
  readonly denied: DeniedChains | undefined;
  /** The callers on the path to its calls, the root caller first; undefined for a run of an earlier version. */
  readonly callerPath: readonly CallerType[] | undefined;
  /** Its input is untrusted. */
  readonly tainted: boolean;
}

/** The environment as the journal stores it; of the environment variables only those that the chain may read. */
export function serializeRunEnvironment(plan: Plan, environment: RunEnvironment): string {
  const { context, env, principal, denied, callerPath, tainted } = environment;
  const declared = Object.fromEntries(
    [...reachOf(plan).envNames].flatMap((name) => (Object.hasOwn(env, name) ? [[name, env[name]]] : [])),
  );
  return JSON.stringify({ context, env: declared, principal, denied, callerPath, ...(tainted && { tainted }) });
}

/** Parses the text of {@link serializeRunEnvironment}. */
export function parseRunEnvironment(text: string): RunEnvironment {
  const { context, env, principal, denied, callerPath, tainted } = JSON.parse(text) as Partial<RunEnvironment>;
  return { context: context ?? {}, env: env ?? {}, principal, denied, callerPath, tainted: tainted === true };
}
