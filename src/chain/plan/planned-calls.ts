import type { CompiledValue } from "../../expr/index.ts";
import type { YamlPath } from "../../text/index.ts";
import { calledPlan } from "./called-plan.ts";
import type { PlanStep, Target } from "./plan.ts";

/** A call that a step may make. */
export interface StepCall {
  readonly step: PlanStep;
  readonly role: "step" | "fallback" | "compensate";
  readonly target: Target;
  readonly params: CompiledValue;
  /** Of the map that has its tool and params. */
  readonly path: YamlPath;
  /** A person sees its arguments first. */
  readonly isAsked: boolean;
}

/** Every call that a step may make. */
export function callsOfStep(step: PlanStep): readonly StepCall[] {
  const { index, spec, target, params, onFailure, compensate } = step;
  const path = ["steps", index];
  // Of the file: a dry run asks nobody, and is about what happens in earnest.
  const asks = spec.approval !== undefined;
  const handling = spec.error_handling === undefined ? ["error_handling"] : [...path, "error_handling"];
  return [
    { step, role: "step", target, params, path, isAsked: asks },
    ...onFailure.fallback.map((entry, place): StepCall => {
      const at = [...handling, "fallback", place];
      return { step, role: "fallback", ...entry, path: at, isAsked: asks && isAskedFor(entry.target) };
    }),
    // What undoes a step is not asked about.
    ...(compensate === undefined
      ? []
      : [{ step, role: "compensate" as const, ...compensate, path: [...path, "compensate"], isAsked: false }]),
  ];
}

/** What only reads stands in for a step without another question. */
function isAskedFor(target: Target): boolean {
  const effect = target.tool === undefined ? calledPlan(target)?.effect : target.tool.effect;
  return effect !== "pure" && effect !== "read";
}
