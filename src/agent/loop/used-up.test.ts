import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import { type ScriptedResponse, scriptedModel } from "../../testing/index.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import type { AgentEvent } from "../events/agent-event.ts";
import { createAgent } from "../create-agent.ts";

const engine = createEngine({ tools: [sampleTool(({ at }: { at?: number }) => ({ seen: at }), { name: "look" })] });
const usage = { inputTokens: 1000, outputTokens: 100 };

/** A model that writes text beside each of its calls. */
function looking(at: number, used = usage): ScriptedResponse {
  return { text: `Looking ${at}`, toolCalls: [{ name: "look", args: { at } }], usage: used };
}

describe("[E03] a model whose rounds are used up", () => {
  test("a model that still calls tools gets one more model request without tools; text beside a call is not an answer", async () => {
    const model = scriptedModel([looking(1), looking(2), looking(3), { text: "Seen 1 and 2." }]);
    const result = await createAgent({ engine, model, maxRounds: 2 }).run("look");
    expect(result).toMatchObject({ status: "completed", answer: "Seen 1 and 2.", rounds: 4 });
    expect(result.toolUsageSummary.totalCalls).toBe(2);
    expect(result.notices.join()).toMatch(/^all 2 rounds of tool calls .* were used up/);
    expect(model.calls[2]?.toolChoice).toEqual({ type: "none" });
    expect(model.calls[3]?.tools).toBeUndefined();
    expect(JSON.stringify(model.calls[3]?.prompt)).toMatch(/Looking 3.*was not run.*You gave no answer/);
  });

  test.each([0, 2])(
    "a model that never stops calling answers with its last text, and with a notice (max_rounds %s)",
    async (maxRounds) => {
      const model = scriptedModel((_call, index) => looking(index));
      const result = await createAgent({ engine, model, maxRounds }).run("look");
      expect(result).toMatchObject({ status: "completed", rounds: maxRounds + 2 });
      expect(result.answer).toMatch(/^Looking/);
      expect(result.notices.join()).toMatch(maxRounds === 0 ? /no tool may be called/ : /all 2 rounds/);
      expect(result.toolUsageSummary.totalCalls).toBe(maxRounds);
    },
  );

  test("a model that then answers has a notice; one that needs fewer rounds has none, nor one without tools", async () => {
    const used = await createAgent({ engine, model: scriptedModel([looking(1), "Seen."]), maxRounds: 1 }).run("look");
    expect(used).toMatchObject({ answer: "Seen.", rounds: 2 });
    expect(used.notices).toHaveLength(1);
    const fewer = await createAgent({ engine, model: scriptedModel([looking(1), "Seen."]) }).run("look");
    expect(fewer.notices).toEqual([]);
    const none = await createAgent({ engine, model: scriptedModel(["Seen."]), runner: "llm" }).run("look");
    expect(none.notices).toEqual([]);
    const requested = await createAgent({ engine, model: scriptedModel(["Seen."]), maxRounds: 0 }).run("look");
    expect(requested.notices).toEqual([]);
  });

  test("a model that gives no text fails with the number of rounds", async () => {
    const mute = { toolCalls: [{ name: "look", args: { at: 1 } }] };
    const model = scriptedModel([mute, mute, "", "", ""]);
    const result = await createAgent({ engine, model, maxRounds: 1, tools: ["look"] }).run("look");
    expect(result.status).toBe("failed");
    expect(result.notices.join()).toMatch(/still called tools after 1 round/);
  });
});

describe("[N09] a budget", () => {
  test("a budget that does not suffice for another round is reserved for the answer, which is requested without tools", async () => {
    const model = scriptedModel([looking(1), { text: "Seen 1.", usage }]);
    const result = await createAgent({ engine, model, tokenBudget: 3000 }).run("look");
    expect(result).toMatchObject({ status: "completed", answer: "Seen 1.", rounds: 2 });
    expect(result.usage.inputTokens + result.usage.outputTokens).toBeLessThanOrEqual(3000);
    expect(model.calls[1]?.tools).toBeUndefined();
    expect(JSON.stringify(model.calls[1]?.prompt)).toMatch(/budget.*Answer now.*seen\\":1/);
    expect(result.notices).toEqual([expect.stringMatching(/^the budget was nearly used up/)]);
  });

  test.each(["autonomous", "planned", "crew"])(
    "a budget that is reserved for an answer is not spent on a plan or a retry when the model still calls tools (%s)",
    async (runner) => {
      const mute = { toolCalls: [{ name: "look", args: {} }], usage: { inputTokens: 300, outputTokens: 10 } };
      const model = scriptedModel((_call, index) => ({
        ...mute,
        toolCalls: [{ name: "look", args: { at: index } }],
      }));
      const agent = createAgent({ engine, model, runner, tokenBudget: 3000, maxRounds: 20 });
      const result = await agent.run("look");
      const { usage: used } = result;
      expect(used.inputTokens + used.outputTokens).toBeLessThanOrEqual(3000);
      if (runner !== "autonomous") return;
      expect(result).toMatchObject({ status: "failed", error: { reason: "budget_exceeded" } });
      expect(result.error?.message).toMatch(/nearly used up, and the model .* still called tools/);
      expect(result.notices.join()).not.toMatch(/plan|answered nothing/);
      expect(result.notices.join()).toMatch(/found before the budget was used up: look/);
      expect(await agent.runs.inspect(result.runId)).toMatchObject({ notices: result.notices, usage: result.usage });
    },
  );

  test("a budget that can afford another round does not force an answer", async () => {
    const model = scriptedModel([looking(1), looking(2), { text: "Seen.", usage }]);
    const result = await createAgent({ engine, model, tokenBudget: 10_000 }).run("look");
    expect(result).toMatchObject({ status: "completed", rounds: 3, notices: [] });
  });

  test.each(["autonomous", "planned"])(
    "a budget that is used up by a response runs none of its calls (%s)",
    async (runner) => {
      const model = scriptedModel([looking(1), "never"]);
      const result = await createAgent({ engine, model, runner, tokenBudget: 1000 }).run("look");
      expect(result).toMatchObject({ status: "failed", error: { reason: "budget_exceeded" }, rounds: 1 });
      expect(result.toolUsageSummary.totalCalls).toBe(0);
      expect(model.calls).toHaveLength(1);
    },
  );

  test("a budget that is used up returns the partial results as a notice, also in a replay", async () => {
    const large = looking(2, { inputTokens: 9000, outputTokens: 100 });
    const agent = createAgent({ engine, model: scriptedModel([looking(1), large]), tokenBudget: 9000 });
    const events: AgentEvent[] = [];
    const result = await agent.run("look", { onEvent: (event) => events.push(event) });
    expect(result).toMatchObject({ status: "failed", answer: "", error: { reason: "budget_exceeded" } });
    expect(result.notices).toEqual(["found before the budget was used up: look: seen: 1; the model: Looking 2"]);
    expect(events.filter(({ type }) => type === "notice")).toHaveLength(1);
    expect((await agent.runs.inspect(result.runId)).notices).toEqual(result.notices);
  });

  test("a budget in money for a model without a price is rejected before any model request", async () => {
    const model = scriptedModel(["never"]);
    const result = await createAgent({ engine, model, costBudget: 1 }).run("look");
    expect(result).toMatchObject({ status: "failed", error: { reason: "no_price" }, rounds: 0, notices: [] });
    expect(model.calls).toHaveLength(0);
  });
});
