import type { Plan } from "./plan.ts";
import type { PlannedCall } from "./planned-calls.ts";

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
