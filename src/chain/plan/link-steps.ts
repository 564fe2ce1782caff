import type { YamlPath } from "../../text/index.ts";
import type { ChainReport } from "./chain-report.ts";
import { type Edge, listHint } from "./check-references.ts";
import type { UnlinkedStep } from "./compile-step.ts";
import { type Cycle, findCycles } from "./find-cycles.ts";
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
    const { at, length } = use.reference;
    if (!found.needs.has(to)) found.needs.set(to, { path: use.path, inside: [at, length] });
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
