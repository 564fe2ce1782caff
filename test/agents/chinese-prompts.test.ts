import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { buildRequest, createAgent } from "../../src/agent/index.ts";
import { openWorkspace } from "../../src/app/index.ts";
import { createEngine } from "../../src/engine/index.ts";
import { ToolFinder, findToolsTool, plannerToolList, toolCatalogueForPrompt } from "../../src/hub/index.ts";
import { scriptedModel } from "../../src/testing.ts";
import { defineTool } from "../../src/tool/index.ts";
import { crewModel, plannedStep, systemOf } from "../support/crew-model.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const tools = Array.from({ length: 60 }, (_, at) =>
  defineTool({ name: `tool_${at}`, description: `工具${at}：${"说明".repeat(60)}`, effect: "read", run: () => at }),
);

describe("[H28] the number of other tools in a prompt", () => {
  test("is Chinese in the plan of a crew if the prompt is Chinese, and English otherwise", async () => {
    const systems: string[] = [];
    for (const prompt of ["潮汐磨坊怎么样？", "What about tide mills?"]) {
      const model = crewModel({ plan: { steps: [plannedStep("1 none", "想一想")] } });
      await createAgent({ engine: createEngine({ tools }), model, runner: "crew" }).run(prompt);
      systems.push(systemOf(model.calls[0] ?? { prompt: [] }));
    }
    expect(systems[0]).toMatch(/（还有 \d+ 个其他工具，可通过工具名称直接调用）/);
    expect(systems[0]).toContain("- none: 不使用工具，直接思考");
    expect(systems[0]).not.toMatch(/more, callable by name|think, without a tool/);
    expect(systems[1]).toMatch(/\(and \d+ more, callable by name\)/);
  });

  test("is Chinese for an autonomous agent with more tools than fit", async () => {
    const finding = createEngine({ tools }).tools;
    const engine = createEngine({ tools: [...tools, findToolsTool({ finder: new ToolFinder(finding) })] });
    const model = scriptedModel(["好。", "Good."]);
    const agent = createAgent({ engine, model, toolDefinitionTokens: 500 });
    await agent.run("潮汐磨坊怎么样？");
    await agent.run("What about tide mills?");
    const [chinese = "", english = ""] = model.calls.map((call) => systemOf(call));
    expect(chinese).toMatch(/还有 \d+ 个其他工具/);
    expect(chinese).not.toContain("more tools than you see");
    expect(english).toMatch(/There are \d+ more tools than you see/);
  });

  test("can be set for the lists of the library", () => {
    const engine = createEngine({ tools });
    expect(plannerToolList(engine.tools, { language: "zh" }).text).toMatch(/（还有 50 个其他工具/);
    const { text } = toolCatalogueForPrompt(engine.tools, { core: [], language: "zh" });
    expect(text).toMatch(/^还有 60 个其他工具/);
    expect(toolCatalogueForPrompt(engine.tools, { core: [] }).text).toMatch(/^And 60 more/);
  });
});

describe("[H28] buildRequest without options", () => {
  const messages = [{ role: "user", content: "6*7?" }];

  async function workspace(settings: string) {
    const dir = await mkdtemp(join(tmpdir(), "windlass-request-"));
    closers.push(() => rm(dir, { recursive: true, force: true }));
    await writeFile(join(dir, "windlass.yaml"), settings);
    const opened = await openWorkspace(dir, { store: "memory", reload: false, env: {} });
    closers.push(() => opened.close());
    return opened;
  }

  test("names the default model of the workspace", async () => {
    const { engine } = await workspace('models: { default: { base_url: "http://127.0.0.1:1/v1", model: qwen3 } }');
    expect(buildRequest(engine, messages)).toMatchObject({ model: "qwen3", messages, tool_choice: "auto" });
    expect(buildRequest(engine, messages, { toolChoice: "none" })).toMatchObject({
      model: "qwen3",
      tool_choice: "none",
    });
    expect(buildRequest(engine, messages, { model: "other" })).toMatchObject({ model: "other" });
  });

  test("fails with what to set if there is none", async () => {
    const noModel = expect.objectContaining({ reason: "no_model", message: expect.stringMatching(/model/) });
    const { engine } = await workspace("vault: notes\n");
    expect(() => buildRequest(engine, messages)).toThrow(noModel);
    expect(() => buildRequest(createEngine(), messages)).toThrow(noModel);
  });
});
