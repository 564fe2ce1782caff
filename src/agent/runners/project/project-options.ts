import { isRecord } from "../../../schema/index.ts";
import type { AgentSpec } from "../../run/agent-spec.ts";

/** What a project is, as `options` of its agent say. */
export interface ProjectOptions {
  readonly instructions: string | undefined;
  /** Relative to the workspace. */
  readonly folder: string;
  /** Patterns of the files that the model is shown, as seen from the folder; one that begins with `!` takes files out. */
  readonly files: readonly string[];
  /** Names of the tools that it may use, `*` for any letters; those of the agent where absent. */
  readonly tools: readonly string[] | undefined;
  readonly mode: "planned" | "autonomous";
  /** About so many tokens the files may take. */
  readonly budget: number;
  /** What of them cannot be used. */
  readonly problems: readonly string[];
}

/** Of a whole request, what the files of a project take at most where nothing is said. */
const usualPart = 0.25;
const mostPart = 0.6;
const mostPatterns = 100;

/** The options of an agent as the project runner reads them; of what makes no sense it takes note. */
export function readProjectOptions({ options, contextTokens }: AgentSpec): ProjectOptions {
  const given: Readonly<Record<string, unknown>> = isRecord(options) ? options : {};
  const problems: string[] = [];
  /** `usual` where nothing is said, `wrong` where it cannot be read. */
  const take = <T, U>(name: string, read: Reader<T>, [usual, wrong]: readonly [usual: U, wrong: U]): T | U => {
    if (!Object.hasOwn(given, name) || given[name] === undefined) return usual;
    const value = read.read(given[name]);
    if (value === undefined) problems.push(`options.${name} is not ${read.what}, and was not used`);
    return value ?? wrong;
  };
  const budget = take("budget", count, [contextTokens * usualPart, contextTokens * usualPart]);
  return {
    instructions: take("instructions", text, [undefined, undefined]),
    folder: take("folder", text, [".", "."]),
    files: take("files", texts, [[], []]).slice(0, mostPatterns),
    // A list that cannot be read must not open more than it was to allow.
    tools: take("tools", texts, [undefined, []]),
    mode: take("mode", mode, ["planned", "planned"]),
    budget: Math.min(budget, contextTokens * mostPart),
    problems,
  };
}

interface Reader<T> {
  readonly what: string;
  /** Undefined where it is something else. */
  read(value: unknown): T | undefined;
}

const text: Reader<string> = {
  what: "a text",
  read: (value) => (typeof value === "string" && value.trim() !== "" ? value : undefined),
};

const texts: Reader<string[]> = {
  what: "a list of texts",
  read: (value) => {
    const list: unknown[] = Array.isArray(value) ? value : [value];
    return list.every((one) => typeof one === "string") ? list : undefined;
  },
};

const count: Reader<number> = {
  what: "a number of tokens",
  read: (value) => (typeof value === "number" && value >= 0 ? value : undefined),
};

const mode: Reader<ProjectOptions["mode"]> = {
  what: '"planned" or "autonomous"',
  read: (value) => (value === "planned" || value === "autonomous" ? value : undefined),
};
