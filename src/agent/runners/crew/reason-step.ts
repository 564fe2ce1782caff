import { isFailureError } from "../../../base/index.ts";
import { modelFailure, textOfTurn } from "../../../model/index.ts";
import { cutText, dataRule, fenceData } from "../../../text/index.ts";
import type { Flow } from "../../flow/flow.ts";
import { ask } from "../../loop/ask.ts";
import type { ConversationMessage } from "../../message.ts";
import { systemPrompt } from "../system-prompt.ts";
import { userMessage } from "../user-message.ts";
import type { Verification } from "../../verify/verification.ts";
import { said, toMessage } from "../ask-for-json.ts";
import type { Crew } from "./crew.ts";
import { noTool } from "./plan/crew-step.ts";
import type { StepOutcome } from "./step-outcome.ts";
import type { StepWork } from "./step-work.ts";
import { noteUnverified, verifyStep } from "./verify-step.ts";

/**
 * Does a step by thinking: the model answers it from what it knows and from the results that the step builds on. An
 * answer that cannot be right is asked for once more, with what is wrong; the better of the two counts.
 */
export function* reason(crew: Crew, work: StepWork): Flow<StepOutcome> {
  const { run, question } = crew;
  const messages = [...question.history, userMessage(question, run.family.userMessage(promptOf(crew, work), false))];
  const first = yield* answer(crew, work, messages);
  const best = first.verification.verified ? first : yield* askAgain(crew, work, { messages, first });
  noteUnverified(run, work.step.id, best.verification);
  const { text, verification } = best;
  return { by: "reasoning", text, view: cutText(text, run.spec.viewChars).text, isEmpty: false, verification };
}

interface Answer {
  readonly text: string;
  readonly verification: Verification;
}

function* answer(crew: Crew, work: StepWork, messages: readonly ConversationMessage[]): Flow<Answer> {
  const { run } = crew;
  const system = run.family.systemPrompt(systemPrompt(run, [dataRule]), []);
  const turn = yield* ask(run, work.place(), { system, messages });
  const text = textOfTurn(turn).trim();
  if (text === "") throw modelFailure("invalid_output", `the model ${JSON.stringify(turn.modelId)} answered nothing`);
  if (turn.finishReason === "length") run.note(`${work.step.id} was cut off by the model's limit of tokens`);
  return { text, verification: verifyStep(crew, work, { text }) };
}

interface Doubt {
  readonly messages: readonly ConversationMessage[];
  readonly first: Answer;
}

function* askAgain(crew: Crew, work: StepWork, { messages, first }: Doubt): Flow<Answer> {
  const { issues } = first.verification;
  const complaint = [
    "That cannot be right:",
    ...issues.map(({ message }) => `- ${message}`),
    "Check it, and answer the same again with this put right; where it is right after all, say why.",
  ].join("\n");
  try {
    const second = yield* answer(crew, work, [...messages, ...said(first.text), toMessage(complaint)]);
    return second.verification.confidence >= first.verification.confidence ? second : first;
  } catch (error) {
    // There is an answer, if a doubtful one.
    if (!isFailureError(error) || crew.run.isCancelled) throw error;
    return first;
  }
}

function promptOf({ question, works }: Crew, work: StepWork): string {
  const { step } = work;
  if (works.length === 1 && step.toolType === noTool) return question.text;
  return [
    `The question that is being answered in ${works.length} steps: ${question.text}`,
    `Do this step of it, and nothing else: ${step.description}`,
    ...work.bases.map(resultOf),
    ...failedTool(work),
    "Answer with the result of this step, in a few sentences.",
  ].join("\n\n");
}

/** What a step gave, for whoever builds on it. */
function resultOf({ step, outcome, error }: StepWork): string {
  if (outcome !== undefined) return `What ${step.id} gave (${step.description}):\n${fenceData(step.id, outcome.view)}`;
  return `${step.id} (${step.description}) gave nothing:\n${fenceData(step.id, error?.forModel ?? "it was not done")}`;
}

function failedTool({ step, error }: StepWork): string[] {
  if (step.toolType === noTool || error === undefined) return [];
  return [
    "It was meant to be done with a tool, which failed:",
    fenceData("failure", error.forModel),
    "Do it as far as you can without. Say what remains uncertain, and do not say that anything was looked up or done.",
  ];
}
