import type { ModelCall } from "../model.ts";
import { isThinking, withoutSampling } from "./ask-to-think.ts";
import { baseFamily } from "./base-family.ts";
import type { FamilyHabits, ModelFamily } from "./model-family.ts";

const guidance =
  "Calls that do not depend on each other go out together. After each round, consider whether the results answer the question before you call more.";

/** Claude models: signed thoughts, which come back unchanged, and no temperature next to thinking. */
export const claudeFamily: ModelFamily = {
  ...baseFamily,
  name: "claude",
  thoughts: "signed",
  includes: (modelId) => /(?:^|[/:.])claude/i.test(modelId),
  systemPrompt: (base, tools) => (tools.length === 0 ? base : `${base}\n\n${guidance}`),
  prepare,
};

function prepare(call: ModelCall, habits: FamilyHabits): ModelCall {
  if (!isThinking(call, habits)) return baseFamily.prepare(call, habits);
  // The service refuses to think on where the calls under way were made without a signed thought, by another model.
  if (habits.client === "anthropic" && goesOnUnsigned(call.prompt)) {
    return baseFamily.prepare({ ...call, reasoning: "none" }, { ...habits, thinking: "off" });
  }
  return withoutSampling(baseFamily.prepare(call, habits));
}

/** Does the prompt end with results of calls that were made without a thought of this service? */
function goesOnUnsigned(prompt: ModelCall["prompt"]): boolean {
  if (prompt.at(-1)?.role !== "tool") return false;
  const asked = prompt.findLast(({ role }) => role === "assistant");
  if (asked?.role !== "assistant" || !asked.content.some(({ type }) => type === "tool-call")) return false;
  return !asked.content.some(
    ({ type, providerOptions }) =>
      type === "reasoning" &&
      (providerOptions?.["anthropic"]?.["signature"] ?? providerOptions?.["anthropic"]?.["redactedData"]) !== undefined,
  );
}
