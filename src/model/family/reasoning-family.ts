import type { ModelCall } from "../model.ts";
import { isThinking, withOptions, withoutSampling } from "./ask-to-think.ts";
import { baseFamily } from "./base-family.ts";
import { type FamilyHabits, type ModelFamily, type Thinking, compatibleOptions } from "./model-family.ts";
import { createTextReader } from "./text-reader.ts";

const guidance =
  "Call tools through the function-calling interface only; a call that you write into your thoughts or your text is not made. Think briefly, then call or answer.";

/** GLM, DeepSeek, Qwen, Kimi and their kind: thoughts in `reasoning_content` or in tags, wanted back as they were. */
export const reasoningFamily: ModelFamily = {
  ...baseFamily,
  name: "reasoning",
  thoughts: "any",
  includes: (modelId) => /(?:^|[/:_-])(?:glm|deepseek|qwen|qwq|kimi|minimax|ernie|hunyuan|mimo|seed)/i.test(modelId),
  systemPrompt: (base, tools) => (tools.length === 0 ? base : `${base}\n\n${guidance}`),
  prepare,
  textReader: (thought) => createTextReader({ unopened: !thought }),
};

/** Names of models that think whether they are told to or not. */
const alwaysThinks = /reasoner|thinking|-r1|qwq/i;

function prepare(call: ModelCall, habits: FamilyHabits): ModelCall {
  const { modelId, thinking, client } = habits;
  const thinks = isThinking(call, habits) || (thinking !== "off" && alwaysThinks.test(modelId));
  const asked = thinks ? withoutSampling(call) : call;
  if (thinking === undefined || client !== "openai-compatible") return baseFamily.prepare(asked, habits);
  const options = switchOf(thinking, modelId);
  return options === undefined
    ? baseFamily.prepare(asked, habits)
    : withOptions(asked, { [compatibleOptions]: options });
}

type Switch = Record<string, boolean | number | { readonly type: string }>;

/** How thinking is turned on and off differs by who made the model. */
function switchOf(thinking: Thinking, modelId: string): Switch | undefined {
  const on = thinking !== "off";
  if (/glm|deepseek|kimi/i.test(modelId)) return { thinking: { type: on ? "enabled" : "disabled" } };
  if (!/qwen/i.test(modelId)) return undefined;
  return { enable_thinking: on, ...(typeof thinking === "number" && { thinking_budget: Math.round(thinking) }) };
}
