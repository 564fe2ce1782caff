import { failure } from "../../base/index.ts";
import { findToolsName } from "../../hub/index.ts";
import type { TurnToolCall } from "../../model/index.ts";
import { parseArguments } from "../../schema/index.ts";
import type { Effect, ToolResult } from "../../tool/index.ts";
import type { TurnRef } from "../events/agent-event.ts";
import { type FirstOutcome, type RunProgram, type ToolCallOutcome, createToolResult, runAll } from "../../run/index.ts";
import { type AgentRun, foundTools } from "../run/agent-run.ts";
import { needsNoApproval, requestToolApproval } from "./tool-call.ts";
import { dedupeKey } from "../run/dedupe-key.ts";
import { type DuplicateCall, isOutcomeUnknown } from "../run/call-history.ts";
import type { ResolvedToolCall } from "./resolve-tool-calls.ts";
import type { ToolResultPart } from "../events/message.ts";
import type { OfferedTools } from "../run/offered-tools.ts";
import { toToolResultPart } from "./tool-result-part.ts";
import { type ObservedCallRequest, emitCallFinished, recordCallEnd, emitCallStarted } from "./observed-call.ts";
import { offerFoundTool } from "./choose-tools.ts";

/** The calls of one response. */
export interface TurnCalls {
  readonly turnRef: TurnRef;
  readonly calls: readonly ResolvedToolCall[];
  /** Their arguments as they were parsed for the conversation. */
  readonly parsed?: readonly unknown[] | undefined;
  /** Grows by the tools found. */
  readonly offered: OfferedTools | undefined;
  /** Called with each part as soon as it exists. */
  readonly onPart?: (part: ToolResultPart, index: number) => void;
}

/** Outcomes of the calls: one part for each, in their order. */
export interface ToolCallOutcomes {
  readonly parts: ToolResultPart[];
  /** Results of calls that had not been made before. */
  readonly fresh: readonly ToolResultPart[];
  /** None of the calls was new. */
  readonly allKnown: boolean;
}

/** Initiator of the calls in a response: the model. */
const decidedBy = "model";

/** A parsed call. */
interface ReadCall {
  readonly call: TurnToolCall;
  readonly index: number;
  readonly tool: string;
  readonly args: unknown;
  /** The same for the same tool and arguments; undefined if the call cannot be made. */
  readonly key: string | undefined;
  readonly effect: Effect;
  /** Reason why it is not made. */
  readonly refusal?: ToolResult;
}

/** Outcome of one call. */
interface Answered {
  readonly part: ToolResultPart;
  /** The result contains nothing that the model has not already received. */
  readonly isKnown: boolean;
}

/**
 * Runs the tool calls of a response. Reads run concurrently; a write waits for all calls before it, and all calls after
 * it wait for the write, so that a model which writes and then reads sees its own changes. An error in a call is its
 * result, with a message that the model can act on. Which calls are made, and in which order, depends only on the
 * journal. If the budget is used up, by the response or by an agent that it called, no more calls are made, because no
 * model request could use their results.
 */
export function* runToolCalls(run: AgentRun, turn: TurnCalls): RunProgram<ToolCallOutcomes> {
  const calls = turn.calls.map((call, index) => readCall(call, index, turn.parsed?.[index]));
  const answered: Answered[] = [];
  for (const group of inGroups(calls)) {
    const spent = run.budget.spent();
    if (spent !== undefined) throw spent;
    const flows = group.map((call) => answer(run, turn, call));
    answered.push(...(yield* runAll(flows, run.spec.maxParallel)));
  }
  const fresh = answered.flatMap(({ part, isKnown }) => (isKnown ? [] : [part]));
  return { parts: answered.map(({ part }) => part), fresh, allKnown: fresh.length === 0 };
}

/** Groups of calls that may run concurrently: consecutive reads, and each other call alone. */
function inGroups(calls: readonly ReadCall[]): ReadCall[][] {
  const groups: ReadCall[][] = [];
  let open: ReadCall[] | undefined;
  for (const call of calls) {
    const isAlone = call.effect === "idempotent" || call.effect === "once";
    // The same call twice in one response: the second gets the result of the first.
    const isRepeated = open?.some(({ key }) => key !== undefined && key === call.key) === true;
    if (open === undefined || isAlone || isRepeated) groups.push((open = []));
    open.push(call);
    if (isAlone) open = undefined;
  }
  return groups;
}

