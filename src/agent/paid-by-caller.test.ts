import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { type Engine, createEngine } from "../engine/index.ts";
import { type ScriptedResponse, scriptedModel } from "../testing/index.ts";
import type { Agent } from "./agent.ts";
import type { AgentResult } from "./events/agent-result.ts";
import { agentTool } from "./agent-tool.ts";
import { createAgent } from "./create-agent.ts";

const small = { inputTokens: 100, outputTokens: 10 };
const large = { inputTokens: 700, outputTokens: 100 };

function calls(name: string, args: Record<string, unknown> = {}, usage = small): ScriptedResponse {
  return { toolCalls: [{ name, args }], usage };
}

function says(text: string, usage = small): ScriptedResponse {
  return { text, usage };
}

const tools = [
  sampleTool(() => "seen", { name: "look", effect: "read" }),
  sampleTool(() => "gone", { name: "remove", effect: "once" }),
];

/** An engine with agents as tools: the responses and the limits of each. */
function world(
  agents: Readonly<Record<string, { says: ScriptedResponse[]; tokenBudget?: number; timeoutMs?: number }>>,
) {
  const engine = createEngine({ tools });
  for (const [name, { says: script, timeoutMs = 60_000, ...spec }] of Object.entries(agents)) {
    const agent = createAgent({ engine, model: scriptedModel(script), maxRounds: 8, ...spec });
    engine.tools.register(agentTool(agent, { name, description: name, timeoutMs }));
  }
  return engine;
}

function chief(engine: Engine, script: ScriptedResponse[], tokenBudget?: number): Agent {
  const budget = tokenBudget === undefined ? {} : { tokenBudget };
  return createAgent({ engine, model: scriptedModel(script), maxRounds: 8, ...budget });
}

function total({ usage }: AgentResult): number {
  return usage.inputTokens + usage.outputTokens;
}

const callArgs = { prompt: "well?" };

describe("[N09] the usage of an agent that is called as a tool", () => {
  test("counts for its caller, also two agents further up, and is the same in a replay", async () => {
    const engine = world({
      second: { says: [says("deep", large)] },
      first: { says: [calls("second", callArgs), says("so far")] },
    });
    const agent = chief(engine, [calls("first", callArgs), says("done")]);
    const result = await agent.run("go");
    expect(result).toMatchObject({ status: "completed", usage: { inputTokens: 1100, outputTokens: 140 }, rounds: 2 });
    expect(await agent.runs.inspect(result.runId)).toEqual(result);
  });

  test("counts against the budget of its caller, which ends when that is used up", async () => {
    const engine = world({ helper: { says: [says("much", { inputTokens: 100_000, outputTokens: 100 })] } });
    const agent = chief(engine, [calls("helper", callArgs), says("never")], 2000);
    const result = await agent.run("go");
    expect(result).toMatchObject({ status: "failed", error: { reason: "budget_exceeded" }, rounds: 1 });
    expect(total(result)).toBe(100_210);
    expect(await agent.runs.inspect(result.runId)).toEqual(result);
  });

  test("is limited to the caller's remaining budget minus one answer, even if its own limit is higher", async () => {
    const looks = Array.from({ length: 8 }, (_, at) => calls("look", { at }, large));
    for (const own of [{}, { tokenBudget: 1_000_000 }]) {
      const engine = world({ helper: { says: looks, ...own } });
      const result = await chief(engine, [calls("helper", callArgs), says("enough")], 2000).run("go");
      // 110 for the first request, 110 for the answer, and three times 800 would be too much.
      expect(result).toMatchObject({ status: "completed", answer: "enough", rounds: 2 });
      expect(total(result)).toBe(220 + 800 * 2);
    }
    const engine = world({ helper: { says: looks, tokenBudget: 800 } });
    expect(total(await chief(engine, [calls("helper", callArgs), says("enough")], 4000).run("go"))).toBe(220 + 800);
  });

  test.each([true, false])("usage before it waited for a person counts once (approved: %s)", async (approved) => {
    const engine = world({ helper: { says: [calls("remove", {}, large), says("removed", large)] } });
    const agent = chief(engine, [calls("helper", callArgs), says("done")], 5000);
    const waiting = await agent.run("go");
    expect(waiting.status).toBe("waiting");
    expect(total(waiting)).toBe(110 + 800);
    await agent.decide(waiting.approvals?.[0]?.id ?? "", { approved });
    const result = await agent.resume(waiting.runId);
    expect(result.status).toBe("completed");
    expect(total(result)).toBe(220 + 800 * 2);
    expect(await agent.runs.inspect(result.runId)).toEqual(result);
  });

  test("leaves its caller enough for an answer, also if several are called concurrently", async () => {
    const looks = Array.from({ length: 8 }, (_, at) => calls("look", { at }, { inputTokens: 400, outputTokens: 50 }));
    const engine = world({ one: { says: looks }, other: { says: looks } });
    const both = sampleTool(
      async (_args, { callTool }) => {
        const results = await Promise.all(["one", "other"].map((name) => callTool(name, callArgs)));
        return results.map(({ success }) => success);
      },
      { name: "both", effect: "idempotent", destructive: false, composite: true },
    );
    engine.tools.register(both);
    const result = await chief(engine, [calls("both"), says("enough")], 2000).run("go");
    // Two rounds of each; a third would use the budget of the answer.
    expect(result).toMatchObject({ status: "completed", answer: "enough", rounds: 2 });
    expect(total(result)).toBe(220 + 450 * 4);
  });

  test("counts if it fails, and if it times out", async () => {
    const hang = sampleTool(() => new Promise(() => {}), { name: "hang", effect: "read" });
    const engine = world({
      broken: { says: [calls("look", {}, large)] },
      slow: { says: [calls("hang", {}, large)], timeoutMs: 50 },
    });
    engine.tools.register(hang);
    const agent = chief(engine, [calls("broken", callArgs), calls("slow", callArgs), says("done")]);
    const result = await agent.run("go");
    expect(result).toMatchObject({ status: "completed", toolUsageSummary: { hasErrors: true } });
    expect(total(result)).toBe(330 + 1600);
  });

  test("counts through the tools between", async () => {
    const engine = world({ helper: { says: [says("one", large), says("two", large)] } });
    const both = sampleTool(
      async (_, context) => {
        const { callTool } = context as unknown as { callTool: (name: string, args: unknown) => Promise<unknown> };
        return Promise.all([callTool("helper", callArgs), callTool("helper", callArgs)]).then(({ length }) => length);
      },
      { name: "both", effect: "idempotent", composite: true, destructive: false },
    );
    engine.tools.register(both);
    expect(total(await chief(engine, [calls("both"), says("done")]).run("go"))).toBe(220 + 1600);
  });

  test("comes from agents, not from a tool's own metadata", async () => {
    const engine = world({});
    const boast = sampleTool((_, context) => context.report({ modelUse: { x: { inputTokens: 1e9 } } }), {
      name: "boast",
    });
    engine.tools.register(boast);
    expect(total(await chief(engine, [calls("boast"), says("done")], 5000).run("go"))).toBe(220);
  });
});
