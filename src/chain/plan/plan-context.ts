import type { Resolver } from "../../engine/index.ts";
import type { Plan } from "./plan.ts";
import type { TaintPolicy } from "./chain-spec.ts";

/** Tools, chains and names that a chain may use. */
export interface PlanContext {
  /** Finds a tool by name or alias. */
  readonly tools: Resolver;
  /** Plans of other chains by name, created on first use, so that chains may call each other. */
  readonly chains?: (name: string) => (() => Plan) | undefined;
  /** For suggestions. */
  readonly chainNames?: () => Iterable<string>;
  /** Names of environment variables that the workspace allows. Default: all that a chain declares. */
  readonly env?: readonly string[];
  /** Names of the workspace's secrets. Default: not checked. */
  readonly secrets?: readonly string[];
  /** Used if the chain sets no `max_parallel`. Default: 5. */
  readonly maxParallel?: number;
  /**
   * `strict` rejects chains in which untrusted content reaches a destructive tool without an approval; a chain can be
   * stricter than this, but not looser. `unchecked` leaves the chains' own settings and rejects none: for a run that
   * has started, or is only inspected.
   */
  readonly taint?: TaintPolicy | "unchecked";
  /** Names of trusted tools: their results are trusted if their arguments are. */
  readonly trusted?: readonly string[];
}
