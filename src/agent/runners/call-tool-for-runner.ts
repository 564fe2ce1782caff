import { failure } from "../../base/index.ts";
import { type AnyTool, type Effect, type ToolResult, nameToCall } from "../../tool/index.ts";
import type { CallInitiator, TurnRef } from "../events/agent-event.ts";
import { recordValue, type RunProgram, createToolResult } from "../../run/index.ts";
import { resolveCallEffect } from "../../engine/index.ts";
import { dedupeKey } from "../run/dedupe-key.ts";
import { isToolAllowed } from "../run/is-tool-allowed.ts";
import { emitCallFinished, callObserved } from "../loop/observed-call.ts";
import type { AgentRun } from "../run/agent-run.ts";

/** A call that a runner makes on its own, without a request of its model. */
export interface RunnerInitiatedCall {
  readonly turnRef: TurnRef;
  /** Name of the call, unique within the turn. */
  readonly name: string;
  readonly tool: string;
  readonly args: unknown;
  /** Default: the runner itself. */
  readonly initiator?: CallInitiator;
}

/** The tool of this name, if the run may use it. Not replayable: use {@link canUse} inside a run program. */
export function usableTool(run: AgentRun, name: string): AnyTool | undefined {
  const tool = run.engine.resolver.resolve(name)?.tool;
  return tool !== undefined && isToolAllowed(run, tool) ? tool : undefined;
}

/** True if the run could use a tool of this name when it got here; recorded in the journal under `key`. */
export function* canUse(run: AgentRun, turnRef: TurnRef, name: string, key: string = name): RunProgram<boolean> {
  const { part, round } = turnRef;
  return yield* recordValue(`${part}.${round}.has-${key}`, () => usableTool(run, name) !== undefined);
}

/** Recorded facts about a tool: plain JSON. */
interface KnownTool {
  /** The tool's own name. */
  readonly name: string;
  readonly effect: Effect;
}

function look(run: AgentRun, name: string, args: unknown): KnownTool | null {
  const tool = usableTool(run, name);
  return tool === undefined ? null : { name: nameToCall(tool), effect: resolveCallEffect(tool, args) };
}

/** Makes a call; a duplicate call returns the earlier result. */
export function* callToolForRunner(run: AgentRun, own: RunnerInitiatedCall): RunProgram<ToolResult> {
  const { turnRef, name, tool: query, args, initiator = "runner" } = own;
  const key = `${turnRef.part}.${turnRef.round}.${name}`;
  const tool = yield* recordValue(`${key}.tool`, () => look(run, query, args));
  if (tool === null) return createToolResult(query, { success: false, error: noTool(query) });
  const callKey = dedupeKey(tool.name, args);
  const known = run.callHistory.find(callKey);
  const request = { turnRef, initiator, key, callId: key, tool: query, args, dedupeKey: callKey, effect: tool.effect };
  if (known !== undefined) {
    emitCallFinished(run, request, { result: known.result, duplicate: true });
    return known.result;
  }
  return (yield* callObserved(run, request)).result;
}

function noTool(name: string): ReturnType<typeof failure> {
  const message = `there is no tool ${JSON.stringify(name)} that this agent may use`;
  return failure("tool_not_found", message, { forModel: message, retry: "never" });
}
