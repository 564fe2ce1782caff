import type { GraphFallback, GraphStep } from "./graph.ts";

/** The tool or chain of a step, or what it waits for. */
export function calleeText({ tool, wait }: Pick<GraphStep, "tool" | "wait">): string {
  return wait === undefined ? tool : `${tool} ${wait}`;
}

/** All facts of a graph about a step, one per line, for tooltips. */
export function describeStep(step: GraphStep): string {
  const fact = (text: string, value: unknown): string[] => (value === undefined ? [] : [text]);
  return [
    `${step.id}: ${step.kind === "chain" ? "chain " : ""}${calleeText(step)} (${step.effect})`,
    ...fact(`${step.description}`, step.description),
    ...fact(`if ${step.condition}`, step.condition),
    ...fact(`for each of ${step.forEach?.items}, ${step.forEach?.concurrency} at once`, step.forEach),
    ...fact(`repeat until ${step.repeat?.until}, at most ${step.repeat?.max} times`, step.repeat),
    ...fact(`retry up to ${step.retry} times`, step.retry),
    ...fact(`cache for ${duration(step.cacheMs ?? 0)}`, step.cacheMs),
    ...fact(`timeout ${duration(step.timeoutMs ?? 0)}`, step.timeoutMs),
    ...fact(`approval: ${step.approval}`, step.approval),
    ...fact(`undo with ${step.compensate}`, step.compensate),
    ...step.fallbacks.map((fallback) => describeFallback(fallback)),
  ].join("\n");
}

/** Text of a fallback: its tool, and its condition. */
export function describeFallback({ tool, condition }: GraphFallback): string {
  return condition === undefined ? `on failure: ${tool}` : `on failure, if ${condition}: ${tool}`;
}

/** The condition of a fallback, if it requires more than that its step has failed. */
export function furtherCondition(step: GraphStep, { condition }: GraphFallback): string | undefined {
  return condition === `steps.${step.id}.error` ? undefined : condition;
}

/** A duration as people write it: `90s` stays, `3600000` is `1h`. */
export function duration(ms: number): string {
  const units = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "m"],
    [1000, "s"],
  ] as const;
  for (const [size, unit] of units) if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  return ms >= 1000 ? `${Math.round(ms / 100) / 10}s` : `${Math.round(ms)}ms`;
}
