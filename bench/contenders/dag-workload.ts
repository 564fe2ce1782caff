import { z } from "zod";

/** One step of a graph: it needs earlier steps, and takes its time. */
export interface DagStep {
  readonly id: string;
  readonly ms: number;
  readonly needs: readonly string[];
}

export interface DagTask {
  readonly steps: readonly DagStep[];
  readonly schema: typeof dagSchema;
  /** Takes that long to a fraction of a millisecond; gives one more than the largest value. */
  readonly run: (args: { readonly ms: number; readonly values: readonly number[] }) => Promise<{ value: number }>;
}

const dagSchema = z.object({ ms: z.number(), values: z.array(z.number()) });

/** Three graphs, so that none of the contenders is lucky with one. */
export const dags: readonly DagTask[] = [11, 22, 33].map((seed) => ({
  steps: randomSteps(seed, 40),
  schema: dagSchema,
  run: async ({ ms, values }) => {
    await waitExactly(ms);
    return { value: 1 + Math.max(0, ...values) };
  },
}));

/** What the steps give, in order. */
export function valuesOf(steps: readonly DagStep[]): number[] {
  const values = new Map<string, number>();
  for (const { id, needs } of steps) values.set(id, 1 + Math.max(0, ...needs.map((need) => values.get(need) ?? 0)));
  return [...values.values()];
}

/** The longest way through the graph, in milliseconds: nobody can be faster. */
export function criticalPathMs(steps: readonly DagStep[]): number {
  const ends = new Map<string, number>();
  for (const { id, ms, needs } of steps) ends.set(id, ms + Math.max(0, ...needs.map((need) => ends.get(need) ?? 0)));
  return Math.max(...ends.values());
}

/** The steps by the number of steps on the longest way to them: for whoever works level by level. */
export function levelsOf(steps: readonly DagStep[]): DagStep[][] {
  const values = valuesOf(steps);
  const levels: DagStep[][] = [];
  for (const [index, step] of steps.entries()) (levels[(values[index] ?? 1) - 1] ??= []).push(step);
  return levels;
}

/** Each step takes 5 to 40 ms and needs up to three of the twelve before it; a few need none. */
function randomSteps(seed: number, count: number): DagStep[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, (_, index) => {
    const wanted = index < 4 ? 0 : Math.floor(random() * 4);
    const needs = new Set<string>();
    for (let at = 0; at < wanted; at++) needs.add(`s${index - 1 - Math.floor(random() * Math.min(index, 12))}`);
    return { id: `s${index}`, ms: 5 + Math.floor(random() * 36), needs: [...needs] };
  });
}

/** The same numbers for the same seed, from 0 to 1: a linear congruential generator, its high bits. */
function randomNumbers(seed: number): () => number {
  let state = BigInt(seed);
  return () => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffff_ffff_ffff_ffffn;
    return Number(state >> 40n) / 2 ** 24;
  };
}

/** Timers are late by up to a millisecond or so; over a path of many steps that would be all there is to see. */
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
