import type { RunProgram } from "../../../run/index.ts";
import type { OptionsOf } from "../../../schema/index.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentPrompt, Runner, RunnerAnswer } from "../../run/runner.ts";
import { answerAutonomously } from "../autonomous-runner.ts";
import type { DelegateOptions } from "../gathered-results.ts";
import { answerPlanned } from "../planned/answer-planned.ts";
import { userMessage } from "../prompt-messages.ts";
import { readProjectFiles } from "./project-files.ts";
import { projectTable, readRunnerOptions } from "../options/runner-options.ts";

/** Works with the instructions, files and tools of a project, with a plan or in the loop. */
export const projectRunner: Runner = {
  name: "project",
  run: workOnProject,
};

function* workOnProject(run: AgentRun, prompt: AgentPrompt): RunProgram<RunnerAnswer> {
  const options = readProjectOptions(run);
  const files = yield* readProjectFiles(run, options);
  // Set after the files were read: reading them does not depend on the model's tools.
  run.only = options.tools;
  const { instructions, mode } = options;
  const brief: DelegateOptions = {
    rules: instructions === undefined ? [] : [instructions],
    preface: files === undefined ? [] : [userMessage({}, files)],
  };
  return yield* mode === "planned" ? answerPlanned(run, prompt, brief) : answerAutonomously(run, prompt, brief);
}

/** A project, as configured in `options` of its agent. */
export interface ProjectOptions extends OptionsOf<typeof projectTable> {
  /** Approximate maximum tokens of the files. */
  readonly budget: number;
}

/** Default share of a whole request for the files of a project. */
const defaultShare = 0.25;
const maxShare = 0.6;
const maxPatterns = 100;

/** Reads the options of the project runner; invalid options add a notice. */
export function readProjectOptions(run: AgentRun): ProjectOptions {
  const { contextTokens } = run.spec;
  const options = readRunnerOptions(run, projectTable);
  const { files, tools, budget = contextTokens * defaultShare } = options;
  // An invalid list must not allow more tools than intended.
  const isInvalid = tools === undefined && run.spec.options?.["tools"] !== undefined;
  return {
    ...options,
    files: files.slice(0, maxPatterns),
    ...(isInvalid && { tools: [] }),
    budget: Math.min(budget, contextTokens * maxShare),
  };
}
