import { viewText } from "../../hub/index.ts";
import type { TurnToolCall } from "../../model/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { type ToolResult, missingParts } from "../../tool/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import type { ToolResultPart } from "../message.ts";

/** What a part is made of. */
interface Answer {
  readonly call: Pick<TurnToolCall, "id" | "name">;
  readonly result: ToolResult;
  /** The result is of an earlier call that was the same, and stands above; it was not made again. */
  readonly isRepeated?: boolean;
  /** It failed, and may have done its work before. */
  readonly inDoubt?: boolean;
  /** The tools that there are, where it called none of them. */
  readonly names?: readonly string[] | undefined;
}

/** The result of a call as the model reads it: the whole of it, or a view and how to read on. */
export function resultPart(run: AgentRun, answer: Answer): ToolResultPart {
  const { id: toolCallId, name: toolName } = answer.call;
  const handle = answer.isRepeated === true ? undefined : handleOfResult(answer.result);
  const part = { type: "tool-result" as const, toolCallId, toolName, output: outputOf(run, answer) };
  return handle === undefined ? part : { ...part, providerOptions: { [handleKey]: { handle } } };
}

/** Where a part says under which handle the whole result is kept. No client reads this key. */
const handleKey = "windlass_result";

/** The handle under which the whole result is kept; what the text of a result says is anybody's. */
export function handleOf({ providerOptions }: ToolResultPart): string | undefined {
  const handle = providerOptions?.[handleKey]?.["handle"];
  return typeof handle === "string" ? handle : undefined;
}

function handleOfResult({ meta }: ToolResult): string | undefined {
  return typeof meta.handle === "string" ? meta.handle : undefined;
}

function outputOf(run: AgentRun, { result, isRepeated = false, inDoubt, names }: Answer): ToolResultPart["output"] {
  if (!result.success) {
    const why = stripUnsafe(result.error.forModel) + (names === undefined ? "" : `\n${namesText(names)}`);
    return { type: "error-text", value: inDoubt === true ? `${why}\n${doubtText(result.tool, isRepeated)}` : why };
  }
  if (isRepeated) return { type: "text", value: sameText(result.tool) };
  const { text } = viewText(result, run.spec.viewChars, handleOfResult(result));
  const missing = missingParts(result.meta);
  return { type: "text", value: missing === undefined ? text : `${text}\n[${missing}]` };
}

/** Of many tools, so many are named. */
const mostNames = 40;

function namesText(names: readonly string[]): string {
  const left = names.length - mostNames;
  return `The tools are: ${names.slice(0, mostNames).join(", ")}${left > 0 ? `, and ${left} more` : ""}.`;
}

/** Ids of calls are not named: not every model is shown them, and some are others once two answers are put together. */
function sameText(tool: string): string {
  return `${tool} was called before with the same arguments, and was not called again: its result is above. Use it, or answer.`;
}

function doubtText(tool: string, isRepeated: boolean): string {
  const again = isRepeated
    ? "this call, which is the same as one above, was not made again"
    : "the same call is not made again";
  return `It is not known whether ${tool} did its work before it failed, so ${again}. Find out by other means, or say so and go on.`;
}

/** A call that has no result: one that waits for a person, or was stopped before it had one. */
export function openPart({ id: toolCallId, name: toolName }: Pick<TurnToolCall, "id" | "name">): ToolResultPart {
  const value = "This call has no result: it waits for a decision, or was stopped before.";
  return { type: "tool-result", toolCallId, toolName, output: { type: "error-text", value } };
}
