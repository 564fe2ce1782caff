import { failure } from "../../base/index.ts";
import { findToolsName } from "../../hub/index.ts";
import type { TurnToolCall } from "../../model/index.ts";
import { parseArguments } from "../../schema/index.ts";
import type { Effect, ToolResult } from "../../tool/index.ts";
import type { Place } from "../agent-event.ts";
import { type Flow, all } from "../flow/flow.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { resultOf } from "./call-tool.ts";
import { effectOfCall } from "./effect-of-call.ts";
import { MadeCalls } from "./made-calls.ts";
import { mayUse } from "./may-use.ts";
import { offerFound } from "./offer-found.ts";
import type { ToolResultPart } from "./message.ts";
import type { OfferedTools } from "./offered-tools.ts";
import { resultPart } from "./result-part.ts";
import { tellEnd, toldCall } from "./told-call.ts";

/** The calls of one answer. */
export interface TurnCalls {
  readonly place: Place;
  readonly calls: readonly TurnToolCall[];
  readonly offered: OfferedTools;
}

/** What came of them: one part for each, in their order. */
export interface CalledTools {
  readonly parts: ToolResultPart[];
  /** Those of calls that had not been made before. */
  readonly fresh: readonly ToolResultPart[];
  /** Not one of them was new. */
  readonly allKnown: boolean;
}

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
  readonly isKnown: boolean;
}

/**
 * Runs the tool calls of an answer. Those that only read go on side by side; one that writes waits for all before it,
 * and all after it wait for it, so that a model which writes and then reads sees what it wrote. Whatever was wrong with a
 * call is its result, in words that the model can act on.
 */
export function* runToolCalls(run: AgentRun, turn: TurnCalls): Flow<CalledTools> {
  const calls = turn.calls.map((call, index) => readCall(run, turn, { call, index }));
  const answered: Answered[] = [];
  for (const group of inGroups(calls)) {
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

function readCall(
  run: AgentRun,
  { offered }: TurnCalls,
  { call, index }: { readonly call: TurnToolCall; readonly index: number },
): ReadCall {
  if (call.broken !== undefined) return unusable(call, index, brokenText(call));
  const parsed = parseArguments(call.input === "" ? "{}" : call.input);
  if (parsed.issues !== undefined) {
    return unusable(call, index, parsed.issues.map(({ message }) => message).join("; "));
  }
  const { tool: name, args } = offered.read(call.name, parsed.value);
  const tool = run.engine.resolver.resolve(name)?.tool;
  if (tool !== undefined && !mayUse(run, tool)) {
    return unusable(call, index, `${name} is not available here. Use the tools that you were told of, or answer.`);
  }
  // An alias is the tool itself.
  const key = MadeCalls.keyOf(tool?.name ?? name, args);
  return { call, index, tool: name, args, key, effect: tool === undefined ? "pure" : effectOfCall(tool, args) };
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
  const refusal = resultOf({ tool: call.name }, { success: false, error });
  return { call, index, tool: call.name, args: {}, key: undefined, effect: "pure", refusal };
}

function* answer(run: AgentRun, turn: TurnCalls, read: ReadCall): Flow<Answered> {
  const { place } = turn;
  const { call, key, refusal } = read;
  const known = key === undefined ? undefined : run.made.find(key);
  if (known !== undefined) {
    const part = resultPart(run, { call, result: known.result, sameAs: known.callId });
    tellEnd(run, { ...read, place, callId: call.id }, { result: known.result, duplicate: true });
    return { part, isKnown: true };
  }
  if (refusal !== undefined) {
    run.count(refusal);
    tellEnd(run, { ...read, place, callId: call.id }, { result: refusal });
    return { part: resultPart(run, { call, result: refusal }), isKnown: false };
  }
  const result = yield* make(run, turn, read);
  return { part: resultPart(run, { call, result }), isKnown: false };
}

function* make(run: AgentRun, { place, offered }: TurnCalls, read: ReadCall): Flow<ToolResult> {
  const { call, index, tool, args, key: madeKey, effect } = read;
  const key = `${place.part}.${place.round}.${index}`;
  const { result } = yield* toldCall(run, { place, key, callId: call.id, tool, args, madeKey, effect });
  if (result.success && result.tool === findToolsName) offerFound(run, offered, result.output);
  return result;
}
