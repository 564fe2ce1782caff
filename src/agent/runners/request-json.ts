import { findJson, textOfTurn, repairInstruction } from "../../model/index.ts";
import { parseArguments } from "../../schema/index.ts";
import { cutText } from "../../text/index.ts";
import type { TurnRef } from "../events/agent-event.ts";
import type { RunProgram } from "../../run/index.ts";
import { requestModel } from "../loop/request-model.ts";
import { type ConversationMessage, textMessage } from "../events/message.ts";
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
  { turnRef, system, messages, read }: JsonRequest<T>,
): RunProgram<T> {
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

/** Reads the first suitable JSON object of an answer; otherwise returns what is wrong with the answer, for the model. */
export function readJsonObject<T extends object>(
  answer: string,
  read: (value: Readonly<Record<string, unknown>>) => T | string,
): T | string {
  const { objects, problem } = findJson(answer);
  let wrong = problem === undefined ? "it holds no JSON object" : `its JSON cannot be read (${problem})`;
  for (const json of objects.slice(0, 8)) {
    const parsed = parseArguments(json);
    const found =
      parsed.issues === undefined ? read(parsed.value) : parsed.issues.map(({ message }) => message).join("; ");
    if (typeof found !== "string") return found;
    wrong = found;
  }
  return wrong;
}
