import type { AgentRun } from "../../run/agent-run.ts";
import { GivenOptions } from "../options/given-options.ts";
import { runnerOptions } from "../options/runner-options.ts";

/** What the crew takes as `options` of its agent. */
export interface CrewOptions {
  /** A longer plan is shortened; 12 where absent, 50 at most. */
  readonly maxSteps: number;
  /**
   * Who words the answer: the `model`, from all results; the `last` result is it; or `auto`, which is the model unless
   * there is one step only, and it was done by thinking.
   */
  readonly answer: "auto" | "model" | "last";
}

const usualSteps = 12;
const mostSteps = 50;

/** Reads the options for the crew; of what cannot be used the run takes note. */
export function readCrewOptions(run: AgentRun): CrewOptions {
  const given = new GivenOptions(run, runnerOptions.crew);
  return {
    maxSteps: Math.min(given.take("maxSteps", usualSteps), mostSteps),
    answer: given.take("answer", "auto"),
  };
}
