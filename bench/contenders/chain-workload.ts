import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { schema as searchSchema } from "./workload.ts";

/** Value passed from step to step: a query, and a number that proves that every step was executed. */
export interface Input {
  readonly query: string;
  readonly value: number;
}

/** Returns the input of a chain. */
export const inputOf = (value: number): Input => ({ query: `what changed in release ${value}`, value });

/** A tool that steps call. */
export interface StepTool {
  readonly name: string;
  readonly description: string;
  readonly schema: typeof stepSchema;
  readonly run: (args: Input) => Promise<Input>;
}

/** Parameters of the search tool of the call suites, and the number. */
export const stepSchema = searchSchema.extend({ value: z.number() });

/** Output schema of a step, for contenders that require one. */
export const inputSchema = z.object({ query: z.string(), value: z.number() });

/** Does almost nothing, so that only the overhead is measured. */
export const searchTool: StepTool = {
  name: "search",
  description: "Searches the release notes, and adds one.",
  schema: stepSchema,
  run: async ({ query, value }) => ({ query, value: value + 1 }),
};

/** Duration of each step in a chain that mostly waits, … */
export const pauseMs = 10;

/** … and number of its steps. */
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

/** Joins the outputs of many steps. */
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

/** A value that a validating contender rejects. */
export const refused = "one" as unknown as number;

/** Sequential steps, each of which receives the output of the previous one. */
export interface SequenceTask {
  readonly tool: StepTool;
  readonly steps: number;
}

/** Parallel steps with the same input, and one step that joins them. */
export interface FanoutTask {
  readonly steps: number;
}
