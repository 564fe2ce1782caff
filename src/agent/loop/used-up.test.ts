import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import { type ScriptedAnswer, scriptedModel } from "../../model/index.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import type { AgentEvent } from "../agent-event.ts";
import { createAgent } from "../create-agent.ts";

const engine = createEngine({ tools: [sampleTool(({ at }: { at?: number }) => ({ seen: at }), { name: "look" })] });
const usage = { inputTokens: 1000, outputTokens: 100 };

/** A model that says something beside each of its calls. */
function looking(at: number, used = usage): ScriptedAnswer {
  return { text: `Looking ${at}`, toolCalls: [{ name: "look", args: { at } }], usage: used };
}

describe("[E03] a model whose rounds are used up", () => {
  test("and which still wants tools is asked once more, without any; what it says beside a call is no answer", async () => {
    const model = scriptedModel([looking(1), looking(2), looking(3), { text: "Seen 1 and 2." }]);
    const result = await createAgent({ engine, model, maxRounds: 2 }).run("look");
    expect(result).toMatchObject({ status: "completed", answer: "Seen 1 and 2.", rounds: 4 });
    expect(result.toolUsageSummary.totalCalls).toBe(2);
    expect(result.notes.join()).toMatch(/^all 2 rounds of tool calls .* were used up/);
    expect(model.calls[2]?.toolChoice).toEqual({ type: "none" });
    expect(model.calls[3]?.tools).toBeUndefined();
    expect(JSON.stringify(model.calls[3]?.prompt)).toMatch(/Looking 3.*was not run.*You gave no answer/);
  });

  test.each([0, 2])("and never stops calling: its last words count, with a note (max_rounds %s)", async (maxRounds) => {
    const model = scriptedModel((_call, index) => looking(index));
    const result = await createAgent({ engine, model, maxRounds }).run("look");
    expect(result).toMatchObject({ status: "completed", rounds: maxRounds + 2 });
    expect(result.answer).toMatch(/^Looking/);
    expect(result.notes.join()).toMatch(maxRounds === 0 ? /no tool may be called/ : /all 2 rounds/);
    expect(result.toolUsageSummary.totalCalls).toBe(maxRounds);
  });

  test("and which then answers does so with a note; one that needs fewer has none, nor one without tools", async () => {
    const used = await createAgent({ engine, model: scriptedModel([looking(1), "Seen."]), maxRounds: 1 }).run("look");
    expect(used).toMatchObject({ answer: "Seen.", rounds: 2 });
    expect(used.notes).toHaveLength(1);
    const fewer = await createAgent({ engine, model: scriptedModel([looking(1), "Seen."]) }).run("look");
    expect(fewer.notes).toEqual([]);
    const none = await createAgent({ engine, model: scriptedModel(["Seen."]), runner: "llm" }).run("look");
    expect(none.notes).toEqual([]);
    const asked = await createAgent({ engine, model: scriptedModel(["Seen."]), maxRounds: 0 }).run("look");
    expect(asked.notes).toEqual([]);
  });

  test("and which says nothing either fails, and says after how many rounds", async () => {
    const mute = { toolCalls: [{ name: "look", args: { at: 1 } }] };
    const model = scriptedModel([mute, mute, "", "", ""]);
    const result = await createAgent({ engine, model, maxRounds: 1, tools: ["look"] }).run("look");
    expect(result.status).toBe("failed");
    expect(result.notes.join()).toMatch(/still asked for tools after 1 round/);
  });
});

describe("[N09] a budget", () => {
  test("that cannot carry another round is kept for the answer, which is asked for without tools", async () => {
    const model = scriptedModel([looking(1), { text: "Seen 1.", usage }]);
    const result = await createAgent({ engine, model, tokenBudget: 3000 }).run("look");
    expect(result).toMatchObject({ status: "completed", answer: "Seen 1.", rounds: 2 });
    expect(result.usage.inputTokens + result.usage.outputTokens).toBeLessThanOrEqual(3000);
    expect(model.calls[1]?.tools).toBeUndefined();
    expect(JSON.stringify(model.calls[1]?.prompt)).toMatch(/budget.*Answer now.*seen\\":1/);
    expect(result.notes).toEqual([expect.stringMatching(/^the budget was nearly used up/)]);
  });

  test.each(["autonomous", "planned", "crew"])(
    "that was kept for an answer is not spent on a plan, nor on asking again, when the model still wants tools (%s)",
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
      expect(result.error?.message).toMatch(/nearly used up, and the model .* still asked for tools/);
      expect(result.notes.join()).not.toMatch(/plan|answered nothing/);
      expect(result.notes.join()).toMatch(/found before the budget was used up: look/);
      expect(await agent.runs.inspect(result.runId)).toMatchObject({ notes: result.notes, usage: result.usage });
    },
  );

  test("that can is no reason to hurry", async () => {
    const model = scriptedModel([looking(1), looking(2), { text: "Seen.", usage }]);
    const result = await createAgent({ engine, model, tokenBudget: 10_000 }).run("look");
    expect(result).toMatchObject({ status: "completed", rounds: 3, notes: [] });
  });

  test.each(["autonomous", "planned"])("that an answer used up runs none of its calls (%s)", async (runner) => {
    const model = scriptedModel([looking(1), "never"]);
    const result = await createAgent({ engine, model, runner, tokenBudget: 1000 }).run("look");
    expect(result).toMatchObject({ status: "failed", error: { reason: "budget_exceeded" }, rounds: 1 });
    expect(result.toolUsageSummary.totalCalls).toBe(0);
    expect(model.calls).toHaveLength(1);
  });

  test("that is used up leaves what was found: as a note, and also when the run is told again", async () => {
    const large = looking(2, { inputTokens: 9000, outputTokens: 100 });
    const agent = createAgent({ engine, model: scriptedModel([looking(1), large]), tokenBudget: 9000 });
    const events: AgentEvent[] = [];
    const result = await agent.run("look", { onEvent: (event) => events.push(event) });
    expect(result).toMatchObject({ status: "failed", answer: "", error: { reason: "budget_exceeded" } });
    expect(result.notes).toEqual(["found before the budget was used up: look: seen: 1; the model: Looking 2"]);
    expect(events.filter(({ type }) => type === "note")).toHaveLength(1);
    expect((await agent.runs.inspect(result.runId)).notes).toEqual(result.notes);
  });

  test("of money for a model without a price is refused before anything is asked", async () => {
    const model = scriptedModel(["never"]);
    const result = await createAgent({ engine, model, costBudget: 1 }).run("look");
    expect(result).toMatchObject({ status: "failed", error: { reason: "no_price" }, rounds: 0, notes: [] });
    expect(model.calls).toHaveLength(0);
  });
});
