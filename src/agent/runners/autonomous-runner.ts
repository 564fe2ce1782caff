import { type FailureError, isFailureError } from "../../base/index.ts";
import { findToolsName } from "../../hub/index.ts";
import { recordValue, type RunProgram } from "../../run/index.ts";
import { chooseTools } from "../loop/choose-tools.ts";
import { runAgentLoop } from "../loop/agent-loop.ts";
import { detectLanguage } from "../../text/index.ts";
import { agentTexts } from "../texts/agent-texts.ts";
import type { AgentRun } from "../run/agent-run.ts";
import type { AgentPrompt, Runner, RunnerAnswer } from "../run/runner.ts";
import { type DelegateOptions, type GatheredResult, resultsIn } from "./gathered-results.ts";
import { answerPlanned } from "./planned/answer-planned.ts";
import { noticeIgnoredCommands } from "./commands/detect-commands.ts";
import { systemPrompt, toolRules, userMessage } from "./prompt-messages.ts";
import { isRequestRejected, isToolsUnsupported } from "../loop/request-model.ts";

/** The model decides which tools to call, round by round. */
export const autonomousRunner: Runner = {
  name: "autonomous",
  run: (run, prompt) => answerAutonomously(run, prompt),
};

/** Answers in the loop; if that fails, answers like the planned runner, with the tool results so far. */
export function* answerAutonomously(
  run: AgentRun,
  prompt: AgentPrompt,
  brief: DelegateOptions = {},
): RunProgram<RunnerAnswer> {
  noticeIgnoredCommands(run, prompt.text);
  try {
    return { answer: yield* loop(run, prompt, brief) };
  } catch (error) {
    const earlier = resultsIn(run.messages, prompt.history);
    if (run.isCancelled || !isFailureError(error) || !canPlanHelp(error, earlier)) throw error;
    // Without tools a plan would repeat the same request.
    if (!(yield* recordValue("main.tools", () => chooseTools(run, prompt).offered.size > 0))) throw error;
    run.notice({ code: "loop_failed", params: { message: error.message } });
    return yield* plan(run, prompt, { ...brief, earlier, noTools: isToolsUnsupported(error), noCommands: true });
  }
}

/** Tries a plan, and adds a notice of its outcome. */
function* plan(run: AgentRun, prompt: AgentPrompt, brief: DelegateOptions): RunProgram<RunnerAnswer> {
  try {
    const answered = yield* answerPlanned(run, prompt, brief);
    run.notice({ code: "plan_succeeded", params: {} });
    return answered;
  } catch (error) {
    if (!run.isCancelled && isFailureError(error))
      run.notice({ code: "plan_failed", params: { message: error.message } });
    throw error;
  }
}

/**
 * True if planning the calls and answering without tools may help: the service does not support tools, or rejects the
 * conversation with their results; or the model gave no answer with tools. All other failures affect every model
 * request: the model, the connection, the cost, or a refusal.
 */
function canPlanHelp(error: FailureError, earlier: readonly GatheredResult[]): boolean {
  if (error.reason === "invalid_output" || isToolsUnsupported(error)) return true;
  return earlier.length > 0 && isRequestRejected(error);
}

function* loop(run: AgentRun, prompt: AgentPrompt, { rules = [], preface = [] }: DelegateOptions): RunProgram<string> {
  const { offered, more } = chooseTools(run, prompt);
  const messages = [...prompt.history, userMessage(prompt, run.family.userMessage(prompt.text, offered.size > 0))];
  run.messages = messages;
  const all = [
    ...rules,
    ...toolRules,
    ...(more > 0 ? [agentTexts[detectLanguage(prompt.text)].moreTools(more, findToolsName)] : []),
  ];
  const system = run.family.systemPrompt(systemPrompt(run, all), offered.definitions);
  const tools = offered.size === 0 ? undefined : offered;
  return yield* runAgentLoop(run, { part: "main", system, preface, messages, tools, maxRounds: run.spec.maxRounds });
}

/** The model alone, without tools. */
export const llmRunner: Runner = {
  name: "llm",
  *run(run, prompt) {
    noticeIgnoredCommands(run, prompt.text);
    const messages = [...prompt.history, userMessage(prompt, run.family.userMessage(prompt.text, false))];
    run.messages = messages;
    const system = run.family.systemPrompt(systemPrompt(run, []), []);
    const answer = yield* runAgentLoop(run, { part: "main", system, messages, tools: undefined, maxRounds: 0 });
    return { answer };
  },
};
