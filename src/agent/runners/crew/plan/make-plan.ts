import { plannerToolList } from "../../../../hub/index.ts";
import type { Flow } from "../../../flow/flow.ts";
import { mayUse } from "../../../run/may-use.ts";
import type { AgentQuestion } from "../../../runner.ts";
import type { AgentRun } from "../../../run/agent-run.ts";
import { systemPrompt } from "../../system-prompt.ts";
import { userMessage } from "../../user-message.ts";
import { askForJson } from "../../ask-for-json.ts";
import type { CrewOptions } from "../crew-options.ts";
import { type CrewStep, noTool } from "./crew-step.ts";
import { readPlan } from "./read-plan.ts";

/**
 * Breaks a question into steps: the model is asked once, and once more where its plan cannot be used. Where that is no
 * use either, the question itself is the only step, to be thought about without a tool.
 */
export function* makePlan(
  run: AgentRun,
  question: AgentQuestion,
  { maxSteps }: CrewOptions,
): Flow<readonly CrewStep[]> {
  let round = 0;
  const plan = yield* askForJson(run, {
    place: () => ({ part: "plan", round: ++round }),
    system: systemPrompt(run, plannerRules(run, maxSteps)),
    messages: [...question.history, userMessage(question, question.text)],
    read: (answer) => readPlan(answer, { maxSteps }),
  });
  const steps = plan.steps.length > 0 ? plan.steps : [wholeStep(question)];
  if (plan.steps.length === 0) {
    run.note(`there was no usable plan (${plan.issues.join("; ")}): the question was answered in one step`);
  }
  for (const note of plan.notes) run.note(note);
  if (run.listens) run.tell({ type: "note", text: describePlan(steps) });
  return steps;
}

function wholeStep({ text }: AgentQuestion): CrewStep {
  return { id: "step-1", description: text, toolType: noTool, dependencies: [], complexity: "medium" };
}

function plannerRules(run: AgentRun, maxSteps: number): string[] {
  const { text } = plannerToolList(run.engine.tools, { isOffered: (tool) => mayUse(run, tool) });
  return [
    "You do not answer the question yourself: you plan how others answer it. Break it into the fewest steps that lead " +
      `to the answer, ${maxSteps} at most; one step is enough where no more is needed. Answer with one JSON object and ` +
      "nothing else:",
    '{"steps": [{"id": "1", "description": "…", "tool_type": "…", "dependencies": [], "complexity": "low", "input": {}}]}',
    [
      "- description: what is to be found out or done, complete in itself, with all names, numbers and calculations of " +
        "the question, in its language. Whoever does the step sees this and the results of its dependencies.",
      "- tool_type: the name of one tool of the list below, or none to think without a tool.",
      "- dependencies: the ids of the steps whose results it needs, and no others. Steps that do not wait for each other " +
        "run at the same time.",
      "- complexity: low, medium or high.",
      "- input: the arguments of the tool, where they are known already; leave it out otherwise.",
    ].join("\n"),
    `The tools:\n${text}`,
  ];
}

function describePlan(steps: readonly CrewStep[]): string {
  const lines = steps.map(({ id, description, toolType, dependencies }) => {
    const after = dependencies.length === 0 ? "" : `, after ${dependencies.join(" and ")}`;
    return `${id} (${toolType}${after}): ${description}`;
  });
  return [`${steps.length === 1 ? "one step" : `${steps.length} steps`}:`, ...lines].join("\n");
}
