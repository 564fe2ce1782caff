import { failure } from "../../base/index.ts";
import type { AnyTool, ToolResult } from "../../tool/index.ts";
import type { Place } from "../agent-event.ts";
import type { Flow } from "../flow/flow.ts";
import { resultOf } from "../loop/call-tool.ts";
import { effectOfCall } from "../loop/effect-of-call.ts";
import { MadeCalls } from "../loop/made-calls.ts";
import { mayUse } from "../loop/may-use.ts";
import { tellEnd, toldCall } from "../loop/told-call.ts";
import type { AgentRun } from "../run/agent-run.ts";

/** A call that a runner decides on, and not its model. */
export interface OwnCall {
  readonly place: Place;
  /** Which of the calls at this place it is. */
  readonly name: string;
  readonly tool: string;
  readonly args: unknown;
}

/** The tool of this name, where the run may use it. */
export function usableTool(run: AgentRun, name: string): AnyTool | undefined {
  const tool = run.engine.resolver.resolve(name)?.tool;
  return tool !== undefined && mayUse(run, tool) ? tool : undefined;
}

/** Makes a call; one that the run has made already gives what it gave then. */
export function* ownCall(run: AgentRun, { place, name, tool: wanted, args }: OwnCall): Flow<ToolResult> {
  const key = `${place.part}.${place.round}.${name}`;
  const tool = usableTool(run, wanted);
  if (tool === undefined) return resultOf({ tool: wanted }, { success: false, error: noTool(wanted) });
  const madeKey = MadeCalls.keyOf(tool.name, args);
  const known = run.made.find(madeKey);
  const request = { place, key, callId: key, tool: wanted, args, madeKey, effect: effectOfCall(tool, args) };
  if (known !== undefined) {
    tellEnd(run, request, { result: known.result, duplicate: true });
    return known.result;
  }
  return (yield* toldCall(run, request)).result;
}

function noTool(name: string): ReturnType<typeof failure> {
  const message = `there is no tool ${JSON.stringify(name)} that this agent may use`;
  return failure("tool_not_found", message, { forModel: message, retry: "never" });
}
