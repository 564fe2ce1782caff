import { dataRule, estimateTokens, fenceData } from "../../../text/index.ts";
import type { AnswerSource } from "../../agent-result.ts";
import type { Flow } from "../../flow/flow.ts";
import { type Talk, converse } from "../../loop/converse.ts";
import { roomFor } from "../../loop/make-room.ts";
import { sizeOfAll } from "../../loop/talk-meter.ts";
import type { ConversationMessage } from "../../message.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentQuestion, RunnerAnswer } from "../../runner.ts";
import { cutToTokens, longestShare, notesHeader } from "../gathered.ts";
import { systemPrompt } from "../system-prompt.ts";
import { userMessage } from "../user-message.ts";
import { checkCitations } from "./check-citations.ts";
import { headingOf } from "./earlier-notes.ts";
import type { FoundPassages } from "./find-passages.ts";
import { NoteNumbers } from "./note-numbers.ts";
import { type Passage, toSource } from "./passage.ts";
import { namedTerms, vaultWords } from "./vault-words.ts";

const rules: readonly string[] = [
  "Answer from the user's notes that stand behind the question, or behind an earlier one, and from nothing else. Behind " +
    "every statement put the number of the note it rests on, such as [1] or [2][3]; there are no other numbers than those " +
    "you see. Where the notes do not hold the answer, say so, and what they do hold.",
  dataRule,
];

/** "Make it rhyme" may be meant for the answer before, and no note has to say so. */
const fromEarlier =
  "If this is about what was said before, answer from that and from the notes shown with it; if it asks for something else, " +
  "say that the notes hold nothing about it.";

const leastTokens = 500;

/** What an answer can rest on. */
export interface Grounds {
  readonly question: AgentQuestion;
  /** Undefined where nothing was looked for, as in an answer to thanks. */
  readonly found: FoundPassages | undefined;
  /** The notes that the conversation has shown before, by their numbers. */
  readonly earlier: ReadonlyMap<number, AnswerSource>;
}

/** Was something found? */
export function hasNotes(found: FoundPassages | undefined): boolean {
  return found !== undefined && found.passages.length > 0;
}

/** The answer of the model from what was found, and the notes that it cites. */
export function* answerWithCitations(run: AgentRun, { question, found, earlier }: Grounds): Flow<RunnerAnswer> {
  const system = run.family.systemPrompt(systemPrompt(run, rules), []);
  const messages: ConversationMessage[] = [...question.history, userMessage(question, question.text)];
  run.messages = messages;
  const talk: Talk = { part: "answer", system, messages, tools: undefined, maxRounds: 0 };
  const room = Math.max(leastTokens, roomFor(run, talk) - sizeOfAll(messages));
  const numbers = new NoteNumbers(earlier);
  const notes = (found?.passages ?? []).map((passage) => ({ number: numbers.of(passage), passage }));
  const asked =
    found === undefined ? question.text : withNotes(question.text, { about: aboutNotes(found), notes, room });
  messages[messages.length - 1] = userMessage(question, run.family.userMessage(asked, false));
  const known = new Map([
    ...earlier,
    ...notes.map(({ number, passage }) => [number, toSource(passage, number)] as const),
  ]);
  const { text: answer, cited, unknown } = checkCitations(yield* converse(run, talk), (number) => known.has(number));
  if (unknown.length > 0) run.note(`these name no note, and were left as they are: ${unknown.join(" ")}`);
  if (hasNotes(found) && cited.length === 0) run.note("the answer cites none of the notes");
  replaceAnswer(messages, answer);
  return { answer, sources: cited.flatMap((number) => known.get(number) ?? []) };
}

interface Shown {
  readonly about: readonly string[];
  readonly notes: readonly { readonly number: number; readonly passage: Passage }[];
  /** In tokens. */
  readonly room: number;
}

function withNotes(question: string, { about, notes, room }: Shown): string {
  const most = longestShare(
    notes.map(({ passage }) => estimateTokens(passage.text)),
    room,
  );
  const shown = notes.map(({ number, passage }) =>
    fenceData(headingOf(passage, { number, modified: passage.modified }), cutToTokens(passage.text, most)),
  );
  return [question, notesHeader, ...about, ...(shown.length > 0 ? [dataRule] : []), ...shown].join("\n\n");
}

/** What a model has to know of the notes, and could not see. */
function aboutNotes({ passages, terms, time, missedTime, more }: FoundPassages): string[] {
  const { en } = vaultWords;
  if (passages.length === 0) return [`${en.nothing(namedTerms(terms, en))} ${fromEarlier}`];
  if (missedTime && time !== undefined) return [en.otherTimes(time, namedTerms(terms, en))];
  if (terms.length > 0) return [];
  const which = time === undefined ? "These are the newest notes" : `These are the notes of the time "${time}"`;
  return [`${which}, the newest first.${more ? ` ${en.more}` : ""}`];
}

/** The conversation goes on with the answer as it was given. */
function replaceAnswer(messages: ConversationMessage[], answer: string): void {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return;
  const others = last.content.filter(({ type }) => type !== "text");
  messages[messages.length - 1] = { ...last, content: [...others, { type: "text", text: answer }] };
}
