import type { CompiledValue, Condition, Select, Template } from "../../expr/index.ts";
import type { Schema } from "../../schema/index.ts";
import type { AnyTool, Effect } from "../../tool/index.ts";
import type { ChainSpec, StepSpec, Taint } from "./spec.ts";

/** What a step, a fallback or a compensation calls. */
export interface Target {
  /** As the file names it; an alias stays what it is. */
  readonly name: string;
  /** The tool that was found when the plan was made; absent for a chain. */
  readonly tool?: AnyTool;
  /** The plan of the chain of that name, made when it is first asked for: a chain may call itself. */
  readonly chain?: () => Plan;
  /** The workspace relies on what the tool gives. */
  readonly trusted?: boolean;
  /** The name stands for these tools, of which one is chosen when it is called. */
  readonly among?: readonly string[];
}

/** When and how often a failed attempt is made again. */
export interface RetryPlan {
  /** Further attempts after the first. */
  readonly max: number;
  readonly delayMs: number;
  readonly backoff: "exponential" | "linear" | "fixed";
  readonly maxDelayMs: number;
  readonly jitter: boolean;
  readonly when?: Condition;
}

/** One stand-in for a step that failed. */
export interface FallbackPlan {
  readonly condition?: Condition;
  readonly target: Target;
  readonly params: CompiledValue;
  readonly select?: Select;
}

/** What happens once the attempts of a step are used up. */
export interface FailurePlan {
  readonly fallback: readonly FallbackPlan[];
  /** When no fallback helped. */
  readonly otherwise: "abort" | "continue";
}

/** One run of a step for each item of a list. */
export interface ForEachPlan {
  readonly items: CompiledValue;
  readonly concurrency: number;
  /** A count, or a share of the items between 0 and 1. */
  readonly tolerate: { readonly count: number } | { readonly share: number };
}

/** Do it again until a condition holds. */
export interface RepeatPlan {
  readonly until: Condition;
  readonly max: number;
  readonly maxDurationMs: number | undefined;
  readonly delayMs: number;
}

/** Ask a person first. */
export interface ApprovalPlan {
  readonly message: Template;
  /** Who may decide; anyone where empty. */
  readonly approvers: readonly string[];
  readonly expiresMs: number | undefined;
}

/** A step, checked and compiled. */
export interface PlanStep {
  /** Its place in `Plan.steps`. */
  readonly index: number;
  readonly id: string;
  /** The key of its first call, made once for all runs: whatever is looked up by a key made anew is read to its end. */
  readonly firstKey: string;
  readonly spec: StepSpec;
  readonly target: Target;
  readonly params: CompiledValue;
  readonly condition: Condition | undefined;
  readonly as: string | undefined;
  readonly select: Select | undefined;
  /** Places of the steps that have to settle before this one starts; each once. */
  readonly needs: readonly number[];
  /** Places of the steps that wait for this one; each once. */
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
  readonly compensate: { readonly target: Target; readonly params: CompiledValue } | undefined;
}

/** A chain whose every reference, tool, parameter and cycle has been checked. */
export interface Plan {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** The file as data, from which the same plan can be made again. */
  readonly spec: ChainSpec;
  /** Of the declared inputs, or of those inferred from the references. */
  readonly input: Schema;
  /** In the order of the file. */
  readonly steps: readonly PlanStep[];
  /** Places of the steps that wait for nothing. */
  readonly first: readonly number[];
  readonly byId: ReadonlyMap<string, PlanStep>;
  /** Names of environment variables that it may read. */
  readonly env: readonly string[];
  readonly maxParallel: number;
  readonly timeoutMs: number | undefined;
  readonly durable: boolean | undefined;
  /** Of what the chain and the workspace say the stricter. */
  readonly taint: Taint;
  /** The `output:` of the file; a map of step to output where absent. */
  readonly output: CompiledValue | undefined;
  /** The strongest of its steps'. */
  readonly effect: Effect;
  readonly destructive: boolean;
}
