import { parseJson } from "../../base/index.ts";
import { applyThinking } from "./apply-thinking.ts";
import type { ModelFamily, RawToolCall } from "../port/model-family.ts";
import { createTextReader } from "../port/text-reader.ts";

/** Unwraps arguments that were encoded as JSON twice, or wrapped into a fence. */
function unwrapArguments(call: RawToolCall): RawToolCall {
  const input = call.input.trim();
  if (input.startsWith("{")) return call;
  const inner = input.startsWith('"') ? textIn(input) : /^```(?:json)?\s*([\s\S]*?)\s*```$/.exec(input)?.[1];
  return inner?.trim().startsWith("{") === true ? { ...call, input: inner.trim() } : call;
}

function textIn(json: string): string | undefined {
  const value = parseJson(json);
  return typeof value === "string" ? value : undefined;
}

/** Names of open models that take images: `qwen2.5-vl`, `glm-4.5v`, `llava`, … */
const seesImages =
  /(?:^|[^a-z])(?:vl|vlm|vision|omni|multimodal)(?:[^a-z]|$)|llava|pixtral|internvl|minicpm-v|gemma-?3|llama-?4|glm-[\d.]+v/i;

/** A family without particulars: the base of every other family. */
export const baseFamily: ModelFamily = {
  name: "base",
  thoughts: "own",
  writesTextCalls: true,
  includes: () => true,
  systemPrompt: (base) => base,
  userMessage: (text) => text,
  prepare: applyThinking,
  textReader: () => createTextReader(),
  takesImages: (modelId) => seesImages.test(modelId),
  repairCall: unwrapArguments,
};
