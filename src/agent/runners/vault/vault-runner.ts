import { isFailureError } from "../../../base/index.ts";
import type { RunProgram } from "../../../run/index.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { AgentPrompt, Runner, RunnerAnswer } from "../../run/runner.ts";
import { noticeIgnoredCommands } from "../commands/detect-commands.ts";
import { userMessage, systemPrompt } from "../prompt-messages.ts";
import type { AnswerSource } from "../../events/agent-result.ts";
import { detectLanguage, fairShare, fencedDataRule, estimateTokens, fenceData } from "../../../text/index.ts";
import { agentTexts } from "../../texts/agent-texts.ts";
import { type LoopConversation, runAgentLoop } from "../../loop/agent-loop.ts";
import { availableTokens } from "../../loop/context-window.ts";
import { sizeOfMessages } from "../../loop/conversation-meter.ts";
import type { ConversationMessage } from "../../events/message.ts";
import { cutToTokens, notesHeader } from "../gathered-results.ts";
import { codeMask } from "../notes/prose-mask.ts";
import { earlierNotes, noteHeading } from "./earlier-notes.ts";
import { findPassages, type FoundPassages } from "./find-passages.ts";
import { NoteNumbers, formatTerms, type Passage, toSource } from "./passage.ts";
import { extractTopic } from "./extract-topic.ts";
import { type Quote, firstSentences, quoteSentences } from "./quote-sentences.ts";

/** Answers from the notes of the workspace, with citations; without a model by quoting them. */
export const vaultRunner: Runner = {
  name: "vault",
  worksAlone: true,
  run: answerFromNotes,
};

function* answerFromNotes(run: AgentRun, prompt: AgentPrompt): RunProgram<RunnerAnswer> {
  noticeIgnoredCommands(run, prompt.text);
  run.messages = [...prompt.history, userMessage(prompt, prompt.text)];
  const earlier = earlierNotes(prompt.history);
  const terms = extractTopic(prompt);
  if (terms === undefined) return yield* answer(run, { prompt, passages: undefined, earlier });
  const found = yield* findPassages(run, prompt.text, terms);
  // Without any source, no model request is made: the model could only invent an answer.
  if (found.passages.length === 0 && earlier.size === 0) return nothingFoundAnswer(prompt.text, terms);
  return yield* answer(run, { prompt, passages: found, earlier });
}

function* answer(run: AgentRun, grounds: AnswerGrounds): RunProgram<RunnerAnswer> {
  const { prompt, passages } = grounds;
  if (run.model === undefined) return answerAlone(grounds);
  try {
    return yield* answerWithCitations(run, grounds);
  } catch (error) {
    if (run.isCancelled || !isFailureError(error)) throw error;
    const params = { message: error.message, quotesNotes: hasNotes(passages) };
    run.notice({ code: "model_without_answer", params });
    run.messages = [...prompt.history, userMessage(prompt, prompt.text)];
    return answerAlone(grounds);
  }
}

function answerAlone({ prompt, passages, earlier }: AnswerGrounds): RunnerAnswer {
  if (passages === undefined) return { answer: agentTexts[detectLanguage(prompt.text)].vault.noTopic, sources: [] };
  if (!hasNotes(passages)) return nothingFoundAnswer(prompt.text, passages.terms);
  return answerByQuotes(prompt.text, passages, new NoteNumbers(earlier));
}

/** An answer without a model: the best sentences of the notes as quotes, each with its location. */
function answerByQuotes(prompt: string, found: FoundPassages, numbers: NoteNumbers): RunnerAnswer {
  const { passages, terms } = found;
  const isList = terms.length === 0;
  const quotes = isList ? firstSentences(passages) : quoteSentences(passages, terms.join(" "));
  const sources = new Map<number, AnswerSource>();
  const lines = quotes.map((quote) => {
    const { passage, location, text } = quote;
    const number = numbers.of(passage);
    if (!sources.has(number)) sources.set(number, { number, title: passage.title, location, quote: text });
    return quoteLines(quote, { number, isDated: isList });
  });
  return { answer: [headOf(prompt, found), ...lines].join("\n\n"), sources: [...sources.values()] };
}

function headOf(prompt: string, { terms, time, missedTime, more }: FoundPassages): string {
  const texts = agentTexts[detectLanguage(prompt)];
  const { vault } = texts;
  const isList = terms.length === 0;
  const head = isList ? vault.listed(missedTime ? undefined : time) : vault.extracted;
  const missed = missedTime && time !== undefined ? [vault.otherTimes(time, formatTerms(terms, texts))] : [];
  return [head, ...missed, ...(isList && more ? [vault.more] : [])].join("\n");
}

/** `earlierNotes` parses this format. */
function quoteLines(
  { passage, text, location }: Quote,
  { number, isDated }: { readonly number: number; readonly isDated: boolean },
): string {
  const { title, modified } = passage;
  const date = isDated && modified !== "" ? `, ${modified.slice(0, 10)}` : "";
  return `> ${text.replaceAll(/\s+/gu, " ")} [${number}]\n> — ${title} (${location})${date}`;
}

