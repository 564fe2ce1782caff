import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import { type Model, fallbackModel } from "../../model/index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { type AgentOptions, createAgent } from "../create-agent.ts";

const engine = createEngine({ tools: [sampleTool(() => "x", { name: "look" })] });
const look = { toolCalls: [{ name: "look", args: {} }] };
type Limits = Partial<AgentOptions>;

describe("an agent is rejected at creation", () => {
  const numbers = [
    "maxRounds",
    "maxParallel",
    "tokenBudget",
    "costBudget",
    "callTokenBudget",
    "callCostBudget",
    "toolDefinitionTokens",
    "resultChars",
    "contextTokens",
  ];
  const nonsense = [Number.NaN, Infinity, -1, "4", null, {}];

  test.each(numbers.flatMap((key) => nonsense.map((value) => ({ key, value }))))(
    "if $key is $value",
    ({ key, value }) => {
      const make = (): unknown => createAgent({ engine, model: scriptedModel([]), [key]: value });
      expect(make).toThrow(new RegExp(`^${key} of an agent has to be a (?:whole )?number`));
    },
  );

  test.each([{ maxRounds: 1.5 }, { maxParallel: 0 }, { tokenBudget: 0 }, { costBudget: 0 }, { contextTokens: 0.5 }])(
    "%j is rejected",
    (limits: Limits) => {
      expect(() => createAgent({ engine, ...limits })).toThrow(/has to be/);
    },
  );

  test.each([{ tools: "look" }, { trustedTools: "look" }, { tools: [1] }])("%j is rejected as names", (names) => {
    // As plain JavaScript may pass it.
    expect(() => createAgent({ engine, ...(names as unknown as Limits) })).toThrow(/has to be a list of names/);
  });

  test("a model of an older interface of the AI SDK is rejected", () => {
    const old = Object.assign(scriptedModel([]), { specificationVersion: "v2" }) as unknown as Model;
    expect(() => createAgent({ engine, model: old })).toThrow(/has the interface v2 of the AI SDK, and v4 is needed/);
  });
});

test("undefined options have their default", () => {
  const { spec } = createAgent({ engine, ...({ maxRounds: undefined, trustedTools: undefined } as unknown as Limits) });
  expect(spec).toMatchObject({ runner: "autonomous", maxRounds: 4, trustedTools: [] });
});

describe("[N09] a budget for each model request", () => {
  test("ends the run after a model request that took more tokens, and limits the answers", async () => {
    const model = scriptedModel([{ ...look, usage: { inputTokens: 900, outputTokens: 200 } }, "never"]);
    const result = await createAgent({ engine, model, callTokenBudget: 1000 }).run("hi");
    expect(result).toMatchObject({ status: "failed", error: { reason: "budget_exceeded" } });
    expect(result.error?.message).toContain("one request used 1100 of 1000 tokens");
    expect(model.calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1000]);
  });

  test("does not add up over requests", async () => {
    const usage = { inputTokens: 400, outputTokens: 200 };
    const model = scriptedModel([
      { ...look, usage },
      { text: "done", usage },
    ]);
    const result = await createAgent({ engine, model, callTokenBudget: 1000 }).run("hi");
    expect(result).toMatchObject({ status: "completed", answer: "done" });
  });

  test("a budget in money limits the answers of fallback models, too", async () => {
    const priced = (): Model & { calls: readonly { maxOutputTokens?: number | undefined }[] } =>
      Object.assign(scriptedModel(["done"]), { price: { input: 1, output: 10 } });
    const first = priced();
    const model = fallbackModel([first, priced()]);
    await createAgent({ engine, model, callCostBudget: 0.01 }).run("hi");
    expect(first.calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1000]);
  });
});
