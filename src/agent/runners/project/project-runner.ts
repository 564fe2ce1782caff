import type { Flow } from "../../flow/flow.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentQuestion, Runner, RunnerAnswer } from "../../runner.ts";
import { answerAutonomously } from "../autonomous-runner.ts";
import type { Brief } from "../brief.ts";
import { answerPlanned } from "../planned/answer-planned.ts";
import { userMessage } from "../user-message.ts";
import { readProjectFiles } from "./project-files.ts";
import { readProjectOptions } from "./project-options.ts";

/** Works with the instructions, files and tools of a project, by a plan or in the loop. */
export const projectRunner: Runner = {
  name: "project",
  run: workOnProject,
};

function* workOnProject(run: AgentRun, question: AgentQuestion): Flow<RunnerAnswer> {
  const options = readProjectOptions(run);
  const files = yield* readProjectFiles(run, options);
  // After the files were read: for that the model needs no tool.
  run.only = options.tools;
  const { instructions, mode } = options;
  const brief: Brief = {
    rules: instructions === undefined ? [] : [instructions],
    preface: files === undefined ? [] : [userMessage({}, files)],
  };
  return yield* mode === "planned" ? answerPlanned(run, question, brief) : answerAutonomously(run, question, brief);
}
