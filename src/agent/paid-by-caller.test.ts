import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { type Engine, createEngine } from "../engine/index.ts";
import { type ScriptedAnswer, scriptedModel } from "../model/index.ts";
import type { Agent } from "./agent.ts";
import type { AgentResult } from "./agent-result.ts";
import { agentTool } from "./agent-tool.ts";
import { createAgent } from "./create-agent.ts";

const small = { inputTokens: 100, outputTokens: 10 };
const large = { inputTokens: 700, outputTokens: 100 };

function calls(name: string, args: Record<string, unknown> = {}, usage = small): ScriptedAnswer {
  return { toolCalls: [{ name, args }], usage };
}

function says(text: string, usage = small): ScriptedAnswer {
  return { text, usage };
}

const tools = [
  sampleTool(() => "seen", { name: "look", effect: "read" }),
  sampleTool(() => "gone", { name: "remove", effect: "once" }),
];

/** An engine with agents as tools: what each of them says, and what it may use. */
function world(agents: Readonly<Record<string, { says: ScriptedAnswer[]; tokenBudget?: number; timeoutMs?: number }>>) {
  const engine = createEngine({ tools });
  for (const [name, { says: script, timeoutMs = 60_000, ...spec }] of Object.entries(agents)) {
    const agent = createAgent({ engine, model: scriptedModel(script), maxRounds: 8, ...spec });
    engine.tools.register(agentTool(agent, { name, description: name, timeoutMs }));
  }
  return engine;
}

function chief(engine: Engine, script: ScriptedAnswer[], tokenBudget?: number): Agent {
  const budget = tokenBudget === undefined ? {} : { tokenBudget };
  return createAgent({ engine, model: scriptedModel(script), maxRounds: 8, ...budget });
}

function total({ usage }: AgentResult): number {
  return usage.inputTokens + usage.outputTokens;
}

const ask = { question: "well?" };

describe("[N09] what an agent uses that is called as a tool", () => {
  test("is used by its caller, also two agents further up, and is the same when the run is told again", async () => {
    const engine = world({
      second: { says: [says("deep", large)] },
      first: { says: [calls("second", ask), says("so far")] },
    });
    const agent = chief(engine, [calls("first", ask), says("done")]);
    const result = await agent.run("go");
    expect(result).toMatchObject({ status: "completed", usage: { inputTokens: 1100, outputTokens: 140 }, rounds: 2 });
    expect(await agent.runs.inspect(result.runId)).toEqual(result);
  });

  test("counts against the budget of its caller, which ends when that is used up", async () => {
    const engine = world({ helper: { says: [says("much", { inputTokens: 100_000, outputTokens: 100 })] } });
    const agent = chief(engine, [calls("helper", ask), says("never")], 2000);
    const result = await agent.run("go");
    expect(result).toMatchObject({ status: "failed", error: { reason: "budget_exceeded" }, rounds: 1 });
    expect(total(result)).toBe(100_210);
    expect(await agent.runs.inspect(result.runId)).toEqual(result);
  });

  test("is at most what is left, less what an answer takes, whatever it may use by itself", async () => {
    const looks = Array.from({ length: 8 }, (_, at) => calls("look", { at }, large));
    for (const own of [{}, { tokenBudget: 1_000_000 }]) {
      const engine = world({ helper: { says: looks, ...own } });
      const result = await chief(engine, [calls("helper", ask), says("enough")], 2000).run("go");
      // 110 for the question, 110 for the answer, and three times 800 would be too much.
      expect(result).toMatchObject({ status: "completed", answer: "enough", rounds: 2 });
      expect(total(result)).toBe(220 + 800 * 2);
    }
    const engine = world({ helper: { says: looks, tokenBudget: 800 } });
    expect(total(await chief(engine, [calls("helper", ask), says("enough")], 4000).run("go"))).toBe(220 + 800);
  });

  test.each([true, false])("before it waited for a person counts once (approved: %s)", async (approved) => {
    const engine = world({ helper: { says: [calls("remove", {}, large), says("removed", large)] } });
    const agent = chief(engine, [calls("helper", ask), says("done")], 5000);
    const waiting = await agent.run("go");
    expect(waiting.status).toBe("waiting");
    expect(total(waiting)).toBe(110 + 800);
    await agent.decide(waiting.approvals?.[0]?.id ?? "", { approved });
    const result = await agent.resume(waiting.runId);
    expect(result.status).toBe("completed");
    expect(total(result)).toBe(220 + 800 * 2);
    expect(await agent.runs.inspect(result.runId)).toEqual(result);
  });

  test("leaves its caller an answer, also where several are called side by side", async () => {
    const looks = Array.from({ length: 8 }, (_, at) => calls("look", { at }, { inputTokens: 400, outputTokens: 50 }));
    const engine = world({ one: { says: looks }, other: { says: looks } });
    const both = sampleTool(
      async (_args, { callTool }) => {
        const results = await Promise.all(["one", "other"].map((name) => callTool(name, ask)));
        return results.map(({ success }) => success);
      },
      { name: "both", effect: "idempotent", destructive: false, composite: true },
    );
    engine.tools.register(both);
    const result = await chief(engine, [calls("both"), says("enough")], 2000).run("go");
    // Two rounds of each; another would use what the answer takes.
    expect(result).toMatchObject({ status: "completed", answer: "enough", rounds: 2 });
    expect(total(result)).toBe(220 + 450 * 4);
  });

  test("counts when it fails, and when it took too long", async () => {
    const hang = sampleTool(() => new Promise(() => {}), { name: "hang", effect: "read" });
    const engine = world({
      broken: { says: [calls("look", {}, large)] },
      slow: { says: [calls("hang", {}, large)], timeoutMs: 50 },
    });
    engine.tools.register(hang);
    const agent = chief(engine, [calls("broken", ask), calls("slow", ask), says("done")]);
    const result = await agent.run("go");
    expect(result).toMatchObject({ status: "completed", toolUsageSummary: { hasErrors: true } });
    expect(total(result)).toBe(330 + 1600);
  });

  test("counts through the tools between", async () => {
    const engine = world({ helper: { says: [says("one", large), says("two", large)] } });
    const both = sampleTool(
      async (_, context) => {
        const { callTool } = context as unknown as { callTool: (name: string, args: unknown) => Promise<unknown> };
        return Promise.all([callTool("helper", ask), callTool("helper", ask)]).then(({ length }) => length);
      },
      { name: "both", effect: "idempotent", composite: true, destructive: false },
    );
    engine.tools.register(both);
    expect(total(await chief(engine, [calls("both"), says("done")]).run("go"))).toBe(220 + 1600);
  });

  test("is what agents say, not what a tool says of itself", async () => {
    const engine = world({});
    const boast = sampleTool((_, context) => context.report({ modelUse: { x: { inputTokens: 1e9 } } }), {
      name: "boast",
    });
    engine.tools.register(boast);
    expect(total(await chief(engine, [calls("boast"), says("done")], 5000).run("go"))).toBe(220);
  });
});
