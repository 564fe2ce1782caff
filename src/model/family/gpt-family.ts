import type { ModelCall } from "../model.ts";
import { effortOf, withOptions, withoutSampling } from "./ask-to-think.ts";
import { baseFamily } from "./base-family.ts";
import { type FamilyHabits, type ModelFamily, compatibleOptions } from "./model-family.ts";

const guidance = [
  "When a tool can find out or do what is asked, call it; do not say that you will, and do not answer from memory instead.",
  "Call tools through the function-calling interface only, never as text. Calls that do not depend on each other go out together.",
  "Answer only when you have the results that the answer rests on.",
].join("\n");

/** GPT models: they are told firmly to use their tools, which they like to skip. */
export const gptFamily: ModelFamily = {
  ...baseFamily,
  name: "gpt",
  includes: (modelId) => /(?:^|[/:])(?:gpt|chatgpt|codex|o[1-9](?![0-9a-z]))/i.test(modelId),
  systemPrompt: (base, tools) => (tools.length === 0 ? base : `${base}\n\n${guidance}`),
  userMessage: (text, needsTools) =>
    needsTools ? `${text}\n\n(Call the tools that this needs before you answer.)` : text,
  prepare,
};

/** Models that always think: they know no temperature, and count their thoughts among the tokens of an answer. */
const thinks = /(?:^|[/:])(?:o[1-9]|gpt-(?:[5-9]|\d\d))/i;

function prepare(call: ModelCall, habits: FamilyHabits): ModelCall {
  const { modelId, thinking } = habits;
  if (!thinks.test(modelId)) return baseFamily.prepare(call, habits);
  const isOpen = thinking !== undefined && call.reasoning === undefined;
  const asked = withoutSampling(isOpen ? { ...call, reasoning: leastOr(thinking, modelId) } : call);
  const { maxOutputTokens, ...rest } = asked;
  if (maxOutputTokens === undefined || habits.client !== "openai-compatible") return asked;
  return withOptions(rest, { [compatibleOptions]: { max_completion_tokens: maxOutputTokens } });
}

/** Not all of them can be told not to think at all. */
function leastOr(
  thinking: NonNullable<FamilyHabits["thinking"]>,
  modelId: string,
): NonNullable<ModelCall["reasoning"]> {
  const effort = effortOf(thinking);
  if (effort !== "none") return effort;
  if (/(?:^|[/:])o[1-9]/i.test(modelId)) return "low";
  return /gpt-5(?!\.)/i.test(modelId) ? "minimal" : "none";
}
