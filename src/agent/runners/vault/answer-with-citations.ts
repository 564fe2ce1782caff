import { dataRule, estimateTokens, fenceData } from "../../../text/index.ts";
import type { Flow } from "../../flow/flow.ts";
import { type Talk, converse } from "../../loop/converse.ts";
import { roomFor } from "../../loop/make-room.ts";
import { sizeOfAll } from "../../loop/talk-meter.ts";
import type { ConversationMessage } from "../../loop/message.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentQuestion, RunnerAnswer } from "../../runner.ts";
import { cutToTokens, longestShare, notesHeader } from "../gathered.ts";
import { systemPrompt } from "../system-prompt.ts";
import { userMessage } from "../user-message.ts";
import { checkCitations } from "./check-citations.ts";
import type { FoundPassages } from "./find-passages.ts";
import { type Passage, toSource } from "./passage.ts";

const rules: readonly string[] = [
  "Answer from the user's notes that stand behind the question, and from nothing else. Behind every statement put the " +
    "number of the note it rests on, such as [1] or [2][3]; there are no other numbers than those you see. Where the notes " +
    "do not hold the answer, say so, and what they do hold.",
  dataRule,
];

const leastTokens = 500;

/** The answer of the model from what was found. Citations of notes that there are not are taken out. */
export function* answerWithCitations(run: AgentRun, question: AgentQuestion, found: FoundPassages): Flow<RunnerAnswer> {
  const system = run.family.systemPrompt(systemPrompt(run, rules), []);
  const messages: ConversationMessage[] = [...question.history, userMessage(question, question.text)];
  run.messages = messages;
  const talk: Talk = { part: "answer", system, messages, tools: undefined, maxRounds: 0 };
  const room = Math.max(leastTokens, roomFor(run, talk) - sizeOfAll(messages));
  const text = run.family.userMessage(withNotes(question.text, found, room), false);
  messages[messages.length - 1] = userMessage(question, text);
  const { text: answer, cited, removed } = checkCitations(yield* converse(run, talk), found.passages.length);
  if (removed.length > 0) run.note(`citations of notes that there are not were taken out: ${removed.join(", ")}`);
  else if (cited.length === 0) run.note("the answer cites none of the notes");
  replaceAnswer(messages, answer);
  return { answer, sources: found.passages.map(toSource) };
}

function withNotes(question: string, { passages, missedTime }: FoundPassages, room: number): string {
  const most = longestShare(
    passages.map(({ text }) => estimateTokens(text)),
    room,
  );
  const notes = passages.map((passage, index) =>
    fenceData(nameOf(passage, index + 1), cutToTokens(passage.text, most)),
  );
  const time = missedTime === undefined ? [] : [`No note is of the time "${missedTime}"; these are of other times.`];
  return [question, notesHeader, ...time, dataRule, ...notes].join("\n\n");
}

function nameOf({ title, location, modified }: Passage, number: number): string {
  const changed = modified === "" ? "" : `, changed ${modified.slice(0, 10)}`;
  return `[${number}] ${title} (${location})${changed}`;
}

/** The conversation goes on with the answer as it was given. */
function replaceAnswer(messages: ConversationMessage[], answer: string): void {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return;
  const others = last.content.filter(({ type }) => type !== "text");
  messages[messages.length - 1] = { ...last, content: [...others, { type: "text", text: answer }] };
}
