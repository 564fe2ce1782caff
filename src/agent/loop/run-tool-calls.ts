import { failure } from "../../base/index.ts";
import { findToolsName } from "../../hub/index.ts";
import type { TurnToolCall } from "../../model/index.ts";
import { parseArguments } from "../../schema/index.ts";
import type { Effect, ToolResult } from "../../tool/index.ts";
import type { Place } from "../agent-event.ts";
import { type Flow, all } from "../flow/flow.ts";
import { resultOf } from "../flow/result-of.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { type CalledTool, type FirstOutcome, askAbout, concernsNobody } from "./call-tool.ts";
import { callKey } from "../run/call-key.ts";
import { type KnownCall, isInDoubt } from "../run/made-calls.ts";
import type { MeantCall } from "./meaning.ts";
import type { ToolResultPart } from "../message.ts";
import { offerFound } from "./offer-found.ts";
import type { OfferedTools } from "./offered-tools.ts";
import { resultPart } from "./result-part.ts";
import { type ToldRequest, tellEnd, toldEnd, toldWish } from "./told-call.ts";

/** The calls of one answer. */
export interface TurnCalls {
  readonly place: Place;
  readonly calls: readonly MeantCall[];
  /** Grows by what is found. */
  readonly offered: OfferedTools | undefined;
  /** Told of each part as soon as it is there. */
  readonly onPart?: (part: ToolResultPart, index: number) => void;
}

/** What came of them: one part for each, in their order. */
export interface CalledTools {
  readonly parts: ToolResultPart[];
  /** Those of calls that had not been made before. */
  readonly fresh: readonly ToolResultPart[];
  /** Not one of them was new. */
  readonly allKnown: boolean;
}

/** Who answers decides on the calls in the answer. */
const decidedBy = "model";

/** A call, read. */
interface ReadCall {
  readonly call: TurnToolCall;
  readonly index: number;
  readonly tool: string;
  readonly args: unknown;
  /** The same for the same tool and arguments; undefined where the call cannot be made. */
  readonly key: string | undefined;
  readonly effect: Effect;
  /** Why it is not made. */
  readonly refusal?: ToolResult;
}

/** What came of one. */
interface Answered {
  readonly part: ToolResultPart;
  /** It told nothing that the model had not been told. */
  readonly isKnown: boolean;
}

/**
 * Runs the tool calls of an answer. Those that only read go on side by side; one that writes waits for all before it,
 * and all after it wait for it, so that a model which writes and then reads sees what it wrote. Whatever was wrong with a
 * call is its result, in words that the model can act on. Which calls are made, and in which order, depends on nothing
 * but what the journal has. Where the budget is used up, by the answer or by an agent that it called, nobody could
 * be told what they gave, and no more are made.
 */
export function* runToolCalls(run: AgentRun, turn: TurnCalls): Flow<CalledTools> {
  const calls = turn.calls.map(readCall);
  const answered: Answered[] = [];
  for (const group of inGroups(calls)) {
    const spent = run.budget.spent();
    if (spent !== undefined) throw spent;
    const flows = group.map((call) => answer(run, turn, call));
    answered.push(...(yield* all(flows, run.spec.maxParallel)));
  }
  const fresh = answered.flatMap(({ part, isKnown }) => (isKnown ? [] : [part]));
  return { parts: answered.map(({ part }) => part), fresh, allKnown: fresh.length === 0 };
}

/** Calls that may run beside each other: reading ones that follow each other, and each of the others alone. */
function inGroups(calls: readonly ReadCall[]): ReadCall[][] {
  const groups: ReadCall[][] = [];
  let open: ReadCall[] | undefined;
  for (const call of calls) {
    const isAlone = call.effect === "idempotent" || call.effect === "once";
    // The same call twice in one answer: the second is told what the first gave.
    const isRepeated = open?.some(({ key }) => key !== undefined && key === call.key) === true;
    if (open === undefined || isAlone || isRepeated) groups.push((open = []));
    open.push(call);
    if (isAlone) open = undefined;
  }
  return groups;
}

function readCall(call: MeantCall, index: number): ReadCall {
  if (call.broken !== undefined) return unusable(call, index, brokenText(call));
  const parsed = parseArguments(call.input === "" ? "{}" : call.input);
  if (parsed.issues !== undefined) {
    return unusable(call, index, parsed.issues.map(({ message }) => message).join("; "));
  }
  const { tool, name = tool, effect, args = parsed.value } = call.means ?? { tool: call.name, effect: "once" };
  return { call, index, tool, args, key: callKey(name, args), effect };
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
  const refusal = resultOf(call.name, { success: false, error });
  return { call, index, tool: call.name, args: {}, key: undefined, effect: "pure", refusal };
}

function* answer(run: AgentRun, turn: TurnCalls, read: ReadCall): Flow<Answered> {
  const { key, refusal, index } = read;
  const known = key === undefined ? undefined : run.made.find(key);
  let answered: Answered;
  if (known !== undefined) answered = repeat(run, turn, { read, known });
  else if (refusal !== undefined) answered = refuse(run, turn, { read, refusal });
  else {
    // What `toldCall` does, without two more generators for each of many calls.
    const request = requestOf(turn, read);
    const outcome: FirstOutcome = yield toldWish(run, request);
    const called = concernsNobody(run, request, outcome) ? outcome : yield* askAbout(run, request, outcome);
    answered = made(run, turn, { read, called: toldEnd(run, request, called) });
  }
  turn.onPart?.(answered.part, index);
  return answered;
}

/** Tells what the same call gave before; in full, where the model can no longer read it. */
function repeat(
  run: AgentRun,
  { place }: TurnCalls,
  { read: { call, key }, known }: { readonly read: ReadCall; readonly known: KnownCall },
): Answered {
  const { result, inDoubt, isGone } = known;
  tellEnd(run, { place, callId: call.id, decidedBy }, { result, duplicate: true });
  if (isGone && key !== undefined) run.made.repeated(key, call.id);
  const isRepeated = !(isGone && result.success);
  return { part: resultPart(run, { call, result, isRepeated, inDoubt }), isKnown: !isGone };
}

function refuse(
  run: AgentRun,
  { place }: TurnCalls,
  { read: { call }, refusal }: { readonly read: ReadCall; readonly refusal: ToolResult },
): Answered {
  run.count(refusal);
  tellEnd(run, { place, callId: call.id, decidedBy }, { result: refusal });
  return { part: resultPart(run, { call, result: refusal }), isKnown: false };
}

function requestOf({ place }: TurnCalls, { call, index, tool, args, key: madeKey, effect }: ReadCall): ToldRequest {
  const key = `${place.part}.${place.round}.${index}`;
  return { place, decidedBy, key, callId: call.id, tool, args, madeKey, effect };
}

function made(
  run: AgentRun,
  { offered }: TurnCalls,
  { read: { call, tool, effect }, called }: { readonly read: ReadCall; readonly called: CalledTool },
): Answered {
  const { result } = called;
  if (offered !== undefined && result.success && result.tool === findToolsName) offerFound(run, offered, result.output);
  const inDoubt = isInDoubt({ result, effect: called.effect ?? effect });
  const isUnknown = !result.success && result.error.code === "tool_not_found" && offered?.knows(tool) === false;
  const names = isUnknown ? offered.toldNames : undefined;
  return { part: resultPart(run, { call, result, inDoubt, names }), isKnown: false };
}
