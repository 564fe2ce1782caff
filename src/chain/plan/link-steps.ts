import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { type Edge, listHint } from "./check-references.ts";
import type { UnlinkedStep } from "./compile-step.ts";
import type { PlanStep } from "./plan.ts";
import type { StepNames } from "./step-names.ts";

/** Connections of a step with the others. */
export type Links = Pick<PlanStep, "needs" | "dependents" | "reads" | "relies">;

/** Position in the file of a dependency between two steps. */
interface DependencyOrigin {
  readonly path: YamlPath;
  readonly inside?: readonly [number, number];
}

/** A step's edges, from its expressions and from `depends_on`. */
export interface StepEdges {
  /** Each step it waits for, and the first position that requires it. */
  readonly needs: Map<number, DependencyOrigin>;
  readonly reads: Set<number>;
  readonly relies: Set<number>;
}

/** The edges of one step. Names in `depends_on` must exist, and must not be the step itself. */
export function edgesOf(
  step: UnlinkedStep,
  edges: Iterable<Edge>,
  { names, report }: { readonly names: StepNames; readonly report: ChainReport },
): StepEdges {
  const found: StepEdges = { needs: new Map(), reads: new Set(), relies: new Set() };
  for (const { to, reads, use } of edges) {
    if (!found.needs.has(to)) found.needs.set(to, { path: use.path, inside: [use.reference.at, use.reference.length] });
    if (!reads) continue;
    found.reads.add(to);
    found.relies.add(to);
  }
  for (const [position, id] of (step.spec.depends_on ?? []).entries()) {
    const path = ["steps", step.index, "depends_on", position];
    const to = names.byId.get(id);
    if (to === undefined) {
      const hint = report.suggest(id, names.byId, listHint("steps", names.byId));
      report.add("unknown_step", path, [`there is no step "${id}"`, { hint }]);
    } else if (to === step.index) {
      report.add("self_reference", path, [`the step "${id}" waits for itself`, { hint: "remove it" }]);
    } else {
      if (!found.needs.has(to)) found.needs.set(to, { path });
      found.relies.add(to);
    }
  }
  return found;
}

/** The links of all steps, in their order; cycles are reported. */
export function linkSteps(
  steps: readonly UnlinkedStep[],
  edges: readonly StepEdges[],
  report: ChainReport,
): readonly Links[] {
  const needs = edges.map((edge) => [...edge.needs.keys()]);
  const dependents: number[][] = steps.map(() => []);
  for (const [index, requested] of needs.entries()) for (const need of requested) dependents[need]?.push(index);
  for (const cycle of findCycles(needs, dependents)) reportCycle(cycle, { steps, edges, report });
  return edges.map(({ reads, relies }, index) => ({
    needs: needs[index] ?? [],
    dependents: dependents[index] ?? [],
    reads: [...reads],
    relies: [...relies],
  }));
}

const maxListed = 12;

function reportCycle(
  cycle: Cycle,
  {
    steps,
    edges,
    report,
  }: { readonly steps: readonly UnlinkedStep[]; readonly edges: readonly StepEdges[]; readonly report: ChainReport },
): void {
  const [first = 0, second = first] = cycle;
  const ids = cycle.map((index) => steps[index]?.id ?? "");
  const shown = ids.length > maxListed ? [...ids.slice(0, maxListed - 1), `… ${ids.length - maxListed + 1} more`] : ids;
  const location: DependencyOrigin = edges[first]?.needs.get(second) ?? { path: ["steps", first] };
  const message = `the steps wait for each other: ${[...shown, ids[0]].join(" -> ")}`;
  const hint = `none of them can start; remove one of these dependencies`;
  report.add("cycle", location.path, [
    message,
    { hint, ...(location.inside !== undefined && { inside: location.inside }) },
  ]);
}

/** Indexes of steps, each of which waits for the next and the last for the first. */
type Cycle = readonly number[];

type Graph = readonly (readonly number[])[];

/**
 * One cycle for every strongly connected component: the shortest through its first step. Linear and without recursion,
 * for chains of any length.
 */
function findCycles(needs: Graph, dependents: Graph): readonly Cycle[] {
  const stuck = cyclicSteps(needs, dependents);
  if (stuck.size === 0) return [];
  return knotsOf(needs, stuck).map((knot) => shortestCycle(needs, knot));
}

/** The steps that remain after a topological sort: the cycles, and the steps that wait for them. */
function cyclicSteps(needs: Graph, dependents: Graph): Set<number> {
  const open = needs.map((requested) => requested.length);
  const ready = [...needs.keys()].filter((index) => open[index] === 0);
  for (let index = ready.pop(); index !== undefined; index = ready.pop()) {
    for (const dependent of dependents[index] ?? []) {
      const left = (open[dependent] ?? 0) - 1;
      open[dependent] = left;
      if (left === 0) ready.push(dependent);
    }
  }
  return new Set([...needs.keys()].filter((index) => (open[index] ?? 0) > 0));
}

interface Visit {
  readonly index: number;
  /** Number of its needs that have been visited. */
  next: number;
}

/** Tarjan's strongly connected components with more than one step, by their first steps. */
function knotsOf(needs: Graph, stuck: ReadonlySet<number>): ReadonlySet<number>[] {
  const order = new Map<number, number>();
  const low = new Map<number, number>();
  const stack: number[] = [];
  const onStack = new Set<number>();
  const knots: Set<number>[] = [];
  const enter = (index: number): Visit => {
    order.set(index, order.size);
    low.set(index, order.size - 1);
    stack.push(index);
    onStack.add(index);
    return { index, next: 0 };
  };
  const lower = (index: number, to: number | undefined): void => {
    low.set(index, Math.min(low.get(index) ?? 0, to ?? 0));
  };
  const leave = (index: number): void => {
    if (low.get(index) !== order.get(index)) return;
    const knot = new Set(stack.splice(stack.lastIndexOf(index)));
    for (const member of knot) onStack.delete(member);
    if (knot.size > 1) knots.push(knot);
  };
  for (const start of stuck) {
    if (order.has(start)) continue;
    const open = [enter(start)];
    for (let visit = open.at(-1); visit !== undefined; visit = open.at(-1)) {
      const need = needs[visit.index]?.[visit.next++];
      if (need === undefined) {
        open.pop();
        leave(visit.index);
        const parent = open.at(-1);
        if (parent !== undefined) lower(parent.index, low.get(visit.index));
      } else if (!order.has(need)) open.push(enter(need));
      else if (onStack.has(need)) lower(visit.index, order.get(need));
    }
  }
  return knots.sort((a, b) => min(a) - min(b));
}

function min(knot: ReadonlySet<number>): number {
  let found = Infinity;
  for (const index of knot) found = Math.min(found, index);
  return found;
}

/** Breadth first from the first step of the component back to it. */
function shortestCycle(needs: Graph, knot: ReadonlySet<number>): Cycle {
  const start = min(knot);
  const from = new Map<number, number>();
  const open = [start];
  for (let at = 0; at < open.length; at++) {
    const index = open[at] ?? start;
    for (const need of needs[index] ?? []) {
      if (need === start) return pathTo(index, from, start);
      if (!knot.has(need) || from.has(need)) continue;
      from.set(need, index);
      open.push(need);
    }
  }
  return [start];
}

function pathTo(end: number, from: ReadonlyMap<number, number>, start: number): Cycle {
  const path = [end];
  for (let index = end; index !== start;) {
    index = from.get(index) ?? start;
    path.push(index);
  }
  return path.reverse();
}
