import type { CrewStep } from "./crew-step.ts";

/** A step as written by a planner, with its own names. */
export interface PlannerStep {
  readonly name: string;
  readonly needs: readonly string[];
  readonly step: Omit<CrewStep, "id" | "dependencies">;
}

/**
 * Assigns ids to the steps and resolves their dependencies. Invalid dependencies are dropped with a note: unknown ones,
 * and those that close a cycle.
 */
export function linkPlan(written: readonly PlannerStep[]): {
  readonly steps: readonly CrewStep[];
  readonly notes: readonly string[];
} {
  const names = stepIndexByName(written);
  const notes: string[] = [];
  const needs = written.map(({ needs }, index) => {
    const positions = new Set<number>();
    for (const name of needs) {
      const needed = names.get(name) ?? names.get(numberIn(name));
      if (needed === undefined || needed === index) notes.push(lost(index, name, needed));
      else positions.add(needed);
    }
    return positions;
  });
  for (const [from, to] of circles(needs)) {
    needs[from]?.delete(to);
    notes.push(`${idOf(from)} does not wait for ${idOf(to)}: the dependencies of the plan form a cycle`);
  }
  const steps = written.map(({ step }, index) => ({
    ...step,
    id: idOf(index),
    dependencies: [...(needs[index] ?? [])].toSorted((a, b) => a - b).map(idOf),
  }));
  return { steps, notes };
}

function lost(index: number, name: string, needed: number | undefined): string {
  const why = needed === index ? "it cannot wait for itself" : `there is no step ${JSON.stringify(name)}`;
  return `${idOf(index)} waits for fewer steps than planned: ${why}`;
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
