import type { AgentRun } from "../../run/agent-run.ts";
import { GivenOptions } from "../options/given-options.ts";
import { runnerOptions } from "../options/runner-options.ts";

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
}

/** Of a whole request, what the files of a project take at most where nothing is said. */
const usualPart = 0.25;
const mostPart = 0.6;
const mostPatterns = 100;

/** Reads the options for the project runner; of what cannot be used the run takes note. */
export function readProjectOptions(run: AgentRun): ProjectOptions {
  const { contextTokens } = run.spec;
  const given = new GivenOptions(run, runnerOptions.project);
  return {
    instructions: given.take("instructions", undefined),
    folder: given.take("folder", "."),
    files: given.take("files", []).slice(0, mostPatterns),
    // A list that cannot be read must not open more than it was to allow.
    tools: given.take("tools", undefined, []),
    mode: given.take("mode", "planned"),
    budget: Math.min(given.take("budget", contextTokens * usualPart), contextTokens * mostPart),
  };
}
