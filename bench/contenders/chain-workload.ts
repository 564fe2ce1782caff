import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";

/** What the steps of a chain hand on. */
export interface Value {
  readonly value: number;
}

/** A tool that steps call. */
export interface StepTool {
  readonly name: string;
  readonly description: string;
  readonly schema: typeof valueSchema;
  readonly run: (args: Value) => Promise<Value>;
}

export const valueSchema = z.object({ value: z.number() });

/** Does next to nothing: what is measured is everything around it. */
export const addTool: StepTool = {
  name: "add_one",
  description: "Adds one.",
  schema: valueSchema,
  run: async ({ value }) => ({ value: value + 1 }),
};

/** Each step of a chain that mostly waits takes this long, … */
export const pauseMs = 10;

/** … and that many come in a row. */
export const pauses = 10;

export const pauseTool: StepTool = {
  name: "wait",
  description: "Waits a moment, then adds one.",
  schema: valueSchema,
  run: async ({ value }) => {
    await pause(pauseMs);
    return { value: value + 1 };
  },
};

export const valuesSchema = z.object({ values: z.array(z.number()) });

/** Joins what many steps gave. */
export const sumTool = {
  name: "sum",
  description: "Adds numbers up.",
  schema: valuesSchema,
  run: async ({ values }: { readonly values: readonly number[] }): Promise<Value> => {
    let value = 0;
    for (const one of values) value += one;
    return { value };
  },
} as const;

/** Whoever validates refuses this. */
export const refused = "one" as unknown as number;

/** Steps in a row, each given what the one before gave. */
export interface SequenceTask {
  readonly tool: StepTool;
  readonly steps: number;
}

/** Steps side by side, all given the same, and one that joins them. */
export interface FanoutTask {
  readonly steps: number;
}
