import { formatResult, viewText } from "../../hub/index.ts";
import type { TurnToolCall } from "../../model/index.ts";
import { cutText, stripUnsafe } from "../../text/index.ts";
import { type ToolResult, missingParts } from "../../tool/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import type { ToolResultPart } from "./message.ts";

/** What a part is made of. */
interface Answer {
  readonly call: TurnToolCall;
  readonly result: ToolResult;
  /** The earlier call that was the same, and was not made again. */
  readonly sameAs?: string;
}

/** The result of a call as the model reads it: the whole of it, or a view and how to read on. */
export function resultPart(run: AgentRun, { call, result, sameAs }: Answer): ToolResultPart {
  const { id: toolCallId, name: toolName } = call;
  return { type: "tool-result", toolCallId, toolName, output: outputOf(run, result, sameAs) };
}

function outputOf(run: AgentRun, result: ToolResult, sameAs: string | undefined): ToolResultPart["output"] {
  if (!result.success) return { type: "error-text", value: stripUnsafe(result.error.forModel) };
  if (sameAs !== undefined && sameAs !== "") return { type: "text", value: sameText(sameAs) };
  const { handle } = result.meta;
  const { text } = viewText(result, run.spec.viewChars, typeof handle === "string" ? handle : undefined);
  const missing = missingParts(result.meta);
  return { type: "text", value: missing === undefined ? text : `${text}\n[${missing}]` };
}

function sameText(callId: string): string {
  return `This is the same call as ${callId}, and was not made again: its result is above. Use it, or answer.`;
}

/** A few words on what a call gave, for people. */
export function summaryOf(run: AgentRun, result: ToolResult): string {
  if (!result.success) return cutText(stripUnsafe(result.error.message), 200).text;
  return formatResult(result, "other", { other: 200 }).text.replaceAll(/\s+/g, " ");
}
