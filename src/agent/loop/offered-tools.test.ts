import { expect, test } from "vitest";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { createEngine } from "../../engine/index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { defineTool } from "../../tool/index.ts";
import { createAgent } from "../create-agent.ts";

test("[H7] a tool that is registered during a run is offered from the next round, at the end of the list", async () => {
  const engine = createEngine({
    tools: [
      sampleTool(() => "a", { name: "zebra" }),
      defineTool({
        name: "learn",
        description: "Registers one more tool.",
        effect: "read",
        run: () => {
          engine.tools.register(sampleTool(() => "learned", { name: "able" }));
          return "done";
        },
      }),
    ],
  });
  const model = scriptedModel([
    { toolCalls: [{ name: "learn", args: {}, id: "c1" }] },
    { toolCalls: [{ name: "able", args: {}, id: "c2" }] },
    "Done.",
  ]);
  const result = await createAgent({ engine, model }).run("Learn something and use it.");
  expect(result).toMatchObject({ status: "completed", answer: "Done." });
  const offered = model.calls.map(({ tools = [] }) => tools.map(({ name }) => name));
  expect(offered).toEqual([
    ["learn", "zebra"],
    ["learn", "zebra", "able"],
    ["learn", "zebra", "able"],
  ]);
});
