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
  const { instructions, folder = ".", files = [], tools, mode = "planned", budget } = given;
  const problems: string[] = [];
  const orNote = <T>(value: T | undefined, name: string, what: string): T | undefined => {
    if (value === undefined) problems.push(`options.${name} is not ${what}, and was not used`);
    return value;
  };
  const isMode = mode === "planned" || mode === "autonomous";
  return {
    instructions: instructions === undefined ? undefined : orNote(textOf(instructions), "instructions", "a text"),
    folder: orNote(textOf(folder), "folder", "a path") ?? ".",
    files: orNote(textsOf(files), "files", "a list of patterns")?.slice(0, mostPatterns) ?? [],
    // One that cannot be read must not open more than it was to allow.
    tools: tools === undefined ? undefined : (orNote(textsOf(tools), "tools", "a list of names") ?? []),
    mode: orNote(isMode ? mode : undefined, "mode", '"planned" or "autonomous"') ?? "planned",
    budget:
      budget === undefined
        ? contextTokens * usualPart
        : Math.min(orNote(countOf(budget), "budget", "a number of tokens") ?? Infinity, contextTokens * mostPart),
    problems,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function textsOf(value: unknown): string[] | undefined {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.every((one) => typeof one === "string") ? list : undefined;
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}
