import { isRecord } from "../../schema/index.ts";
import type { AgentEvent, AgentEventOf, ShownTool } from "../events/agent-event.ts";
import type { AgentNotice } from "../events/agent-notice.ts";
import { isAnswerPart, partKind } from "../events/part-kind.ts";
import { describeCall, shortLine, shortValue } from "./describe-call.ts";
import { detectLanguage } from "../../text/index.ts";
import { agentNoticeText, agentTexts } from "../texts/agent-texts.ts";
import {
  type ReasoningBlock,
  type ReasoningState,
  type ReasoningStep,
  emptyReasoningBlock,
  type ReasoningLanguage,
} from "./reasoning-block.ts";

/**
 * Returns the view of a run after one more event. Pure: the same events always give the same block.
 *
 * @example
 * ```ts
 * let block = emptyReasoningBlock;
 * for await (const event of agent.stream("What did I write about tides?")) {
 *   block = foldReasoning(block, event);
 *   draw(block.steps.map(({ text, state }) => `${state}: ${text}`), block.answer);
 * }
 * ```
 *
 * @see docs/guide/agents.md
 */
export function foldReasoning(before: ReasoningBlock, event: AgentEvent): ReasoningBlock {
  const elapsedMs = before.runId === "" ? 0 : Math.max(before.elapsedMs, event.at - before.startedAt);
  const block = elapsedMs === before.elapsedMs ? before : { ...before, elapsedMs };
  // The table maps each type to a function for events of that type.
  const fold = folds[event.type] as (block: ReasoningBlock, event: AgentEvent) => ReasoningBlock;
  return fold(block, event);
}

/**
 * Returns the view of a whole run up to its last event.
 *
 * @example
 * ```ts
 * const block = toReasoningBlock(await Array.fromAsync(agent.stream("6*7?")));
 * console.log(block.state, block.answer);
 * ```
 */
export function toReasoningBlock(events: Iterable<AgentEvent>): ReasoningBlock {
  let block = emptyReasoningBlock;
  for (const event of events) block = foldReasoning(block, event);
  return block;
}

/** Effect of each event type on a block. */
const folds: {
  readonly [Type in AgentEvent["type"]]: (block: ReasoningBlock, event: EventOf<Type>) => ReasoningBlock;
} = {
  "run-started": (_block, { runId, runner, at, prompt }) => ({
    ...emptyReasoningBlock,
    runId,
    runner,
    startedAt: at,
    language: detectLanguage(prompt),
  }),
  "round-started": beginRound,
  "text-delta": addText,
  "thinking-delta": think,
  "round-restarted": restart,
  "round-waiting": (block, event) =>
    change(block, roundKey(event), { detail: waitingText(event.waitMs, event.reason, block.language) }),
  "round-finished": endRound,
  "tool-started": beginCall,
  "tool-progress": (block, event) =>
    change(block, callKey(event), {
      detail: indexingText(event.value, block.language) ?? shortValue(event.value, maxDetailLength),
    }),
  "tool-finished": endCall,
  "approval-requested": addApprovalStep,
  "approval-decided": (block, event) =>
    change(toState(block, "working"), callKey(event), {
      state: "active",
      detail: shortLine(event.note ?? "", maxDetailLength),
    }),
  notice: (block, event) => put(block, noteOf(block, event), block.state),
  "run-finished": end,
};

/** Events of one type. */
type EventOf<Type, Event = AgentEvent> = Event extends { readonly type: infer Types }
  ? Type extends Types
    ? Event
    : never
  : never;

const maxDetailLength = 300;

interface TurnEvent {
  readonly part: string;
  readonly round: number;
}

type At = TurnEvent & { readonly at: number };

function roundKey({ part, round }: TurnEvent): string {
  return `${part}.${round}`;
}

function callKey(event: TurnEvent & { readonly callId: string }): string {
  return `${roundKey(event)}.${event.callId}`;
}

function whereOf({ part, round, at }: At): Pick<ReasoningStep, "part" | "round" | "startedAt"> {
  return { part, round, startedAt: at };
}

function toState(block: ReasoningBlock, state: ReasoningState): ReasoningBlock {
  return block.state === state ? block : { ...block, state };
}

