import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import { ResultShelf } from "../../hub/index.ts";
import { type Model, fallbackModel, modelFailure, scriptedModel } from "../../model/index.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import type { AgentEvent } from "../agent-event.ts";
import { createAgent } from "../create-agent.ts";

const key = "correct-horse-battery";

function engineWith(output: unknown) {
  return createEngine({ tools: [sampleTool(() => output, { name: "look" })], secrets: { KEY: key } });
}

describe("[N08] a secret that the engine knows", () => {
  const outputs = [
    `it is ${key}`,
    { found: [key] },
    { pages: Array.from({ length: 3000 }, (_, at) => `${at} ${key}`) },
  ];
  const steps = [
    { id: "1", description: "look", tool_type: "look", dependencies: [] },
    { id: "2", description: "think about it", tool_type: "none", dependencies: ["1"] },
  ];
  const runners = ["autonomous", "planned", "crew"];
  const ways = runners.flatMap((runner) => ["without a shelf", "with a shelf"].map((way) => ({ runner, way })));

  test.each(ways)("reaches no model in the result of a tool ($runner, $way)", async ({ runner, way }) => {
    for (const output of outputs) {
      const shelf = way === "with a shelf" ? { shelf: new ResultShelf() } : {};
      const model = scriptedModel((call) => {
        if (call.tools !== undefined && model.calls.length === 1) return { toolCalls: [{ name: "look", args: {} }] };
        return runner === "crew" && model.calls.length === 1 ? JSON.stringify({ steps }) : "done";
      });
      const result = await createAgent({ engine: engineWith(output), model, runner, ...shelf }).run("look");
      expect(result).toMatchObject({ status: "completed", toolUsageSummary: { toolUsage: { look: 1 } } });
      expect(model.calls.length).toBeGreaterThan(1);
      expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toContain(key);
      expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain("[redacted]");
      expect(JSON.stringify(result.messages)).not.toContain(key);
    }
  });

  test("is not told where a model's server quotes it", async () => {
    const quoting = scriptedModel(() => Promise.reject(modelFailure("unauthorized", `the key ${key} is wrong`)));
    const events: AgentEvent[] = [];
    const onEvent = (event: AgentEvent): unknown => events.push(event);
    const engine = engineWith("x");
    const failed = await createAgent({ engine, model: quoting, runner: "llm" }).run("hi", { onEvent });
    expect(failed).toMatchObject({ status: "failed", error: { reason: "unauthorized" } });
    expect(failed.error?.message).toContain("the key [redacted] is wrong");
    const both: Model = fallbackModel([quoting, scriptedModel(["done"])]);
    const helped = await createAgent({ engine, model: both, runner: "llm" }).run("hi", { onEvent });
    expect(helped).toMatchObject({ status: "completed", answer: "done" });
    expect(helped.notes.join(" ")).toContain("the key [redacted] is wrong");
    expect(JSON.stringify([failed, helped, events])).not.toContain(key);
  });
});

test("a result without secrets is given as it is, at once", async () => {
  const output = { big: Array.from({ length: 50 }, (_, at) => at) };
  const model = scriptedModel([{ toolCalls: [{ name: "look", args: {} }] }, "done"]);
  const engine = createEngine({ tools: [sampleTool(() => output, { name: "look" })] });
  const result = await createAgent({ engine, model }).run("look");
  expect(JSON.stringify(result.messages)).toContain(JSON.stringify(JSON.stringify(output)).slice(1, -1));
  expect(engine.redactor.known(output)).toBe(output);
});
