import type { CompiledValue, Condition, Select, Template } from "../../expr/index.ts";
import type { Schema } from "../../schema/index.ts";
import type { AnyTool, Effect } from "../../tool/index.ts";
import type { ChainSpec, StepSpec, TaintPolicy } from "./chain-spec.ts";
import type { Resolver } from "../../engine/index.ts";

/** Callee of a step, a fallback or a compensation. */
export interface Target {
  /** The name as written in the file; an alias is not resolved. */
  readonly name: string;
  /** The tool that was found when the plan was created; absent for a chain. */
  readonly tool?: AnyTool;
  /** The plan of the chain of that name, created on first use: a chain may call itself. */
  readonly chain?: () => Plan;
  /** The workspace trusts the results of the tool. */
  readonly trusted?: boolean;
  /** The name stands for these tools, one of which is chosen when it is called. */
  readonly among?: readonly string[];
}

/** Conditions and limits for retrying a failed attempt. */
export interface RetryPlan {
  /** Maximum number of retries. */
  readonly max: number;
  readonly delayMs: number;
  readonly backoff: "exponential" | "linear" | "fixed";
  readonly maxDelayMs: number;
  readonly jitter: boolean;
  readonly when?: Condition;
}

/** One fallback for a step that failed. */
export interface FallbackPlan {
  readonly condition?: Condition;
  readonly target: Target;
  readonly params: CompiledValue;
  readonly select?: Select;
}

/** Handling of a failure after all attempts of a step. */
export interface FailurePlan {
  readonly fallback: readonly FallbackPlan[];
  /** Used if no fallback succeeds. */
  readonly otherwise: "abort" | "continue";
}

/** Execution of a step for each item of a list. */
export interface ForEachPlan {
  readonly items: CompiledValue;
  readonly concurrency: number;
  /** A count, or a share of the items between 0 and 1. */
  readonly tolerate: { readonly count: number } | { readonly share: number };
}

/** Repetition until a condition holds. */
export interface RepeatPlan {
  readonly until: Condition;
  readonly max: number;
  readonly maxDurationMs: number | undefined;
  readonly delayMs: number;
}

/** Approval before the step runs. */
export interface ApprovalPlan {
  readonly message: Template;
  /** Names of the people who may decide; anyone if empty. */
  readonly approvers: readonly string[];
  readonly expiresMs: number | undefined;
}

/** A wait in place of a call; `params` of the step describe it. */
export interface WaitPlan {
  readonly kind: "timer" | "event";
  /** In a dry run: notes a wait that is not made. */
  readonly skip?: (key: string, args: unknown) => void;
}

/** A step, checked and compiled. */
export interface PlanStep {
  /** Its index in `Plan.steps`. */
  readonly index: number;
  readonly id: string;
  /** The key of its first call, created once for all runs: a lookup by a new string has to read the whole key. */
  readonly firstKey: string;
  readonly spec: StepSpec;
  readonly target: Target;
  readonly params: CompiledValue;
  readonly condition: Condition | undefined;
  readonly as: string | undefined;
  readonly select: Select | undefined;
  /** Indexes of the steps that have to settle before this one starts; each once. */
  readonly needs: readonly number[];
  /** Indexes of the steps that wait for this one; each once. */
  readonly dependents: readonly number[];
  /** Steps without whose output this one is skipped: read outside of `??`, `default()`, `has()` and conditions. */
  readonly reads: readonly number[];
  /** Steps whose failure (with `continue`) skips this one: `reads`, and those that `depends_on` names. */
  readonly relies: readonly number[];
  readonly timeoutMs: number | undefined;
  readonly retry: RetryPlan;
  readonly onFailure: FailurePlan;
  readonly forEach: ForEachPlan | undefined;
  readonly repeat: RepeatPlan | undefined;
  readonly cache: { readonly ttlMs: number; readonly key: CompiledValue | undefined } | undefined;
  readonly approval: ApprovalPlan | undefined;
  /** The step waits, and calls nothing; its target only describes that. */
  readonly wait: WaitPlan | undefined;
  readonly compensate: { readonly target: Target; readonly params: CompiledValue } | undefined;
}

/** A chain whose every reference, tool, parameter and cycle has been checked. */
export interface Plan {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** The file as data, from which the same plan can be created. */
  readonly spec: ChainSpec;
  /** Schema of the declared inputs, or of those inferred from the references. */
  readonly input: Schema;
  /** In the order of the file. */
  readonly steps: readonly PlanStep[];
  /** Indexes of the steps that wait for nothing. */
  readonly first: readonly number[];
  readonly byId: ReadonlyMap<string, PlanStep>;
  /** Names of environment variables that it may read. */
  readonly env: readonly string[];
  readonly maxParallel: number;
  readonly timeoutMs: number | undefined;
  readonly durable: boolean | undefined;
  /** The stricter one of the settings of the chain and the workspace. */
  readonly taint: TaintPolicy;
  /** The `output:` of the file. Default: a map of step to output. */
  readonly output: CompiledValue | undefined;
  /** The strongest effect of its steps. */
  readonly effect: Effect;
  readonly destructive: boolean;
}

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
