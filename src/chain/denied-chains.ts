import { fail } from "../base/index.ts";
import type { Denies, PermissionSubject } from "../engine/index.ts";
import type { Plan } from "./plan/plan.ts";
import { chainsOf } from "./tools-of.ts";

/** Why a run may not call some chains, by the names by which it would. */
export type DeniedChains = Readonly<Record<string, string>>;

/** Throws where the rules refuse that this chain is run. */
export function checkAllowed(plan: Plan, denies: Denies | undefined): void {
  const why = denies?.(subjectOf(plan, plan.name, "direct"));
  if (why !== undefined) throw fail(why.message, { code: why.code, reason: "rule", retry: "never" });
}

/**
 * The chains that steps of a run may not call. Looked up when the run begins and kept with it: told again, it has to
 * meet the same refusals. Undefined where there are none.
 */
export function deniedChains(plan: Plan, denies: Denies | undefined): DeniedChains | undefined {
  if (denies === undefined) return undefined;
  const denied = [...chainsOf(plan)].flatMap(([name, called]) => {
    const why = denies(subjectOf(called, name, "workflow_node"));
    return why === undefined ? [] : [[name, why.message] as const];
  });
  return denied.length === 0 ? undefined : Object.fromEntries(denied);
}

function subjectOf(plan: Plan, name: string, callerType: PermissionSubject["callerType"]): PermissionSubject {
  return {
    tool: plan.name,
    aliases: name === plan.name ? [] : [name],
    source: "chains",
    callerType,
    effect: plan.effect,
    destructive: plan.destructive,
  };
}
