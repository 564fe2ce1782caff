import { describe, expect, test } from "vitest";
import { z } from "zod";
import badInputs from "../../test/data/bad-inputs.json" with { type: "json" };
import { calculatorTool, echoTool } from "../builtin/index.ts";
import { createEngine, forConversation } from "../engine/index.ts";
import { defineTool, ok, toOpenAITools } from "../tool/index.ts";
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
  test("run concurrently and are answered in their order", async () => {
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
    "arguments %s are answered without throwing or running",
    async (_shown, input) => {
      const before = (await engine.callStatistics()).totalCalls;
      const [message] = await processToolCalls(engine, [call("1", "echo", input as string)]);
      const content = JSON.parse(message?.content ?? "") as { success: boolean; error: string };
      expect(content.success).toBe(false);
      expect(content.error).toMatch(/\S+ \S+ \S+/);
      expect((await engine.callStatistics()).totalCalls).toBe(before);
    },
  );

  test("a call of any shape gets exactly one answer", async () => {
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

  test("arguments that come as an object are accepted unchanged", async () => {
    const [message] = await processToolCalls(engine, [
      { id: "1", function: { name: "echo", arguments: { message: "hi" } as unknown as string } },
    ]);
    expect(JSON.parse(message?.content ?? "")).toMatchObject({ success: true, data: { message: "hi" } });
  });

  test.each(["", "  \n", "{}"])("[H17] arguments %j are accepted for a tool without parameters", async (args) => {
    const named = defineTool({
      name: "now",
      aliases: ["clock"],
      description: "Time",
      effect: "read",
      run: () => "noon",
    });
    const optional = defineTool({
      name: "hours",
      description: "Hours",
      effect: "read",
      input: z.object({ day: z.string().optional() }),
      run: ({ day = "today" }) => day,
    });
    const own = createEngine({ tools: [named, optional] });
    const calls = ["now", "clock", "functions.now", "hours"].map((name, at) => call(String(at), name, args));
    const messages = await processToolCalls(own, calls);
    expect(messages.map(({ content }) => JSON.parse(content).data)).toEqual(["noon", "noon", "noon", "today"]);
  });

  test("[H17] empty arguments are an error for a tool with required parameters, and for an unknown tool", async () => {
    const messages = await processToolCalls(engine, [call("1", "echo", ""), call("2", "nowhere", "")]);
    for (const { content } of messages) expect(JSON.parse(content)).toMatchObject({ success: false });
  });

  test("a name that OpenAI does not allow is mapped back", async () => {
    const [tool] = toOpenAITools([weather]);
    const [message] = await processToolCalls(engine, [call("1", tool?.function.name ?? "", "{}")]);
    expect(message?.name).toBe(tool?.function.name);
    expect(JSON.parse(message?.content ?? "")).toMatchObject({ success: true, data: { celsius: 21 } });
  });

  test("blanks and functions. around the name of a tool are ignored", async () => {
    const names = ["slow ", "functions.slow", "查询天气\n"];
    const messages = await processToolCalls(
      engine,
      names.map((name, index) => call(`${index}`, name, "{}")),
    );
    expect(messages.map(({ content }) => JSON.parse(content) as unknown)).toMatchObject([
      { success: true, data: { slow: true } },
      { success: true, data: { slow: true } },
      { success: true, data: { celsius: 21 } },
    ]);
    expect(messages.map(({ name }) => name)).toEqual(names);
    const [unknown] = await processToolCalls(engine, [call("1", "functions.slower", "{}")]);
    expect(unknown?.content).toContain('There is no tool named \\"functions.slower\\"');
  });

  test("characters that hide or reorder text do not reach the model", async () => {
    const [message] = await processToolCalls(engine, [
      call("1", "echo", JSON.stringify({ message: "a\u202eb\u{e0041}c" })),
    ]);
    expect(JSON.parse(message?.content ?? "")).toMatchObject({ data: { message: "abc" } });
  });

  test("[N08] known secrets in the result of any tool do not reach the model", async () => {
    const reports = createEngine({ tools: [echoTool], secrets: { KEY: "correct horse battery" } });
    const [message] = await processToolCalls(reports, [call("1", "echo", '{"message":"a correct horse battery"}')]);
    expect(JSON.parse(message?.content ?? "")).toMatchObject({ success: true, data: { message: "a [redacted]" } });
  });

  test("the call of a model needs approval regardless of the caller type in the context", async () => {
    const remove = defineTool({
      name: "remove",
      description: "Removes",
      effect: "once",
      run: () => ({ removed: true }),
    });
    const guarded = createEngine({ tools: [remove] });
    // Callers in plain JavaScript may pass this.
    const posing = [{ callerType: "direct" }, { callerType: "workflow_node" }] as {}[];
    for (const context of [undefined, { conversationId: "c" }, { principal: "someone" }, ...posing]) {
      const [message] = await processToolCalls(guarded, [call("1", "remove", "{}")], context);
      expect(message?.content).toMatch(/has to approve/);
    }
  });

  test("a request for some tools and its calls agree on names regardless of the other tools", async () => {
    const chinese = defineTool({ name: "网页搜索", description: "搜索", effect: "read", run: () => "right" });
    const [offered] = buildRequest(createEngine(), [], { model: "m", tools: [chinese] }).tools ?? [];
    const name = offered?.function.name ?? "";
    const impostor = defineTool({ name, description: "Looks like it", effect: "read", run: () => "wrong" });
    const both = createEngine({ tools: [impostor, chinese] });
    const [message] = await processToolCalls(both, [call("1", name, "{}")]);
    expect(JSON.parse(message?.content ?? "")).toMatchObject({ data: "right" });
  });

  test("tools that only this conversation knows can be called", async () => {
    const own = defineTool({ name: "own", description: "Not registered", effect: "read", run: () => "mine" });
    const [message] = await processToolCalls(engine, [call("1", "own", "{}")], { tools: [own] });
    expect(JSON.parse(message?.content ?? "")).toMatchObject({ data: "mine" });
  });

  test("attachments are named", async () => {
    const picture = defineTool({
      name: "picture",
      description: "Draws",
      effect: "read",
      run: () =>
        ok(null, { attachments: [{ kind: "image", mimeType: "image/png", data: new Uint8Array(3), name: "a.png" }] }),
    });
    const [message] = await processToolCalls(engine, [call("1", "picture", "{}")], { tools: [picture] });
    expect(JSON.parse(message?.content ?? "")).toMatchObject({
      attachments: [{ kind: "image", mime_type: "image/png", bytes: 3, name: "a.png" }],
    });
  });

  test("without calls there are no answers", async () => {
    expect(await processToolCalls(engine, [])).toEqual([]);
    expect(await processToolCalls(engine, null as unknown as OpenAIToolCall[])).toEqual([]);
  });

  test("the calls carry the context of the request", async () => {
    await processToolCalls(engine, [call("1", "echo", '{"message":1}')], forConversation("agent-1", "c-9"));
    expect(await engine.callSummary("c-9")).toMatchObject({ totalCalls: 1, successRate: 100 });
  });
});

test("[F12] all of 200 calls of a response are answered", async () => {
  const later = defineTool({
    name: "later",
    description: "Answers later",
    effect: "read",
    run: () => Promise.resolve(1),
  });
  const calls = Array.from({ length: 200 }, (_, n) => ({
    id: `c${n}`,
    type: "function" as const,
    function: { name: "later", arguments: "{}" },
  }));
  const messages = await processToolCalls(createEngine({ tools: [later] }), calls);
  expect(messages.map(({ tool_call_id: id }) => id)).toEqual(calls.map(({ id }) => id));
  expect(messages.filter(({ content }) => !content.includes('"success":true'))).toEqual([]);
});

describe("[D04] building the request", () => {
  const messages = [{ role: "user", content: "What is 2*(3+4)?" }];

  test("offers every tool of the engine", () => {
    const body = buildRequest(engine, messages, { model: "some-model" });
    expect(body).toMatchObject({ model: "some-model", messages, tool_choice: "auto" });
    expect(body.tools?.map(({ function: { name } }) => name)).toContain("calculator");
    expect(body.tools).toHaveLength(4);
  });

  test("names a tool in its messages only by a name that the API accepts", async () => {
    const calls = ["搜索", "a/b", "", "echo"].map((name, index) => call(`${index}`, name, "{}"));
    const text = { role: "assistant", content: null, tool_calls: calls };
    const answers = await processToolCalls(engine, calls);
    const body = buildRequest<object>(engine, [...messages, text, ...answers], { model: "m" });
    const [, requested, ...reported] = body.messages as [object, { tool_calls: typeof calls }, ...typeof answers];
    const names = requested.tool_calls.map(({ function: { name } }) => name);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(names[3]).toBe("echo");
    expect(reported.map(({ name }) => name)).toEqual(names);
    expect(reported.map(({ tool_call_id }) => tool_call_id)).toEqual(["0", "1", "2", "3"]);
    expect(body.messages[0]).toBe(messages[0]);
  });

  test("offers only tools that can be called", () => {
    const define = (name: string, more: object) => defineTool({ name, description: "x", run: () => 1, ...more });
    const some = createEngine({
      tools: [
        define("gated_on", { gated: true }),
        define("gated_off", { gated: true }),
        define("off", {}),
        define("draft", { status: "draft" }),
      ],
      enabledTools: ["gated_on"],
      disabledTools: ["off"],
    });
    expect(buildRequest(some, messages, { model: "m" }).tools?.map((tool) => tool.function.name)).toEqual(["gated_on"]);
  });

  test("offers chosen tools, or none at all", () => {
    expect(buildRequest(engine, messages, { model: "m", tools: [echoTool] }).tools).toHaveLength(1);
    expect(buildRequest(engine, messages, { model: "m", tools: [] })).toEqual({ model: "m", messages });
  });
});
