import { isFailureError } from "../../../base/index.ts";
import { modelFailure, textOfTurn } from "../../../model/index.ts";
import { cutText, fencedDataRule, fenceData } from "../../../text/index.ts";
import type { RunProgram } from "../../../run/index.ts";
import { requestModel } from "../../loop/request-model.ts";
import { type ConversationMessage, textMessage } from "../../events/message.ts";
import { systemPrompt, userMessage } from "../prompt-messages.ts";
import type { Verification } from "../../verify/verification.ts";
import { quoteModelAnswer } from "../request-json.ts";
import type { Crew } from "./crew.ts";
import { noTool, type StepOutcome, type CrewStepState } from "./crew-step.ts";
import { noteUnverified, verifyStep } from "./verify-step.ts";

/**
 * Does a step by reasoning: the model answers it from its knowledge and from the results of the step's dependencies. An
 * implausible answer is requested once more, with the issues; the better of the two counts.
 */
export function* reasonStep(crew: Crew, work: CrewStepState): RunProgram<StepOutcome> {
  const { run, prompt } = crew;
  const messages = [...prompt.history, userMessage(prompt, run.family.userMessage(promptOf(crew, work), false))];
  const first = yield* answer(crew, work, messages);
  const best = first.verification.verified ? first : yield* requestReasoningAgain(crew, work, { messages, first });
  noteUnverified(run, work.step.id, best.verification);
  const { text, verification } = best;
  return { by: "reasoning", text, view: cutText(text, run.spec.resultChars).text, isEmpty: false, verification };
}

interface StepReply {
  readonly text: string;
  readonly verification: Verification;
}

function* answer(crew: Crew, work: CrewStepState, messages: readonly ConversationMessage[]): RunProgram<StepReply> {
  const { run } = crew;
  const system = run.family.systemPrompt(systemPrompt(run, [fencedDataRule]), []);
  const turn = yield* requestModel(run, work.turnRef(), { system, messages });
  const text = textOfTurn(turn).trim();
  if (text === "") throw modelFailure("invalid_output", `the model ${JSON.stringify(turn.modelId)} answered nothing`);
  if (turn.finishReason === "length") run.notice({ code: "step_cut_off", params: { step: work.step.id } });
  return { text, verification: verifyStep(crew, work, { text }) };
}

function* requestReasoningAgain(
  crew: Crew,
  work: CrewStepState,
  { messages, first }: { readonly messages: readonly ConversationMessage[]; readonly first: StepReply },
): RunProgram<StepReply> {
  const { issues } = first.verification;
  const complaint = [
    "That cannot be right:",
    ...issues.map(({ message }) => `- ${message}`),
    "Check it, and answer the same again with this put right; where it is right after all, say why.",
  ].join("\n");
  try {
    const second = yield* answer(crew, work, [...messages, ...quoteModelAnswer(first.text), textMessage(complaint)]);
    return second.verification.confidence >= first.verification.confidence ? second : first;
  } catch (error) {
    // The first answer remains, if a doubtful one.
    if (!isFailureError(error) || crew.run.isCancelled) throw error;
    return first;
  }
}

function promptOf({ prompt, works }: Crew, work: CrewStepState): string {
  const { step } = work;
  if (works.length === 1 && step.toolType === noTool) return prompt.text;
  return [
    `The question that is being answered in ${works.length} steps: ${prompt.text}`,
    `Do this step of it, and nothing else: ${step.description}`,
    ...work.bases.map(resultOf),
    ...failedTool(work),
    "Answer with the result of this step, in a few sentences.",
  ].join("\n\n");
}

/** Result of a step, for the steps that depend on it. */
function resultOf({ step, outcome, error }: CrewStepState): string {
  if (outcome !== undefined) return `What ${step.id} gave (${step.description}):\n${fenceData(step.id, outcome.view)}`;
  return `${step.id} (${step.description}) gave nothing:\n${fenceData(step.id, error?.forModel ?? "it was not done")}`;
}

function failedTool({ step, error }: CrewStepState): string[] {
  if (step.toolType === noTool || error === undefined) return [];
  return [
    "It was meant to be done with a tool, which failed:",
    fenceData("failure", error.forModel),
    "Do it as far as you can without. Say what remains uncertain, and do not say that anything was looked up or done.",
  ];
}
