import type { AgentRun } from "../../run/agent-run.ts";
import { RunnerOptionsReader } from "../options/runner-options-reader.ts";
import { runnerOptions } from "../options/runner-options.ts";

/** `options` of an agent with the crew runner. */
export interface CrewOptions {
  /** Longer plans are shortened. Default: 12. Maximum: 50. */
  readonly maxSteps: number;
  /**
   * Author of the answer: the `model`, from all results; `last`, the last result itself; or `auto`, which is the model
   * unless there is only one step, and it was done by reasoning.
   */
  readonly answer: "auto" | "model" | "last";
}

const defaultSteps = 12;
const maxPlanSteps = 50;

/** Reads the options of the crew; invalid options add a notice. */
export function readCrewOptions(run: AgentRun): CrewOptions {
  const providedArgs = new RunnerOptionsReader(run, runnerOptions.crew);
  return {
    maxSteps: Math.min(providedArgs.take("maxSteps", defaultSteps), maxPlanSteps),
    answer: providedArgs.take("answer", "auto"),
  };
}
