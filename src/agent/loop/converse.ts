import { FailureError } from "../../base/index.ts";
import { type ModelTurn, modelFailure, textOfTurn, toAssistantMessage, toolCallsOf } from "../../model/index.ts";
import type { Place } from "../agent-event.ts";
import type { Flow } from "../flow/flow.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { type Request, ask } from "./ask.ts";
import { fits, makeRoom } from "./make-room.ts";
import { type MeantCall, meantCalls } from "./meaning.ts";
import type { ConversationMessage } from "../message.ts";
import { cutOffNote } from "../reasoning/note-words.ts";
import { type Must, type Progress, mustAnswer } from "./must-answer.ts";
import type { OfferedTools } from "./offered-tools.ts";
import { openPart } from "./result-part.ts";
import { runToolCalls } from "./run-tool-calls.ts";
import { shorten, summaryPlace } from "./shorten.ts";

/** A conversation with a model that may call tools. */
export interface Talk {
  /** What this is a part of; with the round it names what happens. */
  readonly part: string;
  readonly system: string;
  /** Sent before the messages, and no part of the conversation: what is the same for every question. */
  readonly preface?: readonly ConversationMessage[];
  /** Grows with what is said. */
  readonly messages: ConversationMessage[];
  readonly tools: OfferedTools | undefined;
  /** Rounds with tool calls; then the model has to answer. */
  readonly maxRounds: number;
}

/**
 * The one loop: the model is asked, the tools it wants are run, and it is asked again with what they gave, until it
 * answers. It always comes to an end: by its answer, by the limit of rounds, by rounds that bring nothing new, by the
 * budget of the run, or by a failure that says which.
 */
export function* converse(run: AgentRun, talk: Talk): Flow<string> {
  const { part, messages } = talk;
  let progress: Progress = { round: 1, stale: 0, last: undefined };
  let must: Must | undefined;
  let nudged = false;
  let insists = false;
  for (; ; progress = { ...progress, round: progress.round + 1 }) {
    if (must === undefined) {
      must = mustAnswer(run.budget, talk.maxRounds, progress);
      noteMust(run, talk, must);
    }
    const place = { part, round: progress.round };
    const turn = yield* askInRoom(run, talk, { place, must, nudged });
    // An answer without anything in it is none, and services refuse to see it again.
    if (turn.content.some(isSaid)) messages.push(toAssistantMessage(turn));
    const calls = meantCalls(turn);
    if (calls.some(({ means }) => means !== undefined)) {
      const allKnown = yield* carryOn(run, talk, { place, calls });
      progress = { ...progress, stale: allKnown ? progress.stale + 1 : 0, last: turn.usage };
      nudged = false;
      continue;
    }
    const text = calls.length === 0 ? textOfTurn(turn).trim() : "";
    if (text !== "") return finished(run, turn, text);
    if (calls.length > 0) refuseCalls(run, talk, turn);
    insists ||= wantedTools(turn);
    if (nudged || !canAskAgain(run, must, turn)) throw noAnswer(talk, turn, { must, insists });
    nudged = true;
    messages.push({ role: "user", content: [{ type: "text", text: nudge }] });
  }
}

/** People are told why it may call no more tools. Who has none misses nothing, nor does a run that is over. */
function noteMust(run: AgentRun, { tools }: Talk, must: Must | undefined): void {
  if (must?.note === undefined || tools === undefined || run.isCancelled) return;
  run.note(`${must.note}, so the model had to answer with what it had`);
}

/** The calls of one answer. */
interface Wanted {
  readonly place: Place;
  readonly calls: readonly MeantCall[];
}

/**
 * Runs the calls of the last message. Each has a result in the conversation at any time, whenever the run is left: until
 * there is one, it says so. True when none of the calls was new.
 */
function* carryOn(run: AgentRun, { messages, tools }: Talk, { place, calls }: Wanted): Flow<boolean> {
  const open = calls.map(openPart);
  messages.push({ role: "tool", content: open });
  const onPart = (part: (typeof open)[number], index: number): void => void (open[index] = part);
  const { parts, allKnown } = yield* runToolCalls(run, { place, calls, offered: tools, onPart });
  messages[messages.length - 1] = { role: "tool", content: parts };
  return allKnown;
}

/** Thoughts alone say nothing. */
function isSaid(part: ModelTurn["content"][number]): boolean {
  return part.type === "tool-call" || (part.type === "text" && part.text !== "");
}

const nudge = "You gave no answer. Answer the question now, in words, with what you know.";

