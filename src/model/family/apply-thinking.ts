import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ModelCall } from "../port/model.ts";
import type { FamilyOptions, Thinking } from "../port/model-family.ts";

/** The call with the amount of thinking, as an effort level that every client understands, or as a token budget. */
export function applyThinking(call: ModelCall, { thinking, client }: FamilyOptions): ModelCall {
  if (thinking === undefined || call.reasoning !== undefined) return call;
  if (typeof thinking !== "number") return { ...call, reasoning: thinking === "off" ? "none" : thinking };
  if (client === "anthropic") {
    return withOptions(call, { anthropic: { thinking: { type: "enabled", budgetTokens: Math.round(thinking) } } });
  }
  if (client === "google") {
    return withOptions(call, { google: { thinkingConfig: { thinkingBudget: Math.round(thinking) } } });
  }
  return { ...call, reasoning: thinkingEffort(thinking) };
}

/** Converts a token budget to an effort level, for services that only accept levels. */
export function thinkingEffort(thinking: Thinking): "none" | "low" | "medium" | "high" {
  if (thinking === "off") return "none";
  if (typeof thinking !== "number") return thinking;
  return thinking < 2_000 ? "low" : thinking < 10_000 ? "medium" : "high";
}

/** True if thinking is enabled for the model. */
export function isThinking({ reasoning }: ModelCall, { thinking }: FamilyOptions): boolean {
  if (reasoning !== undefined && reasoning !== "provider-default") return reasoning !== "none";
  return thinking !== undefined && thinking !== "off";
}

/** The call without settings that services reject together with thinking. */
export function withoutSampling(call: ModelCall): ModelCall {
  const { temperature: _, topP: _p, topK: _k, presencePenalty: _pp, frequencyPenalty: _fp, ...rest } = call;
  return rest;
}

/** The call with these client options; options set by the caller take priority. */
export function withOptions(call: ModelCall, options: SharedV4ProviderOptions): ModelCall {
  const merged = { ...call.providerOptions };
  for (const [client, values] of Object.entries(options)) merged[client] = { ...values, ...merged[client] };
  return { ...call, providerOptions: merged };
}
