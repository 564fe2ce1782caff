import { isRecord } from "../../../schema/index.ts";

/** How an option of a runner is read. */
export interface OptionReader<T> {
  /** What it has to be. */
  readonly wants: string;
  /** What to write, where that needs saying. */
  readonly hint?: string;
  /** Undefined where it is something else. */
  read(value: unknown): T | undefined;
}

/** How options are read, by their names. */
export type OptionReaders<T> = { readonly [K in keyof T]: OptionReader<T[K]> };

/** The runners there are, and what each reads in the `options` of its agent. */
interface RunnerOptions {
  autonomous: Record<string, never>;
  planned: { commands: Readonly<Record<string, unknown>> };
  vault: { limit: number };
  project: {
    instructions: string;
    folder: string;
    files: readonly string[];
    tools: readonly string[];
    mode: "planned" | "autonomous";
    budget: number;
  };
  crew: { maxSteps: number; answer: "auto" | "model" | "last" };
  llm: Record<string, never>;
}

/** A runner that is there by itself. */
export type RunnerName = keyof RunnerOptions;

const text: OptionReader<string> = {
  wants: "a text",
  read: (value) => (typeof value === "string" && value.trim() !== "" ? value : undefined),
};

const texts: OptionReader<readonly string[]> = {
  wants: "a list of texts",
  read: (value) => {
    const list: unknown[] = Array.isArray(value) ? value : [value];
    return list.every((one) => typeof one === "string") ? list : undefined;
  },
};

const count: OptionReader<number> = {
  wants: "a whole number, 1 or more",
  read: (value) => (typeof value === "number" && Number.isInteger(value) && value >= 1 ? value : undefined),
};

const tokens: OptionReader<number> = {
  wants: "a number of tokens",
  read: (value) => (typeof value === "number" && value >= 0 ? value : undefined),
};

const commands: OptionReader<RunnerOptions["planned"]["commands"]> = {
  wants: "a map of names to tools",
  hint: "write commands: { NAME: { tool: …, params: { … } } }",
  read: (value) => (isRecord(value) ? value : undefined),
};

function oneOf<const T extends string>(...words: readonly T[]): OptionReader<T> {
  return {
    wants: words.map((word) => JSON.stringify(word)).join(" or "),
    read: (value) => words.find((word) => word === value),
  };
}

/**
 * How the options of each runner are read. The settings of a workspace are checked by this without loading the runners,
 * so that it imports none of them.
 */
export const runnerOptions: { readonly [R in RunnerName]: OptionReaders<RunnerOptions[R]> } = {
  autonomous: {},
  planned: { commands },
  vault: { limit: count },
  project: {
    instructions: text,
    folder: text,
    files: texts,
    tools: texts,
    mode: oneOf("planned", "autonomous"),
    budget: tokens,
  },
  crew: { maxSteps: count, answer: oneOf("auto", "model", "last") },
  llm: {},
};

/** The names of the runners there are. */
export const runnerNames: readonly string[] = Object.keys(runnerOptions);
