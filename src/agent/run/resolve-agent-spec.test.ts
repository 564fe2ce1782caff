import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import { type Model, fallbackModel, scriptedModel } from "../../model/index.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { type AgentOptions, createAgent } from "../create-agent.ts";

const engine = createEngine({ tools: [sampleTool(() => "x", { name: "look" })] });
const look = { toolCalls: [{ name: "look", args: {} }] };
type Limits = Partial<AgentOptions>;

describe("an agent is refused when it is made", () => {
  const numbers = [
    "maxRounds",
    "maxParallel",
    "tokenBudget",
    "costBudget",
    "callTokenBudget",
    "callCostBudget",
    "toolTokens",
    "viewChars",
    "contextTokens",
  ];
  const nonsense = [Number.NaN, Infinity, -1, "4", null, {}];

  test.each(numbers.flatMap((key) => nonsense.map((value) => ({ key, value }))))(
    "where $key is $value",
    ({ key, value }) => {
      const make = (): unknown => createAgent({ engine, model: scriptedModel([]), [key]: value });
      expect(make).toThrow(new RegExp(`^${key} of an agent has to be a (?:whole )?number`));
    },
  );

  test.each([{ maxRounds: 1.5 }, { maxParallel: 0 }, { tokenBudget: 0 }, { costBudget: 0 }, { contextTokens: 0.5 }])(
    "with %j",
    (limits: Limits) => {
      expect(() => createAgent({ engine, ...limits })).toThrow(/has to be/);
    },
  );

  test.each([{ tools: "look" }, { trusted: "look" }, { tools: [1] }])("with %j for names", (names) => {
    // As plain JavaScript may write it.
    expect(() => createAgent({ engine, ...(names as unknown as Limits) })).toThrow(/has to be a list of names/);
  });

  test("with a model of an older interface of the AI SDK", () => {
    const old = Object.assign(scriptedModel([]), { specificationVersion: "v2" }) as unknown as Model;
    expect(() => createAgent({ engine, model: old })).toThrow(/has the interface v2 of the AI SDK, and v4 is needed/);
  });
});

test("what is left undefined is as usual", () => {
  const { spec } = createAgent({ engine, ...({ maxRounds: undefined, trusted: undefined } as unknown as Limits) });
  expect(spec).toMatchObject({ runner: "autonomous", maxRounds: 4, trusted: [] });
});

describe("[N09] a budget for each question to the model", () => {
  test("ends the run after a question that took more tokens, and limits the answers", async () => {
    const model = scriptedModel([{ ...look, usage: { inputTokens: 900, outputTokens: 200 } }, "never"]);
    const result = await createAgent({ engine, model, callTokenBudget: 1000 }).run("hi");
    expect(result).toMatchObject({ status: "failed", error: { reason: "budget_exceeded" } });
    expect(result.error?.message).toContain("one question used 1100 of 1000 tokens");
    expect(model.calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1000]);
  });

  test("does not add up", async () => {
    const usage = { inputTokens: 400, outputTokens: 200 };
    const model = scriptedModel([
      { ...look, usage },
      { text: "done", usage },
    ]);
    const result = await createAgent({ engine, model, callTokenBudget: 1000 }).run("hi");
    expect(result).toMatchObject({ status: "completed", answer: "done" });
  });

  test("of money limits the answers of models that stand behind each other, too", async () => {
    const priced = (): Model & { calls: readonly { maxOutputTokens?: number | undefined }[] } =>
      Object.assign(scriptedModel(["done"]), { price: { input: 1, output: 10 } });
    const first = priced();
    const model = fallbackModel([first, priced()]);
    await createAgent({ engine, model, callCostBudget: 0.01 }).run("hi");
    expect(first.calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1000]);
  });
});