/** The answer if there is no source for one. */
function nothingFoundAnswer(prompt: string, terms: readonly string[]): RunnerAnswer {
  const texts = agentTexts[detectLanguage(prompt)];
  return { answer: texts.vault.nothing(formatTerms(terms, texts)), sources: [] };
}

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
interface AnswerGrounds {
  readonly prompt: AgentPrompt;
  /** Undefined if there was no search, as for thanks. */
  readonly passages: FoundPassages | undefined;
  /** The notes that the conversation has already shown, by their numbers. */
  readonly earlier: ReadonlyMap<number, AnswerSource>;
}

/** True if notes were found. */
function hasNotes(found: FoundPassages | undefined): boolean {
  return found !== undefined && found.passages.length > 0;
}

/** The model's answer from the passages found, with the notes that it cites. */
function* answerWithCitations(run: AgentRun, { prompt, passages, earlier }: AnswerGrounds): RunProgram<RunnerAnswer> {
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
    fenceData(noteHeading(passage, number, passage.modified), cutToTokens(passage.text, limit)),
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

/** An answer with its citations. */
interface CheckedAnswer {
  readonly text: string;
  /** The numbers of the notes that it cites, in their order. */
  readonly cited: readonly number[];
  /** Text like a citation that matches no note; it stays in the answer. */
  readonly unknown: readonly string[];
}

/** `[1]`, `[2, 3]`, `[1-3]`, `[^1]` and `【1】`. */
const citation =
  /\[\^?(\d{1,4}(?:\s*[,，、;–-]\s*\^?\d{1,4})*)\]|【\^?(\d{1,4}(?:\s*[,，、;–-]\s*\d{1,4})*)(?:†[^】]{0,80})?】/gu;
/** A wider range is not a citation. */
const widest = 50;

interface CitationMatch {
  readonly at: number;
  readonly whole: string;
  readonly numbers: readonly number[];
  /** It directly follows a word or a number. */
  readonly isAttached: boolean;
}

/**
 * Finds the citations in an answer. Its text stays unchanged, except that `【1】` becomes `[1]`: numbers in brackets may
 * also be an interval, an index or a year, and those are not citations.
 */
export function checkCitations(answer: string, isKnown: (number: number) => boolean): CheckedAnswer {
  const isCitedBy = ({ numbers }: CitationMatch): boolean => numbers.every(isKnown);
  const found = citationsIn(answer);
  // `items[7]` is an index, unless all citations of an answer look like that.
  const isApart = found.some((one) => !one.isAttached && isCitedBy(one));
  const resolved = found.filter(({ isAttached }) => !(isAttached && isApart));
  const known = resolved.filter(isCitedBy);
  const unknown = resolved.filter((one) => !isCitedBy(one) && !one.isAttached && !one.numbers.some(isNoNote));
  let text = "";
  let from = 0;
  for (const { at, whole, numbers } of known) {
    if (!whole.startsWith("【")) continue;
    text += answer.slice(from, at) + numbers.map((number) => `[${number}]`).join("");
    from = at + whole.length;
  }
  return {
    text: text + answer.slice(from),
    cited: [...new Set(known.flatMap(({ numbers }) => numbers))].toSorted((a, b) => a - b),
    unknown: [...new Set(unknown.map(({ whole }) => whole))],
  };
}

function citationsIn(answer: string): CitationMatch[] {
  const mask = codeMask(answer);
  const found: CitationMatch[] = [];
  for (const { 0: whole, 1: plain, 2: wide = "", index: at } of answer.matchAll(citation)) {
    if (mask.isQuoted(at) || isOther(answer, at, at + whole.length)) continue;
    const numbers = numbersIn(plain ?? wide);
    if (plain !== undefined && isInterval(answer, at, plain)) continue;
    found.push({ at, whole, numbers, isAttached: plain !== undefined && isAttached(answer, at) });
  }
  return found;
}

/** A link, a link definition, part of a nested list, or the value of something. */
function isOther(text: string, start: number, end: number): boolean {
  const after = text[end] ?? "";
  const before = text.slice(Math.max(0, start - 3), start);
  if (after === "(" || after === "]" || /\[$|[=∈∉⊂⊆×]\s*$/u.test(before)) return true;
  return after === ":" && (start === 0 || text[start - 1] === "\n");
}

/** No note has the number 0, nor that of a year. */
function isNoNote(number: number): boolean {
  return number === 0 || number > 999;
}

const bounds =
  /\b(?:ranges?|intervals?|between|within|domain|bounds?|from|in)\s*$|(?:区间|范围|取值|介于|属于)(?:为|是|在|内)?\s*$/iu;
const refers =
  /\b(?:see|as|also|cited|described|documented|explained|found|given|listed|mentioned|noted|recorded|said|seen|shown|stated|written|wrote)\s+in\s*$/iu;

/** Two numbers after words such as "in the range". */
function isInterval(text: string, at: number, list: string): boolean {
  if (!/^\d+\s*[,，–-]\s*\d+$/u.test(list)) return false;
  const before = text.slice(Math.max(0, at - 40), at);
  return bounds.test(before) && !refers.test(before);
}

/** In scripts without spaces, the character before is not the name of an indexed value. */
function isAttached(text: string, at: number): boolean {
  const before = text[at - 1] ?? "";
  return /[\p{L}\p{N}_)]/u.test(before) && !/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u.test(before);
}

function numbersIn(list: string): number[] {
  return list.split(/[,，、;]/u).flatMap((part) => {
    const [first = 0, last = first] = part.split(/[–-]/u).map((one) => Number(one.replace("^", "")));
    if (last < first || last - first > widest) return [first, last];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
