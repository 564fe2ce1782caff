import { failure } from "../../base/index.ts";
import type { AnyTool, Effect, ToolResult } from "../../tool/index.ts";
import type { CallDecider, Place } from "../agent-event.ts";
import { fact } from "../flow/fact.ts";
import type { Flow } from "../flow/flow.ts";
import { resultOf } from "../flow/result-of.ts";
import { effectOfCall } from "../loop/effect-of-call.ts";
import { callKey } from "../run/call-key.ts";
import { mayUse } from "../run/may-use.ts";
import { tellEnd, toldCall } from "../loop/told-call.ts";
import type { AgentRun } from "../run/agent-run.ts";

/** A call that a runner makes without being asked by its model. */
export interface OwnCall {
  readonly place: Place;
  /** Which of the calls at this place it is. */
  readonly name: string;
  readonly tool: string;
  readonly args: unknown;
  /** The runner itself where absent. */
  readonly decidedBy?: CallDecider;
}

/** The tool of this name, where the run may use it. Only for a look at things as they are; see {@link canUse}. */
export function usableTool(run: AgentRun, name: string): AnyTool | undefined {
  const tool = run.engine.resolver.resolve(name)?.tool;
  return tool !== undefined && mayUse(run, tool) ? tool : undefined;
}

/** Could the run use a tool of this name when it came to this? */
export function* canUse(run: AgentRun, { part, round }: Place, name: string): Flow<boolean> {
  return yield* fact(`${part}.${round}.has-${name}`, () => usableTool(run, name) !== undefined);
}

/** What is known of a tool: plain JSON. */
interface KnownTool {
  /** Its own. */
  readonly name: string;
  readonly effect: Effect;
}

function look(run: AgentRun, name: string, args: unknown): KnownTool | null {
  const tool = usableTool(run, name);
  return tool === undefined ? null : { name: tool.name, effect: effectOfCall(tool, args) };
}

/** Makes a call; one that the run has made already gives what it gave then. */
export function* ownCall(run: AgentRun, own: OwnCall): Flow<ToolResult> {
  const { place, name, tool: wanted, args, decidedBy = "runner" } = own;
  const key = `${place.part}.${place.round}.${name}`;
  const tool = yield* fact(`${key}.tool`, () => look(run, wanted, args));
  if (tool === null) return resultOf(wanted, { success: false, error: noTool(wanted) });
  const madeKey = callKey(tool.name, args);
  const known = run.made.find(madeKey);
  const request = { place, decidedBy, key, callId: key, tool: wanted, args, madeKey, effect: tool.effect };
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
