import type { ModelCall } from "../model.ts";
import { effortOf, withOptions } from "./ask-to-think.ts";
import { baseFamily } from "./base-family.ts";
import type { FamilyHabits, ModelFamily, Thinking } from "./model-family.ts";

const guidance =
  "Call tools with arguments exactly as their schemas have them. Calls that do not depend on each other go out together. Do not repeat a call whose result you have.";

/** Gemini models: signatures on calls and thoughts, thinking by level or by budget. */
export const geminiFamily: ModelFamily = {
  ...baseFamily,
  name: "gemini",
  thoughts: "signed",
  includes: (modelId) => /(?:^|[/:])gemini/i.test(modelId),
  systemPrompt: (base, tools) => (tools.length === 0 ? base : `${base}\n\n${guidance}`),
  prepare,
};

function prepare(call: ModelCall, habits: FamilyHabits): ModelCall {
  const { thinking, client, modelId } = habits;
  if (client !== "google" || thinking === undefined || !/gemini-(?:2\.5|[3-9]|\d\d)/i.test(modelId)) {
    return baseFamily.prepare(call, habits);
  }
  return withOptions(call, { google: { thinkingConfig: configOf(thinking, modelId) } });
}

type ThinkingConfig = Record<string, string | number | boolean>;

/** Since the third generation by level; none of those, nor the larger of the second, can be told not to think at all. */
function configOf(thinking: Thinking, modelId: string): ThinkingConfig {
  const includeThoughts = thinking !== "off";
  if (!/gemini-2/i.test(modelId)) {
    const effort = effortOf(thinking);
    return { thinkingLevel: effort === "none" ? "low" : effort, includeThoughts };
  }
  const least = /pro/i.test(modelId) ? 128 : 0;
  if (typeof thinking === "number") return { thinkingBudget: Math.max(least, Math.round(thinking)), includeThoughts };
  return { thinkingBudget: budgets[thinking] ?? least, includeThoughts };
}

const budgets: Readonly<Partial<Record<Extract<Thinking, string>, number>>> = {
  low: 1_024,
  medium: 8_192,
  high: 24_576,
};
