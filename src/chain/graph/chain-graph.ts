import { isRecord, propertiesOf } from "../../schema/index.ts";
import { calledPlan, targetEffect } from "../plan/chain-effect.ts";
import type { FallbackPlan, Plan, PlanStep, Target } from "../plan/plan.ts";
import type { WaitSpec } from "../plan/chain-spec.ts";
import { dataReferencesOf } from "../plan/step-references.ts";
import type {
  ChainGraph,
  GraphEffect,
  GraphFallback,
  GraphNode,
  GraphStep,
  GraphEdge,
  GraphEdgeKind,
} from "./graph.ts";
import type { Reference } from "../../expr/index.ts";

/**
 * A chain as nodes and connections, ready for {@link toSvg}, {@link toMermaid} and {@link toGraphJson}.
 *
 * @example
 * ```ts
 * const { plan } = planChain({ text, file: "research.yaml" }, { tools });
 * if (plan !== undefined) console.log(toMermaid(chainGraph(plan)));
 * ```
 */
export function chainGraph(plan: Plan): ChainGraph {
  const edges = graphEdges(plan);
  const connected = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const nodes: GraphNode[] = plan.steps.map((step) => graphStep(step));
  const inputs = Object.keys(propertiesOf(plan.input.json));
  if (inputs.length > 0 || connected.has("input")) nodes.unshift({ key: "input", kind: "input", fields: inputs });
  if (connected.has("output")) nodes.push({ key: "output", kind: "output", fields: outputNames(plan) });
  return {
    name: plan.name,
    description: plan.description,
    version: plan.spec.version ?? "",
    nodes,
    edges,
    fallbacks: chainFallbacks(plan),
  };
}

function graphStep(step: PlanStep): GraphStep {
  const { spec, id, target, forEach, repeat, retry, cache, approval, compensate, timeoutMs } = step;
  const { description, condition } = spec;
  return {
    key: `steps.${id}`,
    kind: kindOf(target),
    id,
    tool: target.name,
    ...(spec.wait !== undefined && { wait: waitText(spec.wait) }),
    ...(description !== undefined && { description }),
    effect: effectOf(step),
    ...(condition !== undefined && { condition: bare(String(condition)) }),
    ...(forEach && { forEach: { items: itemsText(spec.for_each), concurrency: forEach.concurrency } }),
    ...(repeat && { repeat: { until: bare(repeat.until.text), max: repeat.max } }),
    ...(retry.max > 0 && { retry: retry.max }),
    ...(cache && { cacheMs: cache.ttlMs }),
    ...(approval && { approval: approval.message.text }),
    ...(compensate && { compensate: compensate.target.name }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    fallbacks: step.onFailure.fallback.filter((entry) => standsInFor(entry, step)).map(graphFallback),
  };
}

function waitText(wait: WaitSpec): string {
  if (typeof wait !== "object") return bare(String(wait));
  const { event, timeout, until } = wait;
  if (event === undefined) return `until ${bare(String(until))}`;
  return `for ${bare(event)}${timeout === undefined ? "" : `, at most ${bare(String(timeout))}`}`;
}

function kindOf({ chain }: Target): "tool" | "chain" {
  return chain === undefined ? "tool" : "chain";
}

function effectOf({ target, params }: PlanStep): GraphEffect {
  // A chain that cannot be planned may have any effect.
  if (target.chain !== undefined) return calledPlan(target)?.effect ?? "once";
  if (typeof target.tool?.effect === "function" && !params.constant) return "varies";
  return targetEffect(target, params);
}

/** The steps whose failure an entry's condition names; empty if it names none. */
function failuresNamedIn({ condition }: FallbackPlan): readonly unknown[] {
  return (condition?.references ?? [])
    .filter(({ root, path }) => root === "steps" && path[1] === "error")
    .map(({ path }) => path[0]);
}

/** True if this entry is for this step: its own, or one of the chain's whose condition names the step's failure. */
function standsInFor(entry: FallbackPlan, { id, spec }: PlanStep): boolean {
  const named = failuresNamedIn(entry);
  return named.length === 0 ? spec.error_handling !== undefined : named.includes(id);
}

/** The chain's own entries whose conditions name no step. */
function chainFallbacks({ steps }: Plan): GraphFallback[] {
  const heir = steps.find(({ spec }) => spec.error_handling === undefined);
  const entries = heir?.onFailure.fallback ?? [];
  return entries.filter((entry) => failuresNamedIn(entry).length === 0).map(graphFallback);
}

function graphFallback({ target, condition }: FallbackPlan): GraphFallback {
  return { tool: target.name, kind: kindOf(target), ...(condition && { condition: bare(condition.text) }) };
}

function outputNames({ spec }: Plan): string[] {
  return isRecord(spec.output) ? Object.keys(spec.output) : [];
}

function itemsText(items: string | readonly unknown[] | undefined): string {
  return typeof items === "string" ? bare(items) : `${items?.length ?? 0} items`;
}

/** An expression without the `${…}` around it. */
function bare(text: string): string {
  const trimmed = text.trim();
  const inner = trimmed.startsWith("${") && trimmed.endsWith("}") ? trimmed.slice(2, -1) : trimmed;
  return inner.includes("${") ? trimmed : inner.trim();
}

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
function graphEdges(plan: Plan): GraphEdge[] {
  const byAs = new Map(plan.steps.flatMap((step) => (step.as === undefined ? [] : [[step.as, step.id] as const])));
  return [...plan.steps.flatMap((step) => edgesTo(step, plan, byAs)), ...edgesToOutput(plan, byAs)];
}

type Names = ReadonlyMap<string, string>;

function edgesTo(step: PlanStep, plan: Plan, byAs: Names): GraphEdge[] {
  const found = new Map<string, EdgeDraft>();
  // Dependencies come first, so that `order` is the kind of those that no reference explains.
  for (const index of step.needs) noteKind(found, `steps.${plan.steps[index]?.id}`, "order");
  for (const reference of dataReferencesOf(step)) note(found, reference, { byAs, kind: "data" });
  for (const reference of step.condition?.references ?? []) note(found, reference, { byAs, kind: "condition" });
  const key = `steps.${step.id}`;
  // A step that repeats may read itself.
  found.delete(key);
  return [...found].map(([from, entry]) => {
    // The fields that are read; empty if the whole output is read. A condition is shown on the step that has it.
    const label = [...entry.reads]
      .filter(([, why]) => why === entry.kind)
      .map(([read]) => (from === "input" ? read : read.replace(/^output\.?/, "")))
      .filter((read) => read !== "")
      .join(", ");
    return { from, to: key, kind: entry.kind, reads: [...entry.reads.keys()], ...(label !== "" && { label }) };
  });
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
