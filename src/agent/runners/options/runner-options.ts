import { isRecord } from "../../../schema/index.ts";
import type { OptionType } from "../../events/agent-notice.ts";

/** Reads and validates an option of a runner. */
export interface OptionReader<T> {
  readonly type: OptionType;
  /** Correct form, if that needs an explanation. */
  readonly hint?: string;
  /** Undefined if the value is invalid. */
  read(value: unknown): T | undefined;
}

/** Readers of options, by their names. */
export type OptionReaders<T> = { readonly [K in keyof T]: OptionReader<T[K]> };

/** The built-in runners, and the `options` that each reads. */
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

/** Name of a built-in runner. */
export type RunnerName = keyof RunnerOptions;

const text: OptionReader<string> = {
  type: "text",
  read: (value) => (typeof value === "string" && value.trim() !== "" ? value : undefined),
};

const texts: OptionReader<readonly string[]> = {
  type: "texts",
  read: (value) => {
    const list: unknown[] = Array.isArray(value) ? value : [value];
    return list.every((one) => typeof one === "string") ? list : undefined;
  },
};

const count: OptionReader<number> = {
  type: "count",
  read: (value) => (typeof value === "number" && Number.isInteger(value) && value >= 1 ? value : undefined),
};

const tokens: OptionReader<number> = {
  type: "tokens",
  read: (value) => (typeof value === "number" && value >= 0 ? value : undefined),
};

const commands: OptionReader<RunnerOptions["planned"]["commands"]> = {
  type: "commands",
  hint: "write commands: { NAME: { tool: …, params: { … } } }",
  read: (value) => (isRecord(value) ? value : undefined),
};

function oneOf<const T extends string>(...words: readonly T[]): OptionReader<T> {
  return {
    type: words,
    read: (value) => words.find((word) => word === value),
  };
}

/**
 * Readers of the options of each runner. They also check the settings of a workspace without loading the runners, so
 * this module imports none of them.
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

/** The names of the built-in runners. */
export const runnerNames: readonly string[] = Object.keys(runnerOptions);
