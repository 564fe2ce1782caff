import { viewText } from "../../hub/index.ts";
import { type TurnToolCall, withImages } from "../../model/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import { type ToolResult, describeMissingSources } from "../../tool/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { attachedContentOf } from "../run/attached-images.ts";
import type { ToolResultPart } from "../events/message.ts";

/** Input of a result part. */
interface ToolAnswer {
  readonly call: Pick<TurnToolCall, "id" | "name">;
  readonly result: ToolResult;
  /** The result belongs to the same earlier call and is in the conversation above; the call was not repeated. */
  readonly isRepeated?: boolean;
  /** It failed, and may have done its work before. */
  readonly inDoubt?: boolean;
  /** The available tools, if it called none of them. */
  readonly names?: readonly string[] | undefined;
}

/** The result of a call as the model reads it: complete, or a view with instructions to read more. */
export function toToolResultPart(run: AgentRun, answer: ToolAnswer): ToolResultPart {
  const { id: toolCallId, name: toolName } = answer.call;
  const handle = answer.isRepeated === true ? undefined : handleOfResult(answer.result);
  const part = { type: "tool-result" as const, toolCallId, toolName, output: outputOf(run, answer) };
  const stored = handle === undefined ? part : { ...part, providerOptions: { [handleKey]: { handle } } };
  const attached = answer.isRepeated === true ? undefined : attachedContentOf(answer.result);
  return attached === undefined ? stored : withImages<ToolResultPart>(stored, attached.images);
}

/** Key of a part that holds the handle of the stored whole result. Clients ignore this key. */
const handleKey = "windlass_result";

/**
 * The handle under which the whole result is stored. It is not read from the text of a result, which anyone can write.
 */
export function resultHandleOf({ providerOptions }: ToolResultPart): string | undefined {
  const handle = providerOptions?.[handleKey]?.["handle"];
  return typeof handle === "string" ? handle : undefined;
}

function handleOfResult({ meta }: ToolResult): string | undefined {
  return typeof meta.handle === "string" ? meta.handle : undefined;
}

function outputOf(run: AgentRun, { result, isRepeated = false, inDoubt, names }: ToolAnswer): ToolResultPart["output"] {
  if (!result.success) {
    const why = stripUnsafe(result.error.forModel) + (names === undefined ? "" : `\n${namesText(names)}`);
    return { type: "error-text", value: inDoubt === true ? `${why}\n${doubtText(result.tool, isRepeated)}` : why };
  }
  if (isRepeated) return { type: "text", value: sameText(result.tool) };
  let value = viewText(result, run.spec.resultChars, handleOfResult(result)).text;
  const missing = describeMissingSources(result.meta);
  if (missing !== undefined) value += `\n[${missing}]`;
  const ignored = describeIgnored(result);
  if (ignored !== undefined) value += `\n[${ignored}]`;
  for (const note of attachedContentOf(result)?.notes ?? []) value += `\n[${note}]`;
  return { type: "text", value };
}

/** A model may rely on a parameter that had no effect. */
function describeIgnored({ tool, meta: { ignored } }: ToolResult): string | undefined {
  return ignored === undefined
    ? undefined
    : `ignored, because ${tool} has no such parameter: ${stripUnsafe(ignored.join(", "))}`;
}

/** Maximum number of tool names in a message. */
const maxNames = 40;

function namesText(names: readonly string[]): string {
  const left = names.length - maxNames;
  return `The tools are: ${names.slice(0, maxNames).join(", ")}${left > 0 ? `, and ${left} more` : ""}.`;
}

/** Does not name call ids: not every model sees them, and merging two turns may rename some. */
function sameText(tool: string): string {
  return `${tool} was already called with the same arguments, and was not run a second time: its result is above. Use it, or answer.`;
}

function doubtText(tool: string, isRepeated: boolean): string {
  const again = isRepeated
    ? "this call, which is the same as one above, was not repeated"
    : "the same call is not repeated";
  return `It is not known whether ${tool} did its work before it failed, so ${again}. Find out by other means, or say so and continue.`;
}

/** A call that has no result: one that waits for a person, or was stopped before it had one. */
export function pendingResultPart({
  id: toolCallId,
  name: toolName,
}: Pick<TurnToolCall, "id" | "name">): ToolResultPart {
  const value = "This call has no result: it waits for a decision, or was stopped before.";
  return { type: "tool-result", toolCallId, toolName, output: { type: "error-text", value } };
}
