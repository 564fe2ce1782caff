import { textOfTurn, repairInstruction } from "../../model/index.ts";
import { cutText } from "../../text/index.ts";
import type { TurnRef } from "../events/agent-event.ts";
import type { RunProgram } from "../../run/index.ts";
import { requestModel } from "../loop/request-model.ts";
import type { ConversationMessage } from "../events/message.ts";
import type { AgentRun } from "../run/agent-run.ts";

/** A model request whose answer is JSON. */
export interface JsonRequest<T extends { readonly issues: readonly string[] }> {
  /** Position of the request in the run; a new one for each attempt. */
  readonly turnRef: () => TurnRef;
  readonly system: string;
  readonly messages: readonly ConversationMessage[];
  /** Parses an answer; its issues are sent to the model. */
  readonly read: (answer: string) => T;
}

/** Maximum length of an unusable answer that is shown to the model in the next request. */
const maxDisplayedChars = 20_000;

/** Requests JSON from the model. A model whose answer is invalid gets the issues once; its second answer is final. */
export function* requestJson<T extends { readonly issues: readonly string[] }>(
  run: AgentRun,
  prompt: JsonRequest<T>,
): RunProgram<T> {
  const { turnRef, system, messages, read } = prompt;
  const answer = textOfTurn(yield* requestModel(run, turnRef(), { system, messages })).trim();
  const first = read(answer);
  if (first.issues.length === 0) return first;
  const again = [
    ...messages,
    ...quoteModelAnswer(answer),
    textMessage(repairInstruction(first.issues.map((issue) => `- ${issue}`))),
  ];
  return read(textOfTurn(yield* requestModel(run, turnRef(), { system, messages: again })).trim());
}

/** The model's answer, as it is shown to the model in the next request. */
export function quoteModelAnswer(answer: string): ConversationMessage[] {
  if (answer === "") return [];
  return [{ role: "assistant", content: [{ type: "text", text: cutText(answer, maxDisplayedChars).text }] }];
}

/** A user message of one text. */
export function textMessage(text: string): ConversationMessage {
  return { role: "user", content: [{ type: "text", text }] };
}
