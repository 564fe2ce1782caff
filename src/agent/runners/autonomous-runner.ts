import { type FailureError, isFailureError } from "../../base/index.ts";
import { findToolsName } from "../../hub/index.ts";
import { fact } from "../flow/fact.ts";
import type { Flow } from "../flow/flow.ts";
import { chooseTools } from "../loop/choose-tools.ts";
import { converse } from "../loop/converse.ts";
import type { AgentRun } from "../run/agent-run.ts";
import type { AgentQuestion, Runner, RunnerAnswer } from "../runner.ts";
import type { Brief } from "./brief.ts";
import { type Gathered, resultsIn } from "./gathered.ts";
import { answerPlanned } from "./planned/answer-planned.ts";
import { noteCommands } from "./commands/meant-commands.ts";
import { systemPrompt, toolRules } from "./system-prompt.ts";
import { userMessage } from "./user-message.ts";
import { refusesRequest, refusesTools } from "./refuses-tools.ts";

/** The model decides which tools to call, round by round. */
export const autonomousRunner: Runner = {
  name: "autonomous",
  run: (run, question) => answerAutonomously(run, question),
};

/** Answers in the loop; where that breaks, as the planned runner does, with what the tools have given so far. */
export function* answerAutonomously(run: AgentRun, question: AgentQuestion, brief: Brief = {}): Flow<RunnerAnswer> {
  noteCommands(run, question.text);
  try {
    return { answer: yield* loop(run, question, brief) };
  } catch (error) {
    const earlier = resultsIn(run.messages, question.history);
    if (run.isCancelled || !isFailureError(error) || !canPlanHelp(error, earlier)) throw error;
    // Without tools it would be asked the same again.
    if (!(yield* fact("main.tools", () => chooseTools(run).offered.size > 0))) throw error;
    run.note(`the loop broke (${error.message}); a plan is tried instead`);
    return yield* plan(run, question, { ...brief, earlier, noTools: refusesTools(error), noCommands: true });
  }
}

/** Tries a plan, and says what came of it. */
function* plan(run: AgentRun, question: AgentQuestion, brief: Brief): Flow<RunnerAnswer> {
  try {
    const answered = yield* answerPlanned(run, question, brief);
    run.note("the plan led to the answer");
    return answered;
  } catch (error) {
    if (!run.isCancelled && isFailureError(error)) run.note(`the plan failed as well (${error.message})`);
    throw error;
  }
}

/**
 * Can it help to plan the calls, and to answer without tools? Where tools are what the service does not take, or the
 * conversation with their results; and where the model came to no answer with them. Whatever else is wrong is wrong with
 * every question: who is asked, the way there, what it may cost, what is answered on principle.
 */
function canPlanHelp(error: FailureError, earlier: readonly Gathered[]): boolean {
  if (error.reason === "invalid_output" || refusesTools(error)) return true;
  return earlier.length > 0 && refusesRequest(error);
}

function* loop(run: AgentRun, question: AgentQuestion, { rules = [], preface = [] }: Brief): Flow<string> {
  const { offered, more } = chooseTools(run);
  const messages = [
    ...question.history,
    userMessage(question, run.family.userMessage(question.text, offered.size > 0)),
  ];
  run.messages = messages;
  const all = [...rules, ...toolRules, ...(more > 0 ? [moreTools(more)] : [])];
  const system = run.family.systemPrompt(systemPrompt(run, all), offered.definitions);
  const tools = offered.size === 0 ? undefined : offered;
  return yield* converse(run, { part: "main", system, preface, messages, tools, maxRounds: run.spec.maxRounds });
}

function moreTools(count: number): string {
  return `There are ${count} more tools than you see: ${findToolsName} finds them by what they do, and then they can be called.`;
}
