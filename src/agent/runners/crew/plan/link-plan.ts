import type { CrewStep } from "./crew-step.ts";

/** A step as a planner wrote it, with its own names. */
export interface WrittenStep {
  readonly name: string;
  readonly needs: readonly string[];
  readonly step: Omit<CrewStep, "id" | "dependencies">;
}

/** The steps under their own ids, and what had to be left out. */
interface LinkedPlan {
  readonly steps: readonly CrewStep[];
  readonly notes: readonly string[];
}

/**
 * Gives the steps their ids and finds what they depend on. What a plan cannot mean is left out with a note: dependencies
 * that there are not, and those that close a circle.
 */
export function linkPlan(written: readonly WrittenStep[]): LinkedPlan {
  const names = placesOf(written);
  const notes: string[] = [];
  const needs = written.map(({ needs: wanted }, index) => {
    const places = new Set<number>();
    for (const name of wanted) {
      const place = names.get(name) ?? names.get(numberIn(name));
      if (place === undefined || place === index) notes.push(lost(index, name, place));
      else places.add(place);
    }
    return places;
  });
  for (const [from, to] of circles(needs)) {
    needs[from]?.delete(to);
    notes.push(`${idOf(from)} does not wait for ${idOf(to)}: the plan went round in a circle`);
  }
  const steps = written.map(({ step }, index) => ({
    ...step,
    id: idOf(index),
    dependencies: [...(needs[index] ?? [])].toSorted((a, b) => a - b).map(idOf),
  }));
  return { steps, notes };
}

function lost(index: number, name: string, place: number | undefined): string {
  const why = place === index ? "it cannot wait for itself" : `there is no step ${JSON.stringify(name)}`;
  return `${idOf(index)} waits for less than the plan said: ${why}`;
}

function idOf(index: number): string {
  return `step-${index + 1}`;
}

/** Steps by the names that the planner gave them, and by the numbers in these. The first of a name has it. */
function placesOf(written: readonly WrittenStep[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const add = (name: string, index: number): void => {
    if (name !== "" && !places.has(name)) places.set(name, index);
  };
  for (const [index, { name }] of written.entries()) add(name, index);
  for (const [index, { name }] of written.entries()) add(numberIn(name), index);
  return places;
}

/** `step_2`, `2.` and `步骤2` are 2. */
function numberIn(name: string): string {
  return /\d+/.exec(name)?.[0] ?? "";
}

/** Dependencies without which there is no circle. */
function circles(needs: readonly ReadonlySet<number>[]): (readonly [from: number, to: number])[] {
  const state = new Map<number, "open" | "done">();
  const closing: (readonly [number, number])[] = [];
  // A plan has few steps: recursion ends soon.
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
