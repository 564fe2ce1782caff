import type { Reference } from "../../expr/index.ts";
import type { Plan, PlanStep } from "../plan/plan.ts";
import type { GraphEdge, GraphEdgeKind } from "./graph.ts";

/** What is known about one connection while references are gone through. */
interface Found {
  kind: GraphEdgeKind;
  /** What is read, and the strongest reason to read it. */
  readonly reads: Map<string, GraphEdgeKind>;
  readonly fields: Set<string>;
}

/** Data says more than a condition, a condition more than order. */
const strength: Readonly<Record<GraphEdgeKind, number>> = { order: 0, condition: 1, data: 2 };

/** The connections of a chain, by where they lead: to each step in the order of the file, then to the output. */
export function graphEdges(plan: Plan): GraphEdge[] {
  const byAs = new Map(plan.steps.flatMap((step) => (step.as === undefined ? [] : [[step.as, step.id] as const])));
  return [...plan.steps.flatMap((step) => edgesTo(step, plan, byAs)), ...edgesToOutput(plan, byAs)];
}

type Names = ReadonlyMap<string, string>;

function edgesTo(step: PlanStep, plan: Plan, byAs: Names): GraphEdge[] {
  const found = new Map<string, Found>();
  // What it waits for comes first, so that order is the kind of what no reference explains.
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

/** What a step reads other than to know whether it runs. */
function dataOf({ params, forEach, repeat, cache, approval }: PlanStep): Reference[] {
  const parts = [params, forEach?.items, repeat?.until, cache?.key, approval?.message];
  return parts.flatMap((part): readonly Reference[] => part?.references ?? []);
}

/** Where the chain names no output, what nobody else waits for is what it gives. */
function edgesToOutput({ output, steps, spec }: Plan, byAs: Names): GraphEdge[] {
  if (output === undefined) {
    const last = steps.filter(({ dependents }) => dependents.length === 0);
    return last.map(({ id }) => ({ from: `steps.${id}`, to: "output", kind: "data", reads: ["output"] }));
  }
  const found = new Map<string, Found>();
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

interface Use {
  readonly byAs: Names;
  readonly kind: GraphEdgeKind;
  readonly field?: string;
}

function note(found: Map<string, Found>, { root, path }: Reference, { byAs, kind, field }: Use): void {
  const [name] = path;
  if (root === "input") return noteRead(found, { from: "input", read: pathText(path), kind, field });
  if (typeof name !== "string") return undefined;
  if (root === "steps") return noteRead(found, { from: `steps.${name}`, read: pathText(path.slice(1)), kind, field });
  const producer = root === "context" ? byAs.get(name) : undefined;
  if (producer === undefined) return undefined;
  return noteRead(found, { from: `steps.${producer}`, read: pathText(["output", ...path.slice(1)]), kind, field });
}

interface Read {
  readonly from: string;
  readonly read: string;
  readonly kind: GraphEdgeKind;
  readonly field: string | undefined;
}

function noteRead(found: Map<string, Found>, { from, read, kind, field }: Read): void {
  const entry = noteKind(found, from, kind);
  if (read !== "" && entry.reads.get(read) !== "data") entry.reads.set(read, kind);
  if (field !== undefined) entry.fields.add(field);
}

function noteKind(found: Map<string, Found>, from: string, kind: GraphEdgeKind): Found {
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

/** The fields that are read; nothing where the whole output is. A condition is told by the step that has it. */
function labelOf(from: string, { kind, reads }: Found): string {
  return [...reads]
    .filter(([, why]) => why === kind)
    .map(([read]) => (from === "input" ? read : read.replace(/^output\.?/, "")))
    .filter((read) => read !== "")
    .join(", ");
}
