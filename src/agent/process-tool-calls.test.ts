import { describe, expect, test } from "vitest";
import badInputs from "../../test/data/bad-inputs.json" with { type: "json" };
import { calculatorTool, echoTool } from "../builtin/index.ts";
import { createEngine, forConversation } from "../engine/index.ts";
import { defineTool, toOpenAITools } from "../tool/index.ts";
import { buildRequest } from "./build-request.ts";
import { type OpenAIToolCall, processToolCalls } from "./process-tool-calls.ts";

const slow = defineTool({
  name: "slow",
  description: "Answers after the others",
  effect: "read",
  run: () => new Promise((resolve) => setTimeout(resolve, 30, { slow: true })),
});
const weather = defineTool({ name: "查询天气", description: "天气", effect: "read", run: () => ({ celsius: 21 }) });

const engine = createEngine({ tools: [echoTool, calculatorTool, slow, weather] });

const call = (id: string, name: string, args: string): OpenAIToolCall => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

describe("[D04] tool calls of a model", () => {
  test("run at once and are answered in their order", async () => {
    const messages = await processToolCalls(engine, [
      call("1", "slow", "{}"),
      call("2", "calculator", '{"expression":"2*(3+4)"}'),
      call("3", "calculator", '{"expression":"1/0"}'),
    ]);
    expect(messages.map(({ role, tool_call_id, name }) => [role, tool_call_id, name])).toEqual([
      ["tool", "1", "slow"],
      ["tool", "2", "calculator"],
      ["tool", "3", "calculator"],
    ]);
    const contents = messages.map(
      ({ content }) => JSON.parse(content) as { success: boolean; data: unknown; error: string },
    );
    expect(contents[0]).toEqual({ success: true, data: { slow: true }, error: null });
    expect(contents[1]).toMatchObject({ success: true, data: { result: 14 } });
    expect(contents[2]).toMatchObject({ success: false, data: null });
  });

  test.each(badInputs.filter(({ area }) => area === "json-args").map(({ input }) => [JSON.stringify(input), input]))(
    "arguments %s are answered, never thrown, never run",
    async (_shown, input) => {
      const before = (await engine.callStatistics()).totalCalls;
      const [message] = await processToolCalls(engine, [call("1", "echo", input as string)]);
      const content = JSON.parse(message?.content ?? "") as { success: boolean; error: string };
      expect(content.success).toBe(false);
      expect(content.error).toMatch(/\S+ \S+ \S+/);
      expect((await engine.callStatistics()).totalCalls).toBe(before);
    },
  );

  test("whatever the shape of a call, there is one answer to it", async () => {
    const broken = [
      null,
      {},
      { id: 7 },
      { id: "x", function: { name: null } },
      { id: "y", function: { name: "echo" } },
    ];
    const messages = await processToolCalls(engine, broken as unknown as OpenAIToolCall[]);
    expect(messages).toHaveLength(broken.length);
    for (const { content } of messages) expect(JSON.parse(content)).toMatchObject({ success: false });
  });

  test("arguments that come as an object are taken as they are", async () => {
    const [message] = await processToolCalls(engine, [
      { id: "1", function: { name: "echo", arguments: { message: "hi" } as unknown as string } },
    ]);
    expect(JSON.parse(message?.content ?? "")).toMatchObject({ success: true, data: { message: "hi" } });
  });

  test("a name that OpenAI does not allow finds its way back", async () => {
    const [tool] = toOpenAITools([weather]);
    const [message] = await processToolCalls(engine, [call("1", tool?.function.name ?? "", "{}")]);
    expect(message?.name).toBe(tool?.function.name);
    expect(JSON.parse(message?.content ?? "")).toMatchObject({ success: true, data: { celsius: 21 } });
  });

  test("characters that hide or reorder text do not reach the model", async () => {
    const [message] = await processToolCalls(engine, [
      call("1", "echo", JSON.stringify({ message: "a\u202eb\u{e0041}c" })),
    ]);
    expect(JSON.parse(message?.content ?? "")).toMatchObject({ data: { message: "abc" } });
  });

  test("the calls carry the context they are given", async () => {
    await processToolCalls(engine, [call("1", "echo", '{"message":1}')], forConversation("agent-1", "c-9"));
    expect(await engine.callSummary("c-9")).toMatchObject({ totalCalls: 1, successRate: 100 });
  });
});

describe("[D04] building the request", () => {
  const messages = [{ role: "user", content: "What is 2*(3+4)?" }];

  test("offers every tool of the engine", () => {
    const body = buildRequest(engine, messages, { model: "some-model" });
    expect(body).toMatchObject({ model: "some-model", messages, tool_choice: "auto" });
    expect(body.tools?.map(({ function: { name } }) => name)).toContain("calculator");
    expect(body.tools).toHaveLength(4);
  });

  test("offers chosen tools, or none at all", () => {
    expect(buildRequest(engine, messages, { model: "m", tools: [echoTool] }).tools).toHaveLength(1);
    expect(buildRequest(engine, messages, { model: "m", tools: [] })).toEqual({ model: "m", messages });
  });
});
