import type { AgentEvent, ApprovalAsked, RoundFinished, RunFinished, ToolFinished } from "../agent-event.ts";
import { isAnswerPart } from "../part-kind.ts";
import { callWords } from "./call-words.ts";
import { outcomeWords, sameWords } from "./outcome-words.ts";
import { languageOf } from "./language-of.ts";
import { noteWords } from "./note-words.ts";
import { answeredWords, answeringWords, thinkingWords, waitingWords } from "./part-words.ts";
import { type ReasoningBlock, type ReasoningState, type ReasoningStep, noReasoning } from "./reasoning-block.ts";
import { shortLine, shortValue } from "./short-line.ts";

/**
 * What people are shown of a run after one more event. Pure: the same events always give the same block.
 *
 * @example
 * ```ts
 * let block = noReasoning;
 * for await (const event of agent.stream("What did I write about tides?")) {
 *   block = foldReasoning(block, event);
 *   draw(block.steps.map(({ text, state }) => `${state}: ${text}`), block.answer);
 * }
 * ```
 */
export function foldReasoning(before: ReasoningBlock, event: AgentEvent): ReasoningBlock {
  const elapsedMs = before.runId === "" ? 0 : Math.max(before.elapsedMs, event.at - before.startedAt);
  const block = elapsedMs === before.elapsedMs ? before : { ...before, elapsedMs };
  // The table has for each type what takes events of that type.
  const fold = folds[event.type] as (block: ReasoningBlock, event: AgentEvent) => ReasoningBlock;
  return fold(block, event);
}

/** What people are shown of a whole run, as far as it has come. */
export function reasoningOf(events: Iterable<AgentEvent>): ReasoningBlock {
  let block = noReasoning;
  for (const event of events) block = foldReasoning(block, event);
  return block;
}

/** What each event does to a block. */
const folds: {
  readonly [Type in AgentEvent["type"]]: (block: ReasoningBlock, event: EventOf<Type>) => ReasoningBlock;
} = {
  "run-started": (_block, { runId, runner, at, question }) => ({
    ...noReasoning,
    runId,
    runner,
    startedAt: at,
    language: languageOf(question),
  }),
  "round-started": beginRound,
  "text-delta": hear,
  "thinking-delta": think,
  "round-restarted": restart,
  "round-waiting": (block, event) =>
    change(block, roundKey(event), { detail: waitingWords(event.waitMs, event.reason, block.language) }),
  "round-finished": endRound,
  "tool-started": beginCall,
  "tool-progress": (block, event) => change(block, callKey(event), { detail: shortValue(event.value, longestDetail) }),
  "tool-finished": endCall,
  "approval-asked": askPerson,
  "approval-decided": (block, event) =>
    change(toState(block, "working"), callKey(event), {
      state: "active",
      detail: shortLine(event.note ?? "", longestDetail),
    }),
  note: (block, event) => put(block, noteOf(block, event), block.state),
  "run-finished": end,
};

/** Events of a type. */
type EventOf<Type, Event = AgentEvent> = Event extends { readonly type: infer Types }
  ? Type extends Types
    ? Event
    : never
  : never;

const longestDetail = 300;

interface Placed {
  readonly part: string;
  readonly round: number;
}

interface Called extends Placed {
  readonly callId: string;
}

type At = Placed & { readonly at: number };

function roundKey({ part, round }: Placed): string {
  return `${part}.${round}`;
}

function callKey(event: Called): string {
  return `${roundKey(event)}.${event.callId}`;
}

function whereOf({ part, round, at }: At): Pick<ReasoningStep, "part" | "round" | "startedAt"> {
  return { part, round, startedAt: at };
}

function toState(block: ReasoningBlock, state: ReasoningState): ReasoningBlock {
  return block.state === state ? block : { ...block, state };
}

/** With a step at the end, or in place of the one that has its id. */
function put(block: ReasoningBlock, step: ReasoningStep, state: ReasoningState): ReasoningBlock {
  const at = block.steps.findLastIndex(({ id }) => id === step.id);
  const steps = at === -1 ? [...block.steps, step] : block.steps.with(at, step);
  return { ...block, state, steps };
}

function change(block: ReasoningBlock, id: string, parts: Partial<ReasoningStep>): ReasoningBlock {
  const at = block.steps.findLastIndex((step) => step.id === id);
  const step = block.steps[at];
  return step === undefined ? block : { ...block, steps: block.steps.with(at, { ...step, ...parts }) };
}

/** That the model had to be waited for is of no interest any more. */
function waited(block: ReasoningBlock, id: string): ReasoningBlock {
  const at = block.steps.findLastIndex((step) => step.id === id);
  const { detail, ...step } = block.steps[at] ?? {};
  return detail === undefined ? block : { ...block, steps: block.steps.with(at, step as ReasoningStep) };
}

function without(block: ReasoningBlock, id: string): ReasoningBlock {
  return { ...block, steps: block.steps.filter((step) => step.id !== id) };
}

// --- the model

