import { formatResult, viewText } from "../../../hub/index.ts";
import { isRecord } from "../../../schema/index.ts";
import type { ToolResult } from "../../../tool/index.ts";
import type { Flow } from "../../flow/flow.ts";
import type { CalledTool } from "../../loop/call-tool.ts";
import { toldCall } from "../../loop/told-call.ts";
import type { AgentRun } from "../../run/agent-run.ts";
import type { StepTool } from "./step-tool.ts";
import type { StepWork } from "./step-work.ts";

/** The call of a step. */
interface StepCall {
  readonly work: StepWork;
  readonly target: StepTool;
  /** Part of its key: a step calls one tool of each kind at most. */
  readonly by: "tool" | "capability";
  readonly args: unknown;
}

/** What a call gave, in the forms in which it is shown. */
interface Called extends CalledTool {
  /** Short, by the kind of the tool. */
  readonly text: string;
  /** As much as is shown of a result, and how to read on. */
  readonly view: string;
  readonly isEmpty: boolean;
}

/** Makes the call of a step and tells of it. */
export function* callForStep(run: AgentRun, { work, target, by, args }: StepCall): Flow<Called> {
  const { name: tool, kind } = target;
  const key = `${work.step.id}.${by}`;
  const place = work.place();
  // The plan is the model's; who stands in for its tool is chosen by rule.
  const decidedBy = by === "tool" ? "model" : "runner";
  const told = { place, decidedBy, key, callId: key, tool, args, madeKey: undefined, effect: "once" } as const;
  const called = yield* toldCall(run, told);
  const { result } = called;
  const { text, cut } = formatResult(result, kind);
  return { ...called, text, view: cut ? viewOf(run, result) : text, isEmpty: isEmpty(result) };
}

function viewOf({ spec }: AgentRun, result: ToolResult): string {
  if (!result.success) return result.error.forModel;
  const { handle } = result.meta;
  return viewText(result, spec.viewChars, typeof handle === "string" ? handle : undefined).text;
}

/** Nothing, or an object whose only list is empty: a search that found nothing. */
function isEmpty(result: ToolResult): boolean {
  if (!result.success) return false;
  const { output } = result;
  if (output === null || output === undefined) return true;
  if (typeof output === "string") return output.trim() === "";
  if (Array.isArray(output)) return output.length === 0;
  if (!isRecord(output)) return false;
  const lists = Object.values(output).filter((value) => Array.isArray(value));
  return Object.keys(output).length === 0 || (lists.length === 1 && lists[0]?.length === 0);
}
