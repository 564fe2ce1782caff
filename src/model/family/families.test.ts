import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { type ModelFamily, baseFamily, resolveModelFamily, registerModelFamily } from "../index.ts";
import type { FamilyOptions } from "../port/model-family.ts";

const prompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "?" }] }];
const tools = [{ name: "search" }];

function prepared(habits: FamilyOptions, call: object = {}): ReturnType<ModelFamily["prepare"]> {
  return resolveModelFamily(habits.modelId, "host").prepare(
    { prompt, temperature: 0.2, maxOutputTokens: 100, ...call },
    habits,
  );
}

describe("[E11] a model belongs to a family", () => {
  test.each([
    ["gpt-5-mini", "gpt"],
    ["openai/gpt-4o", "gpt"],
    ["o3", "gpt"],
    ["o4-mini", "gpt"],
    ["claude-sonnet-5", "claude"],
    ["anthropic/claude-3.7-sonnet", "claude"],
    ["us.anthropic.claude-opus-4", "claude"],
    ["gemini-3-pro-preview", "gemini"],
    ["google/gemini-2.5-flash", "gemini"],
    ["glm-4.7", "reasoning"],
    ["deepseek-reasoner", "reasoning"],
    ["deepseek-ai/DeepSeek-V3.2", "reasoning"],
    ["Qwen/Qwen3-32B", "reasoning"],
    ["qwen3:8b", "reasoning"],
    ["kimi-k2-thinking", "reasoning"],
    ["llama-4", "base"],
    ["scripted", "base"],
    ["olmo-2", "base"],
    ["o", "base"],
    ["", "base"],
  ])("%s: %s", (modelId, name) => expect(resolveModelFamily(modelId, "host").name).toBe(name));

  test("another family is one small object, and precedes the others", () => {
    const mine: ModelFamily = {
      ...baseFamily,
      name: "house",
      includes: (modelId, provider) => provider === "house.test" || modelId === "gpt-house",
      systemPrompt: (base) => `${base} Be at home.`,
    };
    registerModelFamily(mine);
    registerModelFamily(mine);
    expect(resolveModelFamily("gpt-house", "x")).toBe(mine);
    expect(resolveModelFamily("anything", "house.test").systemPrompt("Hello.", [])).toBe("Hello. Be at home.");
    expect(resolveModelFamily("gpt-4o", "x").name).toBe("gpt");
  });

  test("a family registered through one entry of the package is known to all entries", async () => {
    // Each entry has a copy of the module.
    const copy = "./resolve-model-family.ts?copy";
    const other = (await import(copy)) as { resolveModelFamily: typeof resolveModelFamily };
    expect(other.resolveModelFamily).not.toBe(resolveModelFamily);
    registerModelFamily({ ...baseFamily, name: "shared", includes: (modelId) => modelId === "shared-1" });
    expect(other.resolveModelFamily("shared-1", "x").name).toBe("shared");
  });

  test("guidance is added with tools, and not without", () => {
    for (const modelId of ["gpt-4o", "claude-4", "gemini-3", "glm-5", "llama"]) {
      const family = resolveModelFamily(modelId, "x");
      expect(family.systemPrompt("Be brief.", [])).toBe("Be brief.");
      expect(family.systemPrompt("Be brief.", tools)).toMatch(/^Be brief\./);
      expect(family.userMessage("?", false)).toBe("?");
    }
    expect(resolveModelFamily("gpt-4o", "x").systemPrompt("", tools)).toContain("call it");
    expect(resolveModelFamily("gpt-4o", "x").userMessage("When?", true)).toMatch(/^When\?\n\n.*tools/);
  });
});

describe("[E12] thinking is requested in the form of each family", () => {
  test.each<[string, FamilyOptions, object]>([
    ["nothing is changed where nothing is said", { modelId: "llama" }, { temperature: 0.2, maxOutputTokens: 100 }],
    ["words go to every client", { modelId: "llama", thinking: "low" }, { reasoning: "low", temperature: 0.2 }],
    ["off is none", { modelId: "llama", thinking: "off" }, { reasoning: "none" }],
    [
      "a budget is an effort where only those are known",
      { modelId: "llama", thinking: 5_000, client: "openai-compatible" },
      { reasoning: "medium" },
    ],
    [
      "a budget for Claude",
      { modelId: "claude-4", thinking: 5_000, client: "anthropic" },
      { providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 5_000 } } } },
    ],
    [
      "a level for Gemini",
      { modelId: "gemini-3-pro", thinking: 500, client: "google" },
      { providerOptions: { google: { thinkingConfig: { thinkingLevel: "low", includeThoughts: true } } } },
    ],
    [
      "the least for Gemini",
      { modelId: "gemini-2.5-pro", thinking: "off", client: "google" },
      { providerOptions: { google: { thinkingConfig: { thinkingBudget: 128, includeThoughts: false } } } },
    ],
    [
      "none for the smaller Gemini",
      { modelId: "gemini-2.5-flash", thinking: "off", client: "google" },
      { providerOptions: { google: { thinkingConfig: { thinkingBudget: 0 } } } },
    ],
    [
      "a switch for GLM",
      { modelId: "glm-5", thinking: "high", client: "openai-compatible" },
      { providerOptions: { windlass: { thinking: { type: "enabled" } } } },
    ],
    [
      "the switch off, with a temperature",
      { modelId: "glm-5", thinking: "off", client: "openai-compatible" },
      { providerOptions: { windlass: { thinking: { type: "disabled" } } }, temperature: 0.2 },
    ],
    [
      "a switch and a budget for Qwen",
      { modelId: "qwen3", thinking: 900, client: "openai-compatible" },
      { providerOptions: { windlass: { enable_thinking: true, thinking_budget: 900 } } },
    ],
    [
      "another count of tokens for GPT",
      { modelId: "gpt-5", thinking: "off", client: "openai-compatible" },
      { reasoning: "minimal", providerOptions: { windlass: { max_completion_tokens: 100 } } },
    ],
    ["as little as o3 can", { modelId: "o3", thinking: "off", client: "openai-compatible" }, { reasoning: "low" }],
    [
      "an older GPT as it is",
      { modelId: "gpt-4o", client: "openai-compatible" },
      { temperature: 0.2, maxOutputTokens: 100 },
    ],
  ])("%s", (_, habits, expected) => expect(prepared(habits)).toMatchObject(expected));

  test.each<FamilyOptions>([
    { modelId: "claude-4", thinking: "low", client: "anthropic" },
    { modelId: "glm-5", thinking: "low", client: "openai-compatible" },
    { modelId: "deepseek-reasoner", client: "openai-compatible" },
    { modelId: "o3", client: "openai-compatible" },
    { modelId: "gpt-5-mini", client: "openai-compatible" },
  ])("temperature is dropped if thinking requires it: %j", (habits) => {
    expect(prepared(habits, { topP: 0.5 })).not.toHaveProperty("temperature");
    expect(prepared(habits, { topP: 0.5 })).not.toHaveProperty("topP");
  });

  test("options of the caller override the settings", () => {
    expect(prepared({ modelId: "llama", thinking: "high" }, { reasoning: "none" })).toMatchObject({
      reasoning: "none",
    });
    const own = { providerOptions: { windlass: { thinking: { type: "mine" } } } };
    expect(prepared({ modelId: "glm-5", thinking: "high", client: "openai-compatible" }, own)).toMatchObject(own);
  });
});
