import { fail } from "../../../base/index.ts";
import { runSubChain } from "../../../chain/index.ts";
import type { Runner, AgentPrompt } from "../../run/runner.ts";
import { noticeIgnoredCommands } from "../commands/detect-commands.ts";
import { userMessage } from "../user-message.ts";
import { composeAnswer } from "./compose-answer.ts";
import { Crew } from "./crew.ts";
import { type CrewOptions, crewTable, readRunnerOptions } from "../options/runner-options.ts";
import { toChain } from "./to-chain.ts";
import { plannerToolList } from "../../../hub/index.ts";
import { detectLanguage } from "../../reasoning/detect-language.ts";
import type { RunProgram } from "../../../run/index.ts";
import { rankTools } from "../../loop/choose-tools.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import { systemPrompt } from "../system-prompt.ts";
import { requestJson } from "../request-json.ts";
import { type CrewStep, noTool } from "./plan/crew-step.ts";
import { type ParsedCrewPlan, parseCrewPlan } from "./plan/parse-crew-plan.ts";

/**
 * A planner breaks the prompt into steps, which run as a chain, each with its tool, with another one of the same
 * capability or by reasoning; their results are verified and combined into the answer.
 */
export const crewRunner: Runner = {
  name: "crew",
  *run(run, prompt) {
    noticeIgnoredCommands(run, prompt.text);
    const options = readCrewOptions(run);
    run.messages = [...prompt.history, userMessage(prompt, prompt.text)];
    const steps = yield* createCrewPlan(run, prompt, options);
    const crew = new Crew(run, prompt, steps);
    const plan = toChain(steps, run.spec.maxParallel);
    yield* runSubChain({ key: "crew", plan, input: {}, onEvent: undefined, own: crew.tools });
    if (run.isCancelled) throw fail("the run was cancelled", { code: "cancelled" });
    return yield* composeAnswer(crew, options);
  },
};

/**
 * Breaks a prompt into steps: requests a plan once, and once more if the plan has issues. The last plan with usable steps
 * counts; if there is none, the prompt itself is the only step, done by reasoning without a tool.
 */
function* createCrewPlan(
  run: AgentRun,
  prompt: AgentPrompt,
  { maxSteps }: CrewOptions,
): RunProgram<readonly CrewStep[]> {
  let round = 0;
  let usable: ParsedCrewPlan | undefined;
  const last = yield* requestJson(run, {
    turnRef: () => ({ part: "plan", round: ++round }),
    system: systemPrompt(run, plannerRules(run, prompt, maxSteps)),
    messages: [...prompt.history, userMessage(prompt, prompt.text)],
    read: (answer) => {
      const parsed = parseCrewPlan(answer, { maxSteps });
      if (parsed.steps.length > 0) usable = parsed;
      return parsed;
    },
  });
  const plan = usable ?? last;
  const steps = plan.steps.length > 0 ? plan.steps : [wholeStep(prompt)];
  if (plan.steps.length === 0) {
    run.notice(`there was no usable plan (${plan.issues.join("; ")}): the prompt was answered in one step`);
  }
  for (const note of plan.notes) run.notice(note);
  if (run.hasListener) run.emit({ type: "notice", text: describePlan(steps) });
  return steps;
}

function wholeStep({ text }: AgentPrompt): CrewStep {
  return { id: "step-1", description: text, toolType: noTool, dependencies: [], complexity: "medium" };
}

function plannerRules(run: AgentRun, prompt: AgentPrompt, maxSteps: number): string[] {
  const order = rankTools(run, prompt.text);
  const offered = new Set(order);
  const { text, names } = plannerToolList(run.engine.tools, {
    order,
    isOffered: (tool) => offered.has(tool),
    language: detectLanguage(prompt.text),
  });
  run.noteDefinitions(order.filter(({ name }) => names.includes(name)));
  return [
    "You do not answer the question yourself: you plan how others answer it. Break it into the fewest steps that lead " +
      `to the answer, ${maxSteps} at most; one step is enough where no more is needed. Answer with one JSON object and ` +
      "nothing else:",
    '{"steps": [{"id": "1", "description": "…", "tool_type": "…", "dependencies": [], "complexity": "low", "input": {}}]}',
    [
      "- description: what is to be found out or done, complete in itself, with all names, numbers and calculations of " +
        "the question, in its language. The executor of the step sees this and the results of its dependencies.",
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

const maxPlanSteps = 50;

/** Reads the options of the crew; invalid options add a notice. */
function readCrewOptions(run: AgentRun): CrewOptions {
  const { maxSteps, answer } = readRunnerOptions(run, crewTable);
  return { maxSteps: Math.min(maxSteps, maxPlanSteps), answer };
}
