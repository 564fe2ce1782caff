import type { ModelCall } from "../port/model.ts";
import { thinkingEffort, withOptions, withoutSampling } from "./apply-thinking.ts";
import { baseFamily } from "./base-family.ts";
import { type FamilyOptions, type ModelFamily, compatibleOptions } from "../port/model-family.ts";

const guidance = [
  "When a tool can find out or do what is asked, call it; do not say that you will, and do not answer from memory instead.",
  "Call tools through the function-calling interface only, never as text. Calls that do not depend on each other go out together.",
  "Answer only when you have the results that the answer rests on.",
].join("\n");

/** GPT models: the prompt urges them to use their tools, which they tend to skip. */
export const gptFamily: ModelFamily = {
  ...baseFamily,
  name: "gpt",
  writesTextCalls: false,
  includes: (modelId) => /(?:^|[/:])(?:gpt|chatgpt|codex|o[1-9](?![0-9a-z]))/i.test(modelId),
  systemPrompt: (base, tools) => (tools.length === 0 ? base : `${base}\n\n${guidance}`),
  userMessage: (text, needsTools) =>
    needsTools ? `${text}\n\n(Call the tools that this needs before you answer.)` : text,
  takesImages: (modelId) => seesImages.test(modelId),
  prepare,
};

/** Not the models before GPT-4 Turbo, nor the small ones that think. */
const seesImages =
  /gpt-(?:4o|4\.|4-(?:turbo|vision)|[5-9]|\d\d)|(?:^|[/:])(?:o1(?!-(?:mini|preview))|o3(?!-mini)|o[4-9])/i;

/** Models that always think: they support no temperature, and count thinking among the output tokens. */
const thinks = /(?:^|[/:])(?:o[1-9]|gpt-(?:[5-9]|\d\d))/i;

function prepare(call: ModelCall, habits: FamilyOptions): ModelCall {
  const { modelId, thinking } = habits;
  if (!thinks.test(modelId)) return baseFamily.prepare(call, habits);
  const isOpen = thinking !== undefined && call.reasoning === undefined;
  const prepared = withoutSampling(isOpen ? { ...call, reasoning: minOr(thinking, modelId) } : call);
  const { maxOutputTokens, ...rest } = prepared;
  if (maxOutputTokens === undefined || habits.client !== "openai-compatible") return prepared;
  return withOptions(rest, { [compatibleOptions]: { max_completion_tokens: maxOutputTokens } });
}

/** Not all of these models can disable thinking. */
function minOr(thinking: NonNullable<FamilyOptions["thinking"]>, modelId: string): NonNullable<ModelCall["reasoning"]> {
  const effort = thinkingEffort(thinking);
  if (effort !== "none") return effort;
  if (/(?:^|[/:])o[1-9]/i.test(modelId)) return "low";
  return /gpt-5(?!\.)/i.test(modelId) ? "minimal" : "none";
}
