import type { AgentNotice, AgentNoticeParams } from "../../../events/agent-notice.ts";
import type { CrewStep } from "./crew-step.ts";

/** A step as written by a planner, with its own names. */
export interface PlannerStep {
  readonly name: string;
  readonly needs: readonly string[];
  readonly step: Omit<CrewStep, "id" | "dependencies">;
}

/**
 * Assigns ids to the steps and resolves their dependencies. Invalid dependencies are dropped with a notice: unknown ones,
 * and those that close a cycle.
 */
export function linkPlan(written: readonly PlannerStep[]): {
  readonly steps: readonly CrewStep[];
  readonly notices: readonly AgentNotice[];
} {
  const names = stepIndexByName(written);
  const notices: AgentNotice[] = [];
  const needs = written.map(({ needs }, index) => {
    const positions = new Set<number>();
    for (const name of needs) {
      const needed = names.get(name) ?? names.get(numberIn(name));
      if (needed === undefined || needed === index)
        notices.push(dropped(index, name, needed === index ? "itself" : "unknown"));
      else positions.add(needed);
    }
    return positions;
  });
  for (const [from, to] of circles(needs)) {
    needs[from]?.delete(to);
    notices.push(dropped(from, idOf(to), "cycle"));
  }
  const steps = written.map(({ step }, index) => ({
    ...step,
    id: idOf(index),
    dependencies: [...(needs[index] ?? [])].toSorted((a, b) => a - b).map(idOf),
  }));
  return { steps, notices };
}

function dropped(
  index: number,
  dependency: string,
  reason: AgentNoticeParams["dependency_dropped"]["reason"],
): AgentNotice {
  return { code: "dependency_dropped", params: { step: idOf(index), dependency, reason } };
}

function idOf(index: number): string {
  return `step-${index + 1}`;
}

/** Steps by the planner's names, and by the numbers in these. The first step of a name has precedence. */
function stepIndexByName(written: readonly PlannerStep[]): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  const add = (name: string, index: number): void => {
    if (name !== "" && !positions.has(name)) positions.set(name, index);
  };
  for (const [index, { name }] of written.entries()) add(name, index);
  for (const [index, { name }] of written.entries()) add(numberIn(name), index);
  return positions;
}

/** `step_2`, `2.` and `步骤2` are 2. */
function numberIn(name: string): string {
  return /\d+/.exec(name)?.[0] ?? "";
}

/** Dependencies whose removal leaves no cycle. */
function circles(needs: readonly ReadonlySet<number>[]): (readonly [from: number, to: number])[] {
  const state = new Map<number, "open" | "done">();
  const closing: (readonly [number, number])[] = [];
  // A plan has few steps: the recursion is shallow.
  const visit = (index: number): void => {
    state.set(index, "open");
    for (const need of needs[index] ?? []) {
      if (state.get(need) === "open") closing.push([index, need]);
      else if (!state.has(need)) visit(need);
    }
    state.set(index, "done");
  };
  for (const index of needs.keys()) if (!state.has(index)) visit(index);
  return closing;
}
