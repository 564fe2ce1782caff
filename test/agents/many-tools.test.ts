import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent/index.ts";
import { createEngine } from "../../src/engine/index.ts";
import { ToolFinder, findToolsTool } from "../../src/hub/index.ts";
import { fromJsonSchema } from "../../src/schema/index.ts";
import { estimateTokens } from "../../src/text/index.ts";
import { scriptedModel } from "../../src/testing.ts";
import { defineTool } from "../../src/tool/index.ts";

/** A workspace of this many tools, with the tool that finds them. */
function engineOf(count: number) {
  const engine = createEngine();
  for (let index = 0; index < count; index++) {
    const name = index === 150 ? "send_fax" : `report_${index}`;
    const description =
      index === 150
        ? "Sends a fax to a telephone number, and returns whether all of its pages arrived there"
        : `Makes the report number ${index} of the department and stores it`;
    engine.tools.register(
      defineTool({
        name,
        description,
        effect: "read",
        input: fromJsonSchema({
          type: "object",
          properties: { number: { type: "string", description: "With its prefix" } },
        }),
        run: () => ({ sent: name }),
      }),
    );
  }
  engine.tools.register(findToolsTool({ finder: new ToolFinder(engine.tools) }));
  return engine;
}

describe("[N11] [C08] a workspace of 200 tools", () => {
  test("offers matching tools, and the model reaches another tool through find_tools", async () => {
    const model = scriptedModel([
      { toolCalls: [{ name: "find_tools", args: { query: "send a fax" }, id: "c1" }] },
      { toolCalls: [{ name: "send_fax", args: { number: "+1 555" }, id: "c2" }] },
      { text: "it was sent" },
    ]);
    const agent = createAgent({ engine: engineOf(200), model, toolDefinitionTokens: 1500 });
    const result = await agent.run("And now?");
    expect(result).toMatchObject({ status: "completed", answer: "it was sent" });
    expect(result.toolUsageSummary).toMatchObject({ toolUsage: { find_tools: 1, send_fax: 1 }, hasErrors: false });
    const [first, second] = model.calls.map(({ tools = [] }) => tools);
    expect(estimateTokens(JSON.stringify(first))).toBeLessThanOrEqual(1500);
    const namesOf = (tools: typeof first): string[] => (tools ?? []).map(({ name }) => name);
    expect(namesOf(first)).toContain("find_tools");
    expect(namesOf(first)).not.toContain("send_fax");
    // Earlier tools keep their positions, so that the beginning of the prompt is the same.
    expect(namesOf(second).slice(0, namesOf(first).length)).toEqual(namesOf(first));
    expect(namesOf(second)).toContain("send_fax");
    model.assertComplete();
  });

  test("a few tools are all offered, without a tool search", async () => {
    const model = scriptedModel(["done"]);
    await createAgent({ engine: engineOf(10), model }).run("go");
    const names = model.calls[0]?.tools?.map(({ name }) => name) ?? [];
    expect(names).toHaveLength(10);
    expect(names).not.toContain("find_tools");
  });
});
