import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { RawCall } from "./call-collector.ts";

/** Gives each call of a response an id; a missing one is derived from the turn and the call's index. */
export function identifyCalls(calls: readonly RawCall[], prompt: LanguageModelV4Prompt): RawCall[] {
  const turn = prompt.filter(({ role }) => role === "assistant").length;
  return calls.map((call, index) => (call.id === "" ? { ...call, id: `call_${turn}_${index}` } : call));
}
