import { orElse } from "../../base/index.ts";
import type { CompiledValue } from "../../expr/index.ts";
import type { AnyTool, Effect } from "../../tool/index.ts";
import type { Plan, Target } from "./plan.ts";

/** Combined effect of a chain. */
export interface ChainEffect {
  readonly effect: Effect;
  readonly destructive: boolean;
}

const strengths: readonly Effect[] = ["pure", "read", "idempotent", "once"];

/** One call that a chain may make. */
export interface PossibleCall {
  readonly target: Target;
  readonly params: CompiledValue;
}

/** The strongest effect of a chain and every chain that it calls, including fallbacks and compensations. */
export function chainEffect(steps: Plan["steps"]): ChainEffect {
  let strongest = 0;
  let destructive = false;
  const seen = new Set<Plan["steps"]>();
  const open = [steps];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const { target, params } of callsOf(next)) {
      const called = calledPlan(target);
      if (called !== undefined) open.push(called.steps);
      else {
        strongest = Math.max(strongest, strengths.indexOf(targetEffect(target, params)));
        destructive ||= isDestructive(target, params);
      }
    }
  }
  return { effect: strengths[strongest] ?? "once", destructive };
}

/** Every call that the steps of a chain may make. */
export function* callsOf(steps: Plan["steps"]): Generator<PossibleCall> {
  for (const { target, params, onFailure, compensate } of steps) {
    yield { target, params };
    yield* onFailure.fallback;
    if (compensate !== undefined) yield compensate;
  }
}

/** The effect of a tool with the arguments of a step, as far as the plan knows them; unknown counts as `once`. */
export function targetEffect({ tool }: Target, params: CompiledValue): Effect {
  if (tool === undefined) return "once";
  if (typeof tool.effect !== "function") return tool.effect;
  const answer: unknown = withArguments(tool, params, tool.effect);
  return strengths.find((effect) => effect === answer) ?? "once";
}

/** True if a tool with the arguments of a step may be destructive. Unknown counts as destructive. */
export function isDestructive({ tool }: Target, params: CompiledValue): boolean {
  return tool === undefined || mayBeTrue(tool, params, tool.destructive);
}

/** True if a path among the arguments may decide what is changed, also if a file declares the tool not destructive. */
export function changesPaths(target: Target, params: CompiledValue): boolean {
  const { tool } = target;
  return isDestructive(target, params) || (tool !== undefined && mayBeTrue(tool, params, tool.entryDestructive));
}

function mayBeTrue(tool: AnyTool, params: CompiledValue, rule: AnyTool["entryDestructive"]): boolean {
  return typeof rule === "function" ? withArguments(tool, params, rule) !== false : rule === true;
}

/** Result of a tool's own function for constant arguments; undefined if they are not known yet. */
function withArguments(tool: AnyTool, params: CompiledValue, evaluate: (args: unknown) => unknown): unknown {
  if (!params.constant) return undefined;
  try {
    const checked = tool.input.validate(params.evaluate({}));
    return checked instanceof Promise || checked.issues !== undefined ? undefined : evaluate(checked.value);
  } catch {
    return undefined;
  }
}

/** The plan of the chain that is called; undefined for a tool, and for a chain that cannot be planned. */
export function calledPlan({ chain }: Target): Plan | undefined {
  // Its problems are reported where it is planned.
  return orElse(() => chain?.(), undefined);
}
