import type { Resolver } from "../../engine/index.ts";
import type { Plan } from "./plan.ts";

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
}
