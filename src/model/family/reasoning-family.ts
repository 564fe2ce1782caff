import type { ModelCall } from "../port/model.ts";
import { isThinking, withOptions, withoutSampling } from "./apply-thinking.ts";
import { baseFamily } from "./base-family.ts";
import { type FamilyOptions, type ModelFamily, type Thinking, compatibleOptions } from "../port/model-family.ts";
import { createTextReader } from "../port/text-reader.ts";

const guidance =
  "Call tools through the function-calling interface only; a call that you write into your thoughts or your text is not made. Think briefly, then call or answer.";

/** GLM, DeepSeek, Qwen, Kimi and similar models: thinking in `reasoning_content` or in tags, sent back unchanged. */
export const reasoningFamily: ModelFamily = {
  ...baseFamily,
  name: "reasoning",
  thoughts: "any",
  includes: (modelId) => /(?:^|[/:_-])(?:glm|deepseek|qwen|qwq|kimi|minimax|ernie|hunyuan|mimo|seed)/i.test(modelId),
  systemPrompt: (base, tools) => (tools.length === 0 ? base : `${base}\n\n${guidance}`),
  prepare,
  textReader: (thought, modelId) => createTextReader({ unopened: !thought, alwaysThinks: alwaysThinks.test(modelId) }),
};

/** Names of models that think even if thinking is not requested. */
const alwaysThinks = /reasoner|thinking|-r1|qwq/i;

function prepare(call: ModelCall, habits: FamilyOptions): ModelCall {
  const { modelId, thinking, client } = habits;
  const thinks = isThinking(call, habits) || (thinking !== "off" && alwaysThinks.test(modelId));
  const prepared = thinks ? withoutSampling(call) : call;
  if (thinking === undefined || client !== "openai-compatible") return baseFamily.prepare(prepared, habits);
  const options = switchOf(thinking, modelId);
  return options === undefined
    ? baseFamily.prepare(prepared, habits)
    : withOptions(prepared, { [compatibleOptions]: options });
}

type Switch = Record<string, boolean | number | { readonly type: string }>;

/** The option that turns thinking on or off, which depends on the vendor of the model. */
function switchOf(thinking: Thinking, modelId: string): Switch | undefined {
  const on = thinking !== "off";
  if (/glm|deepseek|kimi/i.test(modelId)) return { thinking: { type: on ? "enabled" : "disabled" } };
  if (!/qwen/i.test(modelId)) return undefined;
  return { enable_thinking: on, ...(typeof thinking === "number" && { thinking_budget: Math.round(thinking) }) };
}
