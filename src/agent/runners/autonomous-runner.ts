import { type FailureError, isFailureError } from "../../base/index.ts";
import { findToolsName } from "../../hub/index.ts";
import type { Flow } from "../flow/flow.ts";
import { chooseTools } from "../loop/choose-tools.ts";
import { converse } from "../loop/converse.ts";
import type { AgentRun } from "../run/agent-run.ts";
import type { AgentQuestion, Runner, RunnerAnswer } from "../runner.ts";
import type { Brief } from "./brief.ts";
import { resultsIn } from "./gathered.ts";
import { answerPlanned } from "./planned/answer-planned.ts";
import { systemPrompt, toolRules } from "./system-prompt.ts";
import { userMessage } from "./user-message.ts";
import { refusesTools } from "./without-tools.ts";

/** The model decides which tools to call, round by round. */
export const autonomousRunner: Runner = {
  name: "autonomous",
  run: (run, question) => answerAutonomously(run, question),
};

/** Answers in the loop; where that breaks, as the planned runner does, with what the tools have given so far. */
export function* answerAutonomously(run: AgentRun, question: AgentQuestion, brief: Brief = {}): Flow<RunnerAnswer> {
  try {
    return { answer: yield* loop(run, question, brief) };
  } catch (error) {
    if (run.isCancelled || !isFailureError(error) || !isMendable(error)) throw error;
    run.note(`the loop broke (${error.message}); the question was answered by a plan instead`);
    const earlier = resultsIn(run.messages, question.history);
    return yield* answerPlanned(run, question, { ...brief, earlier, noTools: refusesTools(error) });
  }
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

/** What another way of asking would not change: who is asked, what it may cost, and what is answered on principle. */
const lasting: ReadonlySet<string> = new Set([
  "no_model",
  "unauthorized",
  "rate_limited",
  "refused",
  "budget_exceeded",
]);

/** Can asking in another way help? A server that is out of reach, or too slow, is so for every question. */
function isMendable({ code, reason }: FailureError): boolean {
  if (code === "cancelled" || code === "timeout" || code === "not_available") return false;
  return reason === undefined || !lasting.has(reason);
}
