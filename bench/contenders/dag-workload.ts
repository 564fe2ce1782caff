import { z } from "zod";

/** One step of a graph, with its dependencies and its duration. */
export interface DagStep {
  readonly id: string;
  readonly ms: number;
  readonly needs: readonly string[];
}

export interface DagTask {
  readonly steps: readonly DagStep[];
  readonly schema: typeof dagSchema;
  /** Takes exactly `ms`, to a fraction of a millisecond; returns the largest value plus one. */
  readonly run: (args: { readonly ms: number; readonly values: readonly number[] }) => Promise<{ value: number }>;
}

const dagSchema = z.object({ ms: z.number(), values: z.array(z.number()) });

/** Three graphs, so that no contender benefits from a particular shape. */
export const dags: readonly DagTask[] = [11, 22, 33].map((seed) => ({
  steps: randomSteps(seed, 40),
  schema: dagSchema,
  run: async ({ ms, values }) => {
    await waitExactly(ms);
    return { value: 1 + Math.max(0, ...values) };
  },
}));

/** Returns the expected outputs of the steps, in order. */
export function valuesOf(steps: readonly DagStep[]): number[] {
  const values = new Map<string, number>();
  for (const { id, needs } of steps) values.set(id, 1 + Math.max(0, ...needs.map((need) => values.get(need) ?? 0)));
  return [...values.values()];
}

/** Returns the longest path through the graph, in milliseconds: the lower bound. */
export function criticalPathMs(steps: readonly DagStep[]): number {
  const ends = new Map<string, number>();
  for (const { id, ms, needs } of steps) ends.set(id, ms + Math.max(0, ...needs.map((need) => ends.get(need) ?? 0)));
  return Math.max(...ends.values());
}

/** Groups the steps by the length of the longest path to them, for contenders that work level by level. */
export function levelsOf(steps: readonly DagStep[]): DagStep[][] {
  const values = valuesOf(steps);
  const levels: DagStep[][] = [];
  for (const [index, step] of steps.entries()) (levels[(values[index] ?? 1) - 1] ??= []).push(step);
  return levels;
}

/** Each step takes 5 to 40 ms and depends on up to three of the twelve steps before it; a few have no dependency. */
function randomSteps(seed: number, count: number): DagStep[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, (_, index) => {
    const requested = index < 4 ? 0 : Math.floor(random() * 4);
    const needs = new Set<string>();
    for (let at = 0; at < requested; at++) needs.add(`s${index - 1 - Math.floor(random() * Math.min(index, 12))}`);
    return { id: `s${index}`, ms: 5 + Math.floor(random() * 36), needs: [...needs] };
  });
}

/** Returns a seeded generator of numbers from 0 to 1: the high bits of a linear congruential generator. */
function randomNumbers(seed: number): () => number {
  let state = BigInt(seed);
  return () => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffff_ffff_ffff_ffffn;
    return Number(state >> 40n) / 2 ** 24;
  };
}

/** Timers are late by about a millisecond; over a path of many steps this would dominate the measurement. */
function waitExactly(ms: number): Promise<void> {
  const due = performance.now() + ms;
  return new Promise((resolve) => {
    const look = (): void => {
      if (performance.now() >= due) resolve();
      else setImmediate(look);
    };
    setTimeout(look, ms - 2);
  });
}
