import type { ModelGenerateResult } from "../port/model.ts";
import { type TurnEnd, toTurnEnd } from "../port/turn-end.ts";
import type { TurnBuilder } from "./turn-builder.ts";

/** Reads a response that arrived as a whole. Missing fields count as unset. */
export function readGenerateResult(answer: ModelGenerateResult, builder: TurnBuilder): TurnEnd {
  for (const [index, part] of partsOf(answer).entries()) {
    if (part.type === "text" || part.type === "reasoning") {
      const key = String(index);
      builder.add(part.type, key, { delta: textOrEmpty(part.text), metadata: part.providerMetadata });
      builder.end(part.type, key);
    } else if (part.type === "tool-call" && part.providerExecuted !== true) {
      const { toolCallId: id, toolName: name, providerMetadata: metadata } = part;
      builder.completeCall({
        id: textOrEmpty(id),
        name: textOrEmpty(name),
        input: argumentsText(part.input),
        metadata,
      });
    }
  }
  return { ...toTurnEnd(answer), structuredText: answer.structuredOutputText };
}

function partsOf({ content }: { readonly content?: unknown }): ModelGenerateResult["content"] {
  if (!Array.isArray(content)) return [];
  // Callers check each part by its type and for missing fields.
  return content.filter((part: unknown) => typeof part === "object" && part !== null) as ModelGenerateResult["content"];
}

/** A value that should be text and may be missing. */
export function textOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Some services send the arguments as an object, or nothing at all for a tool without parameters. */
export function argumentsText(input: unknown): string {
  if (typeof input === "string") return input;
  return input === undefined || input === null ? "" : (JSON.stringify(input) ?? "");
}