function beginRound(block: ReasoningBlock, event: At): ReasoningBlock {
  const { part } = event;
  const text = thinkingWords(part, block.language);
  const asked = put(
    { ...block, thinking: "", thinker: roundKey(event) },
    { id: roundKey(event), kind: "model", text, state: "active", ...whereOf(event) },
    "thinking",
  );
  // What was said in a round with tool calls is no part of the answer.
  return isAnswerPart(part) ? { ...asked, answer: "" } : asked;
}

function hear(block: ReasoningBlock, event: Placed & { readonly text: string }): ReasoningBlock {
  const { part, text } = event;
  const id = roundKey(event);
  const words = answeringWords(part, block.language);
  const step = block.steps.findLast((each) => each.id === id);
  const told = step === undefined || step.text === words ? block : change(waited(block, id), id, { text: words });
  return isAnswerPart(part) ? { ...toState(told, "answering"), answer: told.answer + text } : told;
}

function think(block: ReasoningBlock, event: Placed & { readonly text: string }): ReasoningBlock {
  const thinker = roundKey(event);
  // Several may think at once: the last that was heard is shown.
  return { ...block, thinker, thinking: block.thinker === thinker ? block.thinking + event.text : event.text };
}

function restart(block: ReasoningBlock, event: Placed): ReasoningBlock {
  const { part } = event;
  const id = roundKey(event);
  const text = thinkingWords(part, block.language);
  const again = change(waited(toState(block, "thinking"), id), id, { text });
  return { ...again, thinking: "", ...(isAnswerPart(part) && { answer: "" }) };
}

function endRound(before: ReasoningBlock, event: RoundFinished): ReasoningBlock {
  const { part, toolCalls, at } = event;
  const id = roundKey(event);
  const block = waited(before, id);
  const step = block.steps.findLast((each) => each.id === id);
  const said = shortLine(event.text, longestDetail);
  const durationMs = Math.max(0, at - (step?.startedAt ?? at));
  if (toolCalls === 0) {
    const answer = isAnswerPart(part) ? { answer: event.text } : {};
    const text = answeredWords(part, block.language);
    return { ...change(block, id, { text, state: "done", durationMs }), ...answer, thinking: "" };
  }
  const quiet = { ...toState(block, "working"), thinking: "", ...(isAnswerPart(part) && { answer: "" }) };
  return said === "" ? without(quiet, id) : change(quiet, id, { text: said, state: "done", durationMs });
}

// --- calls

function beginCall(block: ReasoningBlock, event: EventOf<"tool-started">): ReasoningBlock {
  const { tool, decidedBy, args } = event;
  const text = callWords(tool, args, block.language);
  return put(
    block,
    { id: callKey(event), kind: "tool", text, state: "active", ...whereOf(event), tool, decidedBy, args },
    "working",
  );
}

function endCall(block: ReasoningBlock, event: ToolFinished): ReasoningBlock {
  const { success, durationMs, error } = event;
  const id = callKey(event);
  const begun = block.steps.findLast((each) => each.id === id);
  const { detail: _detail, ...step } = begun ?? refusedStep(block, event);
  const detail = event.duplicate === true ? "" : outcomeWords(event, block.language);
  return put(
    block,
    {
      ...step,
      state: success ? "done" : "failed",
      durationMs,
      ...(detail !== "" && { detail }),
      ...(error !== undefined && { error }),
    },
    block.state === "waiting" ? "working" : block.state,
  );
}

/** The step of a call that never began: it was not understood, or had been made before. */
function refusedStep({ language }: ReasoningBlock, event: ToolFinished): ReasoningStep {
  const { tool, decidedBy, duplicate } = event;
  const text = duplicate === true ? sameWords(tool, language) : callWords(tool, undefined, language);
  return { ...whereOf(event), id: callKey(event), kind: "tool", tool, decidedBy, text, state: "active" };
}

function askPerson(block: ReasoningBlock, event: ApprovalAsked): ReasoningBlock {
  const { tool, args, approvalId, message } = event;
  const id = callKey(event);
  const detail = shortLine(message, longestDetail);
  const begun = block.steps.findLast((each) => each.id === id) ?? {
    ...whereOf(event),
    id,
    kind: "tool",
    tool,
    args,
    text: callWords(tool, args, block.language),
  };
  return put(block, { ...begun, state: "waiting", detail, approvalId }, "waiting");
}

function noteOf(
  { steps, language }: ReasoningBlock,
  { text, at }: { readonly text: string; readonly at: number },
): ReasoningStep {
  const id = `note.${steps.length}`;
  const words = shortLine(noteWords(text, language), longestDetail);
  return { id, kind: "note", text: words, state: "done", startedAt: at, durationMs: 0 };
}

// --- the end

function end(block: ReasoningBlock, { status, answer, at }: RunFinished): ReasoningBlock {
  const state = status === "running" ? "left" : status;
  const steps =
    state === "waiting" || state === "left"
      ? block.steps
      : block.steps.map((step) => (step.durationMs === undefined ? ended(step, status === "completed", at) : step));
  return { ...block, state, steps, answer, thinking: "" };
}

function ended(step: ReasoningStep, well: boolean, at: number): ReasoningStep {
  return { ...step, state: well ? "done" : "failed", durationMs: Math.max(0, at - step.startedAt) };
}