function readCall(call: ResolvedToolCall, index: number, known: unknown): ReadCall {
  if (call.broken !== undefined) return unusable(call, index, brokenText(call));
  const parsed = parseArguments(call.input === "" ? "{}" : call.input, known);
  if (parsed.issues !== undefined) {
    return unusable(call, index, parsed.issues.map(({ message }) => message).join("; "));
  }
  const { tool, name = tool, effect, args = parsed.value } = call.resolution ?? { tool: call.name, effect: "once" };
  return { call, index, tool, args, key: dedupeKey(name, args), effect };
}

function brokenText({ name, broken, input }: TurnToolCall): string {
  if (broken === "cut") {
    return (
      `the call of ${name} was cut off before its arguments were complete, so it was not run. ` +
      `Send it again with shorter arguments, or in several calls.`
    );
  }
  const issues = parseArguments(input).issues ?? [];
  const why = issues.map(({ message }) => message).join("; ");
  return `${name} was not run: ${why === "" ? "its arguments cannot be read" : why}. Send the call again with one JSON object.`;
}

function unusable(call: TurnToolCall, index: number, message: string): ReadCall {
  const error = failure("validation_error", message, { forModel: message, retry: "safe" });
  const refusal = createToolResult(call.name, { success: false, error });
  return { call, index, tool: call.name, args: {}, key: undefined, effect: "pure", refusal };
}

function* answer(run: AgentRun, turn: TurnCalls, read: ReadCall): RunProgram<Answered> {
  const { key, refusal, index } = read;
  const known = key === undefined ? undefined : run.callHistory.find(key);
  let answered: Answered;
  if (known !== undefined) answered = repeat(run, turn, { read, known });
  else if (refusal !== undefined) answered = refuse(run, turn, { read, refusal });
  else {
    // The same as `callObserved`, without two more generators for each of many calls.
    const request = requestOf(turn, read);
    const outcome: FirstOutcome = yield emitCallStarted(run, request);
    const called = needsNoApproval(run, request, outcome) ? outcome : yield* requestToolApproval(run, request, outcome);
    answered = toCallOutcome(run, turn, { read, called: recordCallEnd(run, request, called) });
  }
  turn.onPart?.(answered.part, index);
  return answered;
}

/** Returns the result of the same earlier call; in full if the model can no longer read it. */
function repeat(
  run: AgentRun,
  { turnRef }: TurnCalls,
  { read: { call, key }, known }: { readonly read: ReadCall; readonly known: DuplicateCall },
): Answered {
  const { result, inDoubt, isGone } = known;
  emitCallFinished(run, { turnRef, callId: call.id, initiator: decidedBy }, { result, duplicate: true });
  if (isGone && key !== undefined) run.callHistory.repeated(key, call.id);
  const isRepeated = !(isGone && result.success);
  return { part: toToolResultPart(run, { call, result, isRepeated, inDoubt }), isKnown: !isGone };
}

function refuse(
  run: AgentRun,
  { turnRef }: TurnCalls,
  { read: { call }, refusal }: { readonly read: ReadCall; readonly refusal: ToolResult },
): Answered {
  run.count(refusal);
  emitCallFinished(run, { turnRef, callId: call.id, initiator: decidedBy }, { result: refusal });
  return { part: toToolResultPart(run, { call, result: refusal }), isKnown: false };
}

function requestOf(
  { turnRef }: TurnCalls,
  { call, index, tool, args, key: madeKey, effect }: ReadCall,
): ObservedCallRequest {
  const key = `${turnRef.part}.${turnRef.round}.${index}`;
  return { turnRef, initiator: decidedBy, key, callId: call.id, tool, args, dedupeKey: madeKey, effect };
}

function toCallOutcome(
  run: AgentRun,
  { offered }: TurnCalls,
  { read: { call, tool, effect }, called }: { readonly read: ReadCall; readonly called: ToolCallOutcome },
): Answered {
  const { result } = called;
  // The definitions of tools that were found are offered from now on, as far as they fit.
  if (offered !== undefined && result.success && result.tool === findToolsName)
    for (const { name } of foundTools(result.output)) offerFoundTool(run, offered, name);
  const inDoubt = isOutcomeUnknown({ result, effect: called.effect ?? effect });
  const isUnknown = !result.success && result.error.code === "tool_not_found" && offered?.knows(tool) === false;
  const names = isUnknown ? offered.wireNames : undefined;
  return { part: toToolResultPart(run, { call, result, inDoubt, names }), isKnown: false };
}