/** Appends a step, or replaces the one with the same id. */
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

/** Removes the wait notice of a model request that has been answered. */
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
  const text = thinkingText(part, block.language);
  const request = put(
    { ...block, thinking: "", thinker: roundKey(event) },
    { id: roundKey(event), kind: "model", text, state: "active", ...whereOf(event) },
    "thinking",
  );
  // Text of a round with tool calls is not part of the answer.
  return isAnswerPart(part) ? { ...request, answer: "" } : request;
}

function addText(block: ReasoningBlock, event: TurnEvent & { readonly text: string }): ReasoningBlock {
  const { part, text } = event;
  const id = roundKey(event);
  const words = withNumber(part, agentTexts[block.language].parts[partKind(part)].doing);
  const step = block.steps.findLast((each) => each.id === id);
  const reported = step === undefined || step.text === words ? block : change(waited(block, id), id, { text: words });
  return isAnswerPart(part) ? { ...toState(reported, "answering"), answer: reported.answer + text } : reported;
}

function think(block: ReasoningBlock, event: TurnEvent & { readonly text: string }): ReasoningBlock {
  const thinker = roundKey(event);
  // Several parts may reason concurrently: the last one is shown.
  return { ...block, thinker, thinking: block.thinker === thinker ? block.thinking + event.text : event.text };
}

function restart(block: ReasoningBlock, event: TurnEvent): ReasoningBlock {
  const { part } = event;
  const id = roundKey(event);
  const text = thinkingText(part, block.language);
  const again = change(waited(toState(block, "thinking"), id), id, { text });
  return { ...again, thinking: "", ...(isAnswerPart(part) && { answer: "" }) };
}

function endRound(before: ReasoningBlock, event: AgentEventOf<"round-finished">): ReasoningBlock {
  const { part, toolCalls, at } = event;
  const id = roundKey(event);
  const block = waited(before, id);
  const step = block.steps.findLast((each) => each.id === id);
  const content = shortLine(event.text, maxDetailLength);
  const durationMs = Math.max(0, at - (step?.startedAt ?? at));
  if (toolCalls === 0) {
    const answer = isAnswerPart(part) ? { answer: event.text } : {};
    const text = withNumber(part, agentTexts[block.language].parts[partKind(part)].done);
    return { ...change(block, id, { text, state: "done", durationMs }), ...answer, thinking: "" };
  }
  const quiet = { ...toState(block, "working"), thinking: "", ...(isAnswerPart(part) && { answer: "" }) };
  return content === "" ? without(quiet, id) : change(quiet, id, { text: content, state: "done", durationMs });
}

/** Activity of the model in this part before it produces text. */
function thinkingText(part: string, language: ReasoningLanguage): string {
  const { thinking, parts } = agentTexts[language];
  const kind = partKind(part);
  return withNumber(part, kind === "answer" ? thinking : parts[kind].doing);
}

/** Reason for a pause: `waiting 6 s: the service limits the request rate`. */
function waitingText(ms: number, reason: string | undefined, language: ReasoningLanguage): string {
  const seconds = ms < 950 ? (ms / 1000).toFixed(1) : String(Math.ceil(ms / 1000));
  return agentTexts[language].waiting(seconds, reason === "rate_limited");
}

/** Steps are identified by the runner's name for them. */
function withNumber(part: string, words: string): string {
  const number = /^(?:step|prepare)[-_ ]?(\w{1,40})/.exec(part)?.[1];
  return number === undefined ? words : `${words}: ${number}`;
}

// --- calls

function namesOf({ tool, displayName }: ShownTool): Pick<ReasoningStep, "tool" | "displayName"> {
  return displayName === undefined ? { tool } : { tool, displayName };
}

function beginCall(block: ReasoningBlock, event: EventOf<"tool-started">): ReasoningBlock {
  const { initiator, args } = event;
  if (event.background === true) return toState(block, "working");
  const text = describeCall(event, args, block.language);
  return put(
    block,
    { id: callKey(event), kind: "tool", text, state: "active", ...whereOf(event), ...namesOf(event), initiator, args },
    "working",
  );
}

