import { isRecord } from "../../schema/index.ts";
import { targetEffect } from "../plan/chain-effect.ts";
import type { FallbackPlan, Plan, PlanStep, Target } from "../plan/plan.ts";
import { graphEdges } from "./graph-edges.ts";
import type { ChainGraph, GraphEffect, GraphFallback, GraphNode, GraphStep } from "./graph.ts";

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
  const inputs = inputNames(plan);
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

function kindOf({ chain }: Target): "tool" | "chain" {
  return chain === undefined ? "tool" : "chain";
}

function effectOf({ target, params }: PlanStep): GraphEffect {
  if (target.chain === undefined) {
    if (typeof target.tool?.effect === "function" && !params.constant) return "varies";
    return targetEffect(target, params);
  }
  try {
    return target.chain().effect;
  } catch {
    // A chain that cannot be planned may have any effect.
    return "once";
  }
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

function inputNames({ input }: Plan): string[] {
  const { properties } = input.json;
  return isRecord(properties) ? Object.keys(properties) : [];
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
