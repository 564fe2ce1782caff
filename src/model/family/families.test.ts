import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { type ModelFamily, baseFamily, familyOf, registerFamily } from "../index.ts";
import type { FamilyHabits } from "./model-family.ts";

const prompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "?" }] }];
const tools = [{ name: "search" }];

function prepared(habits: FamilyHabits, call: object = {}): ReturnType<ModelFamily["prepare"]> {
  return familyOf(habits.modelId, "host").prepare({ prompt, temperature: 0.2, maxOutputTokens: 100, ...call }, habits);
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
  ])("%s: %s", (modelId, name) => expect(familyOf(modelId, "host").name).toBe(name));

  test("one more is one small object, and goes before the others", () => {
    const mine: ModelFamily = {
      ...baseFamily,
      name: "house",
      includes: (modelId, provider) => provider === "house.test" || modelId === "gpt-house",
      systemPrompt: (base) => `${base} Be at home.`,
    };
    registerFamily(mine);
    registerFamily(mine);
    expect(familyOf("gpt-house", "x")).toBe(mine);
    expect(familyOf("anything", "house.test").systemPrompt("Hello.", [])).toBe("Hello. Be at home.");
    expect(familyOf("gpt-4o", "x").name).toBe("gpt");
  });

  test("one that was made known through one entry of the package is known to all of them", async () => {
    // Each entry has a copy of the module.
    const copy = "./family-of.ts?copy";
    const other = (await import(copy)) as { familyOf: typeof familyOf };
    expect(other.familyOf).not.toBe(familyOf);
    registerFamily({ ...baseFamily, name: "shared", includes: (modelId) => modelId === "shared-1" });
    expect(other.familyOf("shared-1", "x").name).toBe("shared");
  });

  test("guidance comes with tools, and not without", () => {
    for (const modelId of ["gpt-4o", "claude-4", "gemini-3", "glm-5", "llama"]) {
      const family = familyOf(modelId, "x");
      expect(family.systemPrompt("Be brief.", [])).toBe("Be brief.");
      expect(family.systemPrompt("Be brief.", tools)).toMatch(/^Be brief\./);
      expect(family.userMessage("?", false)).toBe("?");
    }
    expect(familyOf("gpt-4o", "x").systemPrompt("", tools)).toContain("call it");
    expect(familyOf("gpt-4o", "x").userMessage("When?", true)).toMatch(/^When\?\n\n.*tools/);
  });
});

describe("[E12] thinking is asked for as each family knows it", () => {
  test.each<[string, FamilyHabits, object]>([
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

  test.each<FamilyHabits>([
    { modelId: "claude-4", thinking: "low", client: "anthropic" },
    { modelId: "glm-5", thinking: "low", client: "openai-compatible" },
    { modelId: "deepseek-reasoner", client: "openai-compatible" },
    { modelId: "o3", client: "openai-compatible" },
    { modelId: "gpt-5-mini", client: "openai-compatible" },
  ])("temperature is dropped where thinking requires it: %j", (habits) => {
    expect(prepared(habits, { topP: 0.5 })).not.toHaveProperty("temperature");
    expect(prepared(habits, { topP: 0.5 })).not.toHaveProperty("topP");
  });

  test("what the caller says goes before the settings", () => {
    expect(prepared({ modelId: "llama", thinking: "high" }, { reasoning: "none" })).toMatchObject({
      reasoning: "none",
    });
    const own = { providerOptions: { windlass: { thinking: { type: "mine" } } } };
    expect(prepared({ modelId: "glm-5", thinking: "high", client: "openai-compatible" }, own)).toMatchObject(own);
  });
});
