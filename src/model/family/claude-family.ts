import type { ModelCall } from "../port/model.ts";
import { isThinking, withoutSampling } from "./apply-thinking.ts";
import { baseFamily } from "./base-family.ts";
import type { FamilyOptions, ModelFamily } from "../port/model-family.ts";

const guidance =
  "Calls that do not depend on each other go out together. After each round, consider whether the results answer the question before you call more.";

/** Claude models: signed thinking, which must be sent back unchanged, and no temperature together with thinking. */
export const claudeFamily: ModelFamily = {
  ...baseFamily,
  name: "claude",
  writesTextCalls: false,
  thoughts: "signed",
  includes: (modelId) => /(?:^|[/:.])claude/i.test(modelId),
  systemPrompt: (base, tools) => (tools.length === 0 ? base : `${base}\n\n${guidance}`),
  takesImages: (modelId) => !/claude-(?:[12](?!\d)|instant)/i.test(modelId),
  prepare,
};

function prepare(call: ModelCall, habits: FamilyOptions): ModelCall {
  if (!isThinking(call, habits)) return baseFamily.prepare(call, habits);
  // The service refuses to continue thinking if the current calls were made without signed thinking, by another model.
  if (habits.client === "anthropic" && continuesUnsigned(call.prompt)) {
    return baseFamily.prepare({ ...call, reasoning: "none" }, { ...habits, thinking: "off" });
  }
  return withoutSampling(baseFamily.prepare(call, habits));
}

/** True if the prompt ends with results of calls that were made without signed thinking of this service. */
function continuesUnsigned(prompt: ModelCall["prompt"]): boolean {
  if (prompt.at(-1)?.role !== "tool") return false;
  const prepared = prompt.findLast(({ role }) => role === "assistant");
  if (prepared?.role !== "assistant" || !prepared.content.some(({ type }) => type === "tool-call")) return false;
  return !prepared.content.some(
    ({ type, providerOptions }) =>
      type === "reasoning" &&
      (providerOptions?.["anthropic"]?.["signature"] ?? providerOptions?.["anthropic"]?.["redactedData"]) !== undefined,
  );
}
