import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ModelCall } from "../model.ts";
import type { FamilyHabits, Thinking } from "./model-family.ts";

/** The call with how much the model is to think, in the words that every client understands, or as a budget. */
export function askToThink(call: ModelCall, { thinking, client }: FamilyHabits): ModelCall {
  if (thinking === undefined || call.reasoning !== undefined) return call;
  if (typeof thinking !== "number") return { ...call, reasoning: thinking === "off" ? "none" : thinking };
  if (client === "anthropic") {
    return withOptions(call, { anthropic: { thinking: { type: "enabled", budgetTokens: Math.round(thinking) } } });
  }
  if (client === "google") {
    return withOptions(call, { google: { thinkingConfig: { thinkingBudget: Math.round(thinking) } } });
  }
  return { ...call, reasoning: effortOf(thinking) };
}

/** A budget of tokens in words, for services that know only those. */
export function effortOf(thinking: Thinking): "none" | "low" | "medium" | "high" {
  if (thinking === "off") return "none";
  if (typeof thinking !== "number") return thinking;
  return thinking < 2_000 ? "low" : thinking < 10_000 ? "medium" : "high";
}

/** Is the model told to think? */
export function isThinking({ reasoning }: ModelCall, { thinking }: FamilyHabits): boolean {
  if (reasoning !== undefined && reasoning !== "provider-default") return reasoning !== "none";
  return thinking !== undefined && thinking !== "off";
}

/** The call without what services refuse next to thinking. */
export function withoutSampling(call: ModelCall): ModelCall {
  const { temperature: _, topP: _p, topK: _k, presencePenalty: _pp, frequencyPenalty: _fp, ...rest } = call;
  return rest;
}

/** The call with these options of its client; what the caller has set goes first. */
export function withOptions(call: ModelCall, options: SharedV4ProviderOptions): ModelCall {
  const merged = { ...call.providerOptions };
  for (const [client, values] of Object.entries(options)) merged[client] = { ...values, ...merged[client] };
  return { ...call, providerOptions: merged };
}
