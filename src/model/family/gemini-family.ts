import type { ModelCall } from "../port/model.ts";
import { thinkingEffort, withOptions } from "./apply-thinking.ts";
import { baseFamily } from "./base-family.ts";
import type { FamilyOptions, ModelFamily, Thinking } from "../port/model-family.ts";

const guidance =
  "Call tools with arguments exactly as their schemas have them. Calls that do not depend on each other go out together. Do not repeat a call whose result you have.";

/** Gemini models: signatures on calls and thinking, thinking by level or by budget. */
export const geminiFamily: ModelFamily = {
  ...baseFamily,
  name: "gemini",
  writesTextCalls: false,
  thoughts: "signed",
  includes: (modelId) => /(?:^|[/:])gemini/i.test(modelId),
  systemPrompt: (base, tools) => (tools.length === 0 ? base : `${base}\n\n${guidance}`),
  takesImages: () => true,
  prepare,
};

function prepare(call: ModelCall, habits: FamilyOptions): ModelCall {
  const { thinking, client, modelId } = habits;
  if (client !== "google" || thinking === undefined || !/gemini-(?:2\.5|[3-9]|\d\d)/i.test(modelId)) {
    return baseFamily.prepare(call, habits);
  }
  return withOptions(call, { google: { thinkingConfig: configOf(thinking, modelId) } });
}

type ThinkingConfig = Record<string, string | number | boolean>;

/**
 * Third-generation models take a level. They, and the larger models of the second generation, cannot disable thinking.
 */
function configOf(thinking: Thinking, modelId: string): ThinkingConfig {
  const includeThoughts = thinking !== "off";
  if (!/gemini-2/i.test(modelId)) {
    const effort = thinkingEffort(thinking);
    return { thinkingLevel: effort === "none" ? "low" : effort, includeThoughts };
  }
  const min = /pro/i.test(modelId) ? 128 : 0;
  if (typeof thinking === "number") return { thinkingBudget: Math.max(min, Math.round(thinking)), includeThoughts };
  return { thinkingBudget: budgets[thinking] ?? min, includeThoughts };
}

const budgets: Readonly<Partial<Record<Extract<Thinking, string>, number>>> = {
  low: 1_024,
  medium: 8_192,
  high: 24_576,
};
