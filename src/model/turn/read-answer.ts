import type { ModelAnswer } from "../model.ts";
import type { AnswerEnd } from "./answer-end.ts";
import type { TurnBuilder } from "./turn-builder.ts";

/** Reads an answer that came as a whole. */
export function readAnswer(answer: ModelAnswer, builder: TurnBuilder): AnswerEnd {
  const { content, finishReason, usage, structuredOutputText: structuredText } = answer;
  for (const [index, part] of content.entries()) {
    if (part.type === "text" || part.type === "reasoning") {
      const key = String(index);
      builder.add(part.type, key, { delta: part.text, metadata: part.providerMetadata });
      builder.end(part.type, key);
    } else if (part.type === "tool-call" && part.providerExecuted !== true) {
      const { toolCallId: id, toolName: name, providerMetadata: metadata } = part;
      builder.completeCall({ id: textOf(id), name: textOf(name), input: argumentsText(part.input), metadata });
    }
  }
  return { finishReason, usage, structuredText };
}

/** What should be a text and may be missing. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Some services send the arguments as an object, or nothing at all for a tool without parameters. */
export function argumentsText(input: unknown): string {
  if (typeof input === "string") return input;
  return input === undefined || input === null ? "" : (JSON.stringify(input) ?? "");
}
