import { textOfTurn, unusableAnswer } from "../../model/index.ts";
import { cutText } from "../../text/index.ts";
import type { Place } from "../agent-event.ts";
import type { Flow } from "../flow/flow.ts";
import { ask } from "../loop/ask.ts";
import type { ConversationMessage } from "../message.ts";
import type { AgentRun } from "../run/agent-run.ts";

/** A question whose answer is JSON. */
export interface JsonQuestion<T extends { readonly issues: readonly string[] }> {
  /** Where in the run it is asked; a new place for each time. */
  readonly place: () => Place;
  readonly system: string;
  readonly messages: readonly ConversationMessage[];
  /** What an answer comes to; its issues are told to the model. */
  readonly read: (answer: string) => T;
}

/** How much of an answer that cannot be used is shown to the model again. */
const longestShown = 20_000;

/** Asks for JSON. A model whose answer cannot be used is told what is wrong, once; what comes then is what there is. */
export function* askForJson<T extends { readonly issues: readonly string[] }>(
  run: AgentRun,
  question: JsonQuestion<T>,
): Flow<T> {
  const { place, system, messages, read } = question;
  const answer = textOfTurn(yield* ask(run, place(), { system, messages })).trim();
  const first = read(answer);
  if (first.issues.length === 0) return first;
  const again = [...messages, ...said(answer), toMessage(unusableAnswer(first.issues.map((issue) => `- ${issue}`)))];
  return read(textOfTurn(yield* ask(run, place(), { system, messages: again })).trim());
}

/** What the model said, as it is shown to it again. */
export function said(answer: string): ConversationMessage[] {
  if (answer === "") return [];
  return [{ role: "assistant", content: [{ type: "text", text: cutText(answer, longestShown).text }] }];
}

/** A text as a question. */
export function toMessage(text: string): ConversationMessage {
  return { role: "user", content: [{ type: "text", text }] };
}
