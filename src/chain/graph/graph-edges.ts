import type { Reference } from "../../expr/index.ts";
import type { Plan, PlanStep } from "../plan/plan.ts";
import type { GraphEdge, GraphEdgeKind } from "./graph.ts";

/** Facts about one connection, collected while references are visited. */
interface EdgeDraft {
  kind: GraphEdgeKind;
  /** The references that are read, each with the strongest kind of edge for it. */
  readonly reads: Map<string, GraphEdgeKind>;
  readonly fields: Set<string>;
}

/** Data is stronger than a condition, a condition stronger than order. */
const strength: Readonly<Record<GraphEdgeKind, number>> = { order: 0, condition: 1, data: 2 };

/** The connections of a chain, by their targets: to each step in the order of the file, then to the output. */
export function graphEdges(plan: Plan): GraphEdge[] {
  const byAs = new Map(plan.steps.flatMap((step) => (step.as === undefined ? [] : [[step.as, step.id] as const])));
  return [...plan.steps.flatMap((step) => edgesTo(step, plan, byAs)), ...edgesToOutput(plan, byAs)];
}

type Names = ReadonlyMap<string, string>;

function edgesTo(step: PlanStep, plan: Plan, byAs: Names): GraphEdge[] {
  const found = new Map<string, EdgeDraft>();
  // Dependencies come first, so that `order` is the kind of those that no reference explains.
  for (const index of step.needs) noteKind(found, `steps.${plan.steps[index]?.id}`, "order");
  for (const reference of dataOf(step)) note(found, reference, { byAs, kind: "data" });
  for (const reference of step.condition?.references ?? []) note(found, reference, { byAs, kind: "condition" });
  const key = `steps.${step.id}`;
  // A step that repeats may read itself.
  found.delete(key);
  return [...found].map(([from, entry]) => {
    const label = labelOf(from, entry);
    const { kind, reads } = entry;
    return { from, to: key, kind, reads: [...reads.keys()], ...(label !== "" && { label }) };
  });
}

/** References that a step reads, except those of its conditions. */
function dataOf({ params, forEach, repeat, cache, approval }: PlanStep): Reference[] {
  const parts = [params, forEach?.items, repeat?.until, cache?.key, approval?.message];
  return parts.flatMap((part): readonly Reference[] => part?.references ?? []);
}

/** If the chain declares no output, its output is that of the steps that no other step waits for. */
function edgesToOutput({ output, steps, spec }: Plan, byAs: Names): GraphEdge[] {
  if (output === undefined) {
    const last = steps.filter(({ dependents }) => dependents.length === 0);
    return last.map(({ id }) => ({ from: `steps.${id}`, to: "output", kind: "data", reads: ["output"] }));
  }
  const found = new Map<string, EdgeDraft>();
  const named = typeof spec.output === "object";
  for (const reference of output.references) {
    const [field] = reference.valuePath;
    note(found, reference, { byAs, kind: "data", ...(named && { field: String(field) }) });
  }
  return [...found].map(([from, { kind, reads, fields }]) => {
    const label = [...fields].join(", ");
    return { from, to: "output", kind, reads: [...reads.keys()], ...(label !== "" && { label }) };
  });
}

function note(
  found: Map<string, EdgeDraft>,
  { root, path }: Reference,
  { byAs, kind, field }: { readonly byAs: Names; readonly kind: GraphEdgeKind; readonly field?: string },
): void {
  const [name] = path;
  if (root === "input") return noteRead(found, { from: "input", read: pathText(path), kind, field });
  if (typeof name !== "string") return undefined;
  if (root === "steps") return noteRead(found, { from: `steps.${name}`, read: pathText(path.slice(1)), kind, field });
  const producer = root === "context" ? byAs.get(name) : undefined;
  if (producer === undefined) return undefined;
  return noteRead(found, { from: `steps.${producer}`, read: pathText(["output", ...path.slice(1)]), kind, field });
}

function noteRead(
  found: Map<string, EdgeDraft>,
  {
    from,
    read,
    kind,
    field,
  }: { readonly from: string; readonly read: string; readonly kind: GraphEdgeKind; readonly field: string | undefined },
): void {
  const entry = noteKind(found, from, kind);
  if (read !== "" && entry.reads.get(read) !== "data") entry.reads.set(read, kind);
  if (field !== undefined) entry.fields.add(field);
}

function noteKind(found: Map<string, EdgeDraft>, from: string, kind: GraphEdgeKind): EdgeDraft {
  let entry = found.get(from);
  if (entry === undefined) found.set(from, (entry = { kind, reads: new Map(), fields: new Set() }));
  if (strength[kind] > strength[entry.kind]) entry.kind = kind;
  return entry;
}

/** A path as the language writes it, without the root: `output[0].url`. */
function pathText(path: Reference["path"]): string {
  return path
    .map((part) => {
      if (typeof part === "number") return `[${part}]`;
      return typeof part === "string" ? `.${part}` : "[*]";
    })
    .join("")
    .replace(/^\./, "");
}

/** The fields that are read; empty if the whole output is read. A condition is shown on the step that has it. */
function labelOf(from: string, { kind, reads }: EdgeDraft): string {
  return [...reads]
    .filter(([, why]) => why === kind)
    .map(([read]) => (from === "input" ? read : read.replace(/^output\.?/, "")))
    .filter((read) => read !== "")
    .join(", ");
}
