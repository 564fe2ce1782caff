import type { Plan, Target } from "./plan.ts";

/** The plan of the chain that is called; undefined for a tool, and for a chain that cannot be planned. */
export function calledPlan({ chain }: Target): Plan | undefined {
  try {
    return chain?.();
  } catch {
    // Its problems are reported where it is planned.
    return undefined;
  }
}