interface Asking {
  readonly place: Place;
  /** Why it may call no tools; undefined while it may. */
  readonly must: Must | undefined;
  /** It did not answer when it was asked before. */
  readonly nudged?: boolean;
}

/** Asks; where the service says that it is too much, once more with less of what is old. */
export function* askInRoom(run: AgentRun, talk: Talk, { place, must, nudged = false }: Asking): Flow<ModelTurn> {
  const { system, preface = [], messages, tools } = talk;
  if (!fits(run, talk) || run.knows(summaryPlace(place))) yield* fitIn(run, talk, place);
  const isBare = must !== undefined && (nudged || must.isBare);
  const request = (): Request => ({
    // Who was told of no tools need not be told that there are no more.
    system: must === undefined || tools === undefined ? system : `${system}\n\n${must.words}`,
    messages: preface.length === 0 ? messages : [...preface, ...messages],
    tools: isBare ? undefined : tools,
    toolChoice: must === undefined ? "auto" : "none",
  });
  try {
    return yield* ask(run, place, request());
  } catch (error) {
    const isTooLong = error instanceof FailureError && error.reason === "too_long";
    const again = { ...place, part: `${place.part}~` };
    if (!isTooLong || !(makeRoom(run, talk, "more") || run.knows(again))) throw error;
    run.note("older tool results were cleared: the conversation was too long for the model");
    return yield* ask(run, again, request());
  }
}

/**
 * Makes a conversation short enough for its next question: old results go first, then what was said long ago. Where the
 * journal has the question, it tells whether there was a summary before it.
 */
export function* fitIn(run: AgentRun, talk: Talk, place: Place): Flow<void> {
  if (!fits(run, talk)) makeRoom(run, talk, "usual");
  const isShort = run.knows(place) || fits(run, talk);
  if (!isShort || run.knows(summaryPlace(place))) yield* shorten(run, talk, place);
}

/** A service that was told to call no tool and calls one: what the model says beside it is no answer. */
function refuseCalls(run: AgentRun, { messages, maxRounds }: Talk, turn: ModelTurn): void {
  messages.push(unanswered(turn));
  if (maxRounds === 0) run.note("the model wanted tools, and no tool may be called: max_rounds is 0");
}

/** Of the calls of a model that was told of no tools only this is left. */
function wantedTools(turn: ModelTurn): boolean {
  return turn.finishReason === "tool-calls" || toolCallsOf(turn).length > 0;
}

/** Where the budget is why it has to answer, there may be nothing left to ask for that once more. */
function canAskAgain({ budget }: AgentRun, must: Must | undefined, { finishReason, usage }: ModelTurn): boolean {
  return finishReason !== "content-filter" && (must?.isBare !== true || budget.carries(1, usage));
}

/** Each call needs its result. */
function unanswered(turn: ModelTurn): ConversationMessage {
  const value = "This was not run: no more tools can be called. Answer with what you have.";
  return {
    role: "tool",
    content: toolCallsOf(turn).map(({ id, name }) => ({
      type: "tool-result",
      toolCallId: id,
      toolName: name,
      output: { type: "error-text", value },
    })),
  };
}

function finished(run: AgentRun, { finishReason }: ModelTurn, text: string): string {
  if (finishReason === "length") run.note(cutOffNote);
  return text;
}

/** How it was asked for an answer that did not come. */
interface Unanswered {
  readonly must: Must | undefined;
  /** It asked for tools when there were none any more. */
  readonly insists: boolean;
}

function noAnswer({ maxRounds }: Talk, { finishReason, modelId }: ModelTurn, why: Unanswered): FailureError {
  const who = `the model ${JSON.stringify(modelId)}`;
  if (finishReason === "content-filter") {
    return modelFailure("refused", `${who} refused to answer; ask for something else`);
  }
  const wants = why.insists ? "still asked for tools, and answered nothing" : "answered nothing";
  if (why.must?.isBare === true) {
    return modelFailure("budget_exceeded", `the budget was nearly used up, and ${who} ${wants}; raise the budget`);
  }
  if (finishReason === "length") {
    return modelFailure("cut_off", `${who} used all its tokens before it said anything; raise max_tokens`);
  }
  const rounds = `${maxRounds} round${maxRounds === 1 ? "" : "s"}`;
  const how = why.insists
    ? `still asked for tools after ${rounds}, and answered nothing; raise max_rounds`
    : "answered nothing, twice";
  return modelFailure("invalid_output", `${who} ${how}`);
}
