import { fail } from "../../../base/index.ts";
import type { PlannedStep } from "../../events/agent-notice.ts";
import { runSubChain } from "../../../chain/index.ts";
import type { Runner, AgentPrompt } from "../../run/runner.ts";
import { noticeIgnoredCommands } from "../commands/detect-commands.ts";
import { userMessage } from "../user-message.ts";
import { composeAnswer } from "./compose-answer.ts";
import { Crew } from "./crew.ts";
import { type CrewOptions, crewTable, readRunnerOptions } from "../options/runner-options.ts";
import { toChain } from "./to-chain.ts";
import { plannerToolList } from "../../../hub/index.ts";
import { detectLanguage } from "../../../text/index.ts";
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
    run.notice({ code: "plan_unusable", params: { issues: plan.issues, instead: "one_step" } });
  }
  for (const notice of plan.notices) run.notice(notice);
  if (run.hasListener) run.emitNotice({ code: "plan_made", params: { steps: steps.map(toPlannedStep) } });
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

function toPlannedStep({ id, description, toolType: tool, dependencies }: CrewStep): PlannedStep {
  return { id, description, tool, dependencies };
}

const maxPlanSteps = 50;

/** Reads the options of the crew; invalid options add a notice. */
function readCrewOptions(run: AgentRun): CrewOptions {
  const { maxSteps, answer } = readRunnerOptions(run, crewTable);
  return { maxSteps: Math.min(maxSteps, maxPlanSteps), answer };
}
