import type { Failure } from "../base/index.ts";
import { type AnyTool, type CoveredCall, type ToolContext, defineTool } from "../tool/index.ts";
import { calledPlan, isDestructive } from "./plan/chain-effect.ts";
import { describeRequirements, missingRequirements } from "./missing-requirements.ts";
import { callsOfStep } from "./plan/planned-calls.ts";
import type { Plan } from "./plan/plan.ts";
import { refuseToolApprovals } from "./refuse-approval-steps.ts";

/** Default timeout of a chain without `timeout` that is called as a tool. */
const maxChainToolMs = 3_600_000;

/** Options of {@link chainTool} besides the plan. */
export interface ChainToolOptions {
  /** Values for `${env.NAME}`, for the names that the chain declares. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * A chain as a tool: its input is the tool's input, its effect the strongest of its steps', and its steps are nested
 * calls under the tool's own.
 *
 * @example
 * ```ts
 * engine.tools.register(chainTool(plan));
 * const result = await engine.call("research-chain", { query: "tide mills" });
 * ```
 */
export function chainTool(plan: Plan, { env = {} }: ChainToolOptions = {}): AnyTool {
  const tool = defineTool({
    name: plan.name,
    description: plan.description === "" ? `Runs the chain ${plan.name}.` : plan.description,
    version: plan.version,
    category: "chain",
    composite: true,
    effect: plan.effect,
    destructive: plan.destructive,
    coveredCalls: () => destructiveSteps(plan),
    timeoutMs: plan.timeoutMs ?? maxChainToolMs,
    input: plan.input,
    run: async (input: unknown, context: ToolContext) => {
      // Loaded on the first call: listing and checking chains does not need it.
      const { runAsTool } = await import("./run-as-tool.ts");
      return runAsTool({ plan, input, env }, context);
    },
  });
  const refuseApproval = (canElicit: boolean): Failure | undefined => refuseToolApprovals(plan, canElicit);
  return Object.freeze({ ...tool, refuseApproval, unavailable: whyUnavailable(plan) });
}

/** Why the chain cannot run here. Never throws: an error of planning is reported where the chain is called. */
function whyUnavailable(plan: Plan): () => string | undefined {
  let isChecking = false;
  return () => {
    // A chain may be a candidate of a capability that it needs itself.
    if (isChecking) return undefined;
    isChecking = true;
    try {
      const required = missingRequirements(plan).filter((each) => each.required);
      return required.length === 0
        ? undefined
        : `tools of its steps cannot work here\n${describeRequirements(required)}`;
    } catch {
      return undefined;
    } finally {
      isChecking = false;
    }
  };
}

/** The destructive calls of a chain and of the chains that it calls: each once, with the path of its step. */
function destructiveSteps(root: Plan): readonly CoveredCall[] {
  const calls: CoveredCall[] = [];
  const plans = new Map([[root.spec, { plan: root, prefix: "" }]]);
  for (const { plan, prefix } of plans.values()) {
    for (const { target, params, step } of plan.steps.flatMap(callsOfStep)) {
      const called = calledPlan(target);
      const path = prefix + step.id;
      if (called !== undefined) {
        if (!plans.has(called.spec)) plans.set(called.spec, { plan: called, prefix: `${path}/` });
      } else if (isDestructive(target, params))
        for (const tool of target.among ?? [target.tool?.name ?? target.name]) calls.push({ tool, step: path });
    }
  }
  return calls;
}
