import { fail } from "../base/index.ts";
import type { FindDenial, PermissionSubject } from "../engine/index.ts";
import type { CallerType } from "../store/index.ts";
import type { Plan } from "./plan/plan.ts";
import { reachOf } from "./plan-targets.ts";

/** Reasons why a run may not call some chains, by the names that it uses for them. */
export type DeniedChains = Readonly<Record<string, string>>;

/** Throws if the permission rules deny this chain. */
export function checkAllowed(plan: Plan, denies: FindDenial | undefined, callerType: CallerType = "direct"): void {
  const why = denies?.({ ...subjectOf(plan, plan.name), callerType });
  if (why !== undefined) throw fail(why.message, { code: why.code, reason: "rule", retry: "never" });
}

/**
 * The chains that steps of a run may not call. Determined when the run starts and persisted with it, because a replay
 * must meet the same denials. Undefined if there are none.
 */
export function deniedChains(
  plan: Plan,
  denies: FindDenial | undefined,
  callerPath: readonly CallerType[],
): DeniedChains | undefined {
  if (denies === undefined) return undefined;
  const denied = [...reachOf(plan).chains].flatMap(([name, called]) => {
    const why = denies({ ...subjectOf(called, name), callerType: "workflow_node", callerPath });
    return why === undefined ? [] : [[name, why.message] as const];
  });
  return denied.length === 0 ? undefined : Object.fromEntries(denied);
}

function subjectOf(plan: Plan, name: string): Omit<PermissionSubject, "callerType"> {
  return {
    tool: plan.name,
    aliases: name === plan.name ? [] : [name],
    source: "chains",
    effect: plan.effect,
    destructive: plan.destructive,
  };
}
