import type { Resolver } from "../../engine/index.ts";
import type { Plan } from "./plan.ts";
import type { Taint } from "./spec.ts";

/** What a chain may call and read. */
export interface PlanContext {
  /** Finds a tool by name or alias. */
  readonly tools: Resolver;
  /** Plans of other chains by name, made when they are first asked for, so that chains may call each other. */
  readonly chains?: (name: string) => (() => Plan) | undefined;
  /** For suggestions. */
  readonly chainNames?: () => Iterable<string>;
  /** Names of environment variables that the workspace allows; any that a chain declares where absent. */
  readonly env?: readonly string[];
  /** Names of the workspace's secrets; not checked where absent. */
  readonly secrets?: readonly string[];
  /** Used where the chain says nothing; 5 where absent. */
  readonly maxParallel?: number;
  /**
   * `strict` refuses chains in which something from outside reaches a tool that may do harm, and nobody is asked; a
   * chain can be stricter than this and not looser. `unchecked` leaves chains what they say and refuses none: for one
   * that has begun to run, or is only looked at.
   */
  readonly taint?: Taint | "unchecked";
  /** Names of tools whose results are relied on: they are as good as what the tools are called with. */
  readonly trusted?: readonly string[];
}
