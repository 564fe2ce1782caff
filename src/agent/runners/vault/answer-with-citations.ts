import { fairShare, fencedDataRule, estimateTokens, fenceData } from "../../../text/index.ts";
import type { AnswerSource } from "../../events/agent-result.ts";
import type { RunProgram } from "../../../run/index.ts";
import { type LoopConversation, runAgentLoop } from "../../loop/agent-loop.ts";
import { availableTokens } from "../../loop/context-window.ts";
import { sizeOfMessages } from "../../loop/conversation-meter.ts";
import type { ConversationMessage } from "../../events/message.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentPrompt, RunnerAnswer } from "../../run/runner.ts";
import { cutToTokens, notesHeader } from "../gathered-results.ts";
import { systemPrompt } from "../system-prompt.ts";
import { userMessage } from "../user-message.ts";
import { checkCitations } from "./check-citations.ts";
import { noteHeading } from "./earlier-notes.ts";
import type { FoundPassages } from "./find-passages.ts";
import { NoteNumbers } from "./note-numbers.ts";
import { type Passage, toSource } from "./passage.ts";
import { agentTexts } from "../../texts/agent-texts.ts";
import { formatTerms } from "./format-terms.ts";

const rules: readonly string[] = [
  "Answer from the user's notes that stand behind the question, or behind an earlier one, and from nothing else. Behind " +
    "every statement put the number of the note it rests on, such as [1] or [2][3]; there are no other numbers than those " +
    "you see. Where the notes do not hold the answer, say so, and what they do hold.",
  fencedDataRule,
];

/** "Make it rhyme" may refer to the answer before, and no note has to say so. */
const fromEarlier =
  "If this is about the earlier conversation, answer from that and from the notes shown with it; if it asks for something else, " +
  "say that the notes hold nothing about it.";

const minTokens = 500;

/** Sources of an answer. */
export interface AnswerGrounds {
  readonly prompt: AgentPrompt;
  /** Undefined if there was no search, as for thanks. */
  readonly passages: FoundPassages | undefined;
  /** The notes that the conversation has already shown, by their numbers. */
  readonly earlier: ReadonlyMap<number, AnswerSource>;
}

/** True if notes were found. */
export function hasNotes(found: FoundPassages | undefined): boolean {
  return found !== undefined && found.passages.length > 0;
}

/** The model's answer from the passages found, with the notes that it cites. */
export function* answerWithCitations(
  run: AgentRun,
  { prompt, passages, earlier }: AnswerGrounds,
): RunProgram<RunnerAnswer> {
  const system = run.family.systemPrompt(systemPrompt(run, rules), []);
  const messages: ConversationMessage[] = [...prompt.history, userMessage(prompt, prompt.text)];
  run.messages = messages;
  const conversation: LoopConversation = { part: "answer", system, messages, tools: undefined, maxRounds: 0 };
  const room = Math.max(minTokens, availableTokens(run, conversation) - sizeOfMessages(messages));
  const numbers = new NoteNumbers(earlier);
  const notes = (passages?.passages ?? []).map((passage) => ({ number: numbers.of(passage), passage }));
  const promptText =
    passages === undefined
      ? prompt.text
      : withNotes(prompt.text, { about: aboutNotes(passages), notes, tokenBudget: room });
  messages[messages.length - 1] = userMessage(prompt, run.family.userMessage(promptText, false));
  const known = new Map([
    ...earlier,
    ...notes.map(({ number, passage }) => [number, toSource(passage, number)] as const),
  ]);
  const {
    text: answer,
    cited,
    unknown,
  } = checkCitations(yield* runAgentLoop(run, conversation), (number) => known.has(number));
  if (unknown.length > 0) run.notice({ code: "citations_unknown", params: { citations: unknown } });
  if (hasNotes(passages) && cited.length === 0) run.notice({ code: "citations_missing", params: {} });
  replaceAnswer(messages, answer);
  return { answer, sources: cited.flatMap((number) => known.get(number) ?? []) };
}

interface PromptNotes {
  readonly about: readonly string[];
  readonly notes: readonly { readonly number: number; readonly passage: Passage }[];
  /** Maximum of tokens for the notes. */
  readonly tokenBudget: number;
}

function withNotes(prompt: string, { about, notes, tokenBudget }: PromptNotes): string {
  const limit = fairShare(
    notes.map(({ passage }) => estimateTokens(passage.text)),
    tokenBudget,
  );
  const shown = notes.map(({ number, passage }) =>
    fenceData(noteHeading(passage, { number, modified: passage.modified }), cutToTokens(passage.text, limit)),
  );
  return [prompt, notesHeader, ...about, ...(shown.length > 0 ? [fencedDataRule] : []), ...shown].join("\n\n");
}

/** Facts about the notes that a model cannot see in them. */
function aboutNotes({ passages, terms, time, missedTime, more }: FoundPassages): string[] {
  const { en } = agentTexts;
  const { nothing, otherTimes, more: hasMore } = en.vault;
  if (passages.length === 0) return [`${nothing(formatTerms(terms, en))} ${fromEarlier}`];
  if (missedTime && time !== undefined) return [otherTimes(time, formatTerms(terms, en))];
  if (terms.length > 0) return [];
  const which = time === undefined ? "These are the newest notes" : `These are the notes of the time "${time}"`;
  return [`${which}, the newest first.${more ? ` ${hasMore}` : ""}`];
}

/** Replaces the answer in the conversation with the answer as it was returned. */
function replaceAnswer(messages: ConversationMessage[], answer: string): void {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return;
  const others = last.content.filter(({ type }) => type !== "text");
  messages[messages.length - 1] = { ...last, content: [...others, { type: "text", text: answer }] };
}
