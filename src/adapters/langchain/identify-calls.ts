import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { RawCall } from "./call-collector.ts";

/** The calls of an answer, each with an id: one that its model left out is made of the turn and the call's place. */
export function identifyCalls(calls: readonly RawCall[], prompt: LanguageModelV4Prompt): RawCall[] {
  const turn = prompt.filter(({ role }) => role === "assistant").length;
  return calls.map((call, index) => (call.id === "" ? { ...call, id: `call_${turn}_${index}` } : call));
}