function endCall(block: ReasoningBlock, event: AgentEventOf<"tool-finished">): ReasoningBlock {
  const { success, durationMs, error } = event;
  const id = callKey(event);
  const begun = block.steps.findLast((each) => each.id === id);
  // Background tools are shown only if something is wrong with them.
  if (begun === undefined && event.background === true && success) return block;
  const { detail: _detail, ...step } = begun ?? refusedStep(block, event);
  const detail = event.duplicate === true ? "" : describeOutcome(event, block.language);
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

/** The step of a call that never started: it was invalid, or a duplicate. */
function refusedStep({ language }: ReasoningBlock, event: AgentEventOf<"tool-finished">): ReasoningStep {
  const { initiator, duplicate } = event;
  const text = duplicate === true ? describeDuplicate(event, language) : describeCall(event, undefined, language);
  return { ...whereOf(event), id: callKey(event), kind: "tool", ...namesOf(event), initiator, text, state: "active" };
}

function addApprovalStep(block: ReasoningBlock, event: AgentEventOf<"approval-requested">): ReasoningBlock {
  const { tool, args, approvalId, message } = event;
  const id = callKey(event);
  const detail = shortLine(message, maxDetailLength);
  const begun = block.steps.findLast((each) => each.id === id) ?? {
    ...whereOf(event),
    id,
    kind: "tool",
    tool,
    args,
    text: describeCall(event, args, block.language),
  };
  return put(block, { ...begun, state: "waiting", detail, approvalId }, "waiting");
}

function noteOf({ steps, language }: ReasoningBlock, event: EventOf<"notice">): ReasoningStep {
  const { at: startedAt, code, params } = event;
  const step = { id: `note.${steps.length}`, kind: "notice", state: "done", startedAt, durationMs: 0 } as const;
  // Recorded events of other versions may have an unknown code, or only a text.
  const isKnown = Object.hasOwn(agentTexts[language].notices, code);
  const text = shortLine(isKnown && language !== "en" ? agentNoticeText(event, language) : event.text, maxDetailLength);
  // Both are of one event.
  return isKnown ? { ...step, text, notice: { code, params } as AgentNotice } : { ...step, text };
}

// --- the end

function end(block: ReasoningBlock, { status, answer, at }: AgentEventOf<"run-finished">): ReasoningBlock {
  const state = status === "running" ? "interrupted" : status;
  const steps =
    state === "waiting" || state === "interrupted"
      ? block.steps
      : block.steps.map((step) => (step.durationMs === undefined ? ended(step, status === "completed", at) : step));
  return { ...block, state, steps, answer, thinking: "" };
}

function ended(step: ReasoningStep, well: boolean, at: number): ReasoningStep {
  return { ...step, state: well ? "done" : "failed", durationMs: Math.max(0, at - step.startedAt) };
}

/** Maximum number of found items to name. */
const maxListed = 3;
const maxNameLength = 60;

/** Describes the outcome of a call: `found 5: Piano practice.md, Scales.md, …`, or its result. */
function describeOutcome(
  { success, items, summary, error }: AgentEventOf<"tool-finished">,
  language: ReasoningLanguage,
): string {
  if (!success) return shortLine(error?.message ?? summary, 200);
  if (items === undefined) return shortLine(summary, 120);
  const names = items.names.slice(0, maxListed).map((name) => shortLine(name, maxNameLength));
  return agentTexts[language].found(items.count, names);
}

/** Describes a call that was not made because it is a duplicate. */
function describeDuplicate({ tool, displayName = tool }: ShownTool, language: ReasoningLanguage): string {
  return agentTexts[language].duplicateCall(shortLine(displayName, maxNameLength));
}

/** Text for the progress of indexing the notes; undefined for other progress. */
function indexingText(value: unknown, language: ReasoningLanguage): string | undefined {
  if (!isRecord(value) || typeof value["seen"] !== "number" || typeof value["indexed"] !== "number") return undefined;
  const { seen, total } = value;
  const counted = typeof total === "number" ? `${seen} / ${total}` : String(seen);
  return agentTexts[language].indexing(seen === 0 ? undefined : counted);
}
