import { failure } from "../../base/index.ts";
import type { RunningCall, StepWork } from "../../chain/index.ts";
import { resultOf } from "../flow/result-of.ts";
import { isAmong } from "./may-use.ts";
import type { AgentRun } from "./agent-run.ts";

/**
 * A call of a tool that the run may not use, which is refused; undefined for any other. Whether a tool is there at all, or
 * switched off, the engine says. It is judged when a call begins: what the journal has was judged then.
 */
export function refusedTool(run: AgentRun, { tool: name }: StepWork): RunningCall | undefined {
  const tool = run.engine.resolver.resolve(name)?.tool;
  if (tool === undefined || isAmong(run, tool)) return undefined;
  const message = `${name} is not available here. Use the tools that you were told of, or answer.`;
  const error = failure("not_available", message, { forModel: message, retry: "never" });
  const result = resultOf(name, { success: false, error });
  return { run: () => result, abort: () => {} };
}
