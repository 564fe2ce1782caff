import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { schema as searchSchema } from "./workload.ts";

/** What a step gives to the next: what to look for, and a number, by which one sees that every step was done. */
export interface Given {
  readonly query: string;
  readonly value: number;
}

/** What a chain is given. */
export const givenOf = (value: number): Given => ({ query: `what changed in release ${value}`, value });

/** A tool that steps call. */
export interface StepTool {
  readonly name: string;
  readonly description: string;
  readonly schema: typeof stepSchema;
  readonly run: (args: Given) => Promise<Given>;
}

/** The parameters of the search tool that single calls are measured with, and the number. */
export const stepSchema = searchSchema.extend({ value: z.number() });

/** What a step gives, for whoever has to know. */
export const givenSchema = z.object({ query: z.string(), value: z.number() });

/** Does next to nothing: what is measured is everything around it. */
export const searchTool: StepTool = {
  name: "search",
  description: "Searches the release notes, and adds one.",
  schema: stepSchema,
  run: async ({ query, value }) => ({ query, value: value + 1 }),
};

/** Each step of a chain that mostly waits takes this long, … */
export const pauseMs = 10;

/** … and that many come in a row. */
export const pauses = 10;

export const pauseTool: StepTool = {
  name: "wait",
  description: "Waits a moment, then adds one.",
  schema: stepSchema,
  run: async ({ query, value }) => {
    await pause(pauseMs);
    return { query, value: value + 1 };
  },
};

export const valuesSchema = z.object({ values: z.array(z.number()) });

/** Joins what many steps gave. */
export const sumTool = {
  name: "sum",
  description: "Adds numbers up.",
  schema: valuesSchema,
  run: async ({ values }: { readonly values: readonly number[] }): Promise<{ value: number }> => {
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
