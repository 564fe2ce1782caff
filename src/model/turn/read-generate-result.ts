import type { ModelAnswer } from "../model.ts";
import { type AnswerEnd, endOf } from "./answer-end.ts";
import type { TurnBuilder } from "./turn-builder.ts";

/** Reads an answer that came as a whole. What is missing from it is taken as not said. */
export function readAnswer(answer: ModelAnswer, builder: TurnBuilder): AnswerEnd {
  for (const [index, part] of partsOf(answer).entries()) {
    if (part.type === "text" || part.type === "reasoning") {
      const key = String(index);
      builder.add(part.type, key, { delta: textOf(part.text), metadata: part.providerMetadata });
      builder.end(part.type, key);
    } else if (part.type === "tool-call" && part.providerExecuted !== true) {
      const { toolCallId: id, toolName: name, providerMetadata: metadata } = part;
      builder.completeCall({ id: textOf(id), name: textOf(name), input: argumentsText(part.input), metadata });
    }
  }
  return { ...endOf(answer), structuredText: answer.structuredOutputText };
}

function partsOf({ content }: { readonly content?: unknown }): ModelAnswer["content"] {
  if (!Array.isArray(content)) return [];
  // Each is looked at by its type, and by what it may lack.
  return content.filter((part: unknown) => typeof part === "object" && part !== null) as ModelAnswer["content"];
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
