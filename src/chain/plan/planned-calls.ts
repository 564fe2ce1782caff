import type { CompiledValue } from "../../expr/index.ts";
import type { YamlPath } from "../../text/index.ts";
import { calledPlan } from "./chain-effect.ts";
import type { PlanStep, Target, Plan } from "./plan.ts";

/** A call that a step may make. */
export interface PlannedCall {
  readonly step: PlanStep;
  readonly role: "step" | "fallback" | "compensate";
  readonly target: Target;
  readonly params: CompiledValue;
  /** Path of the map that has its tool and params. */
  readonly path: YamlPath;
  /** An approver sees its arguments first. */
  readonly isApproved: boolean;
}

/** Every call that a step may make. */
export function callsOfStep(step: PlanStep): readonly PlannedCall[] {
  const { index, spec, target, params, onFailure, compensate } = step;
  const path = ["steps", index];
  // Taken from the file: a dry run requests no approvals, and describes the real run.
  const pendingApproval = spec.approval !== undefined;
  const handling = spec.error_handling === undefined ? ["error_handling"] : [...path, "error_handling"];
  return [
    { step, role: "step", target, params, path, isApproved: pendingApproval },
    ...onFailure.fallback.map((entry, position): PlannedCall => {
      const at = [...handling, "fallback", position];
      return { step, role: "fallback", ...entry, path: at, isApproved: pendingApproval && needsApproval(entry.target) };
    }),
    // A compensation needs no approval by `approval:`.
    ...(compensate === undefined
      ? []
      : [{ step, role: "compensate" as const, ...compensate, path: [...path, "compensate"], isApproved: false }]),
  ];
}

/** A fallback that only reads needs no approval of its own. */
function needsApproval(target: Target): boolean {
  const effect = target.tool === undefined ? calledPlan(target)?.effect : target.tool.effect;
  return effect !== "pure" && effect !== "read";
}

/** The parameters of a call as the file has them, before their references are resolved. */
export function writtenParams(
  { step: { spec }, role, path }: PlannedCall,
  plan: Plan,
): Readonly<Record<string | number, unknown>> {
  if (role === "step") return spec.params ?? {};
  if (role === "compensate") return spec.compensate?.params ?? {};
  const handling = path[0] === "steps" ? spec.error_handling : plan.spec.error_handling;
  return handling?.fallback?.[Number(path.at(-1))]?.params ?? {};
}
