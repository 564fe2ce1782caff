import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { convertToOpenAITool, isLangChainTool } from "@langchain/core/utils/function_calling";
import { createAgent } from "langchain";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createEngine } from "../../engine/index.ts";
import { ResultStore, readResultTool } from "../../hub/index.ts";
import { defineTool, fail, fromJsonSchema, ok } from "../../index.ts";
import { toOpenAITools } from "../../agent.ts";
import { ScriptedChatModel, calling } from "../../../test/support/scripted-chat-model.ts";
import { toLangChainTools } from "./index.ts";

const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  effect: "pure",
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  run: ({ a, b }) => ({ sum: a + b }),
});

/** A tool that records its runs. */
function noted(name: string, options: { effect?: "once" | "read"; run?: () => unknown } = {}) {
  const runs: unknown[] = [];
  const tool = defineTool({
    name,
    description: "Notes that it ran.",
    effect: options.effect ?? "read",
    input: z.object({ to: z.string().optional() }),
    run: (args) => {
      runs.push(args);
      return options.run?.() ?? "done";
    },
  });
  return { tool, runs };
}

async function runAgent(
  model: ScriptedChatModel,
  tools: ReturnType<typeof toLangChainTools>,
  config = {},
  content = "go",
) {
  const agent = createAgent({ model, tools });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content }] }, config);
  const results = messages.filter((message) => ToolMessage.isInstance(message));
  return { messages, results, answer: messages.at(-1)?.text };
}

describe("tools of an engine in LangChain", () => {
  test("[E07] LangChain's own agent calls them through the engine, which records the calls", async () => {
    const engine = createEngine({ tools: [add] });
    const model = new ScriptedChatModel([calling({ name: "add", args: { a: 2 } }), new AIMessage("It is 3.")]);
    const { results, answer } = await runAgent(model, toLangChainTools(engine, { principal: "ann" }), {
      configurable: { thread_id: "thread-1" },
    });
    expect(answer).toBe("It is 3.");
    expect(results).toMatchObject([{ content: '{"sum":3}', tool_call_id: "call_1", name: "add", status: "success" }]);
    expect(results[0]?.artifact).toMatchObject({ success: true, output: { sum: 3 } });
    const { records } = await engine.queryRecords();
    expect(records).toMatchObject([
      {
        tool: "add",
        callerType: "conversation_agent",
        callerId: "langchain",
        principal: "ann",
        conversationId: "thread-1",
      },
    ]);
  });

  test("they are LangChain tools, with the schemas that Windlass itself sends", () => {
    const tools = toLangChainTools(createEngine({ tools: [add] }));
    expect(tools.every(isLangChainTool)).toBe(true);
    expect(tools.map((tool) => convertToOpenAITool(tool))).toEqual(toOpenAITools([add]));
  });

  test("invalid arguments are reported to the model, and the agent continues", async () => {
    const model = new ScriptedChatModel([
      calling({ name: "add", args: { a: "two" } }),
      calling({ name: "add", args: { a: 2 }, id: "call_2" }),
      new AIMessage("3"),
    ]);
    const { results } = await runAgent(model, toLangChainTools(createEngine({ tools: [add] })));
    expect(results).toMatchObject([{ status: "error" }, { status: "success", content: '{"sum":3}' }]);
    expect(results[0]?.text).toContain('a must be a number, got "two"');
    expect(results[0]?.text).toContain("(validation_error)");
  });

  test("[N08] known secrets are redacted from tool outputs", async () => {
    const reports = defineTool({
      name: "tell",
      description: "x",
      effect: "read",
      run: () => ({ key: "sk-secret-123456" }),
    });
    const [tool] = toLangChainTools(createEngine({ tools: [reports], secrets: { KEY: "sk-secret-123456" } }));
    expect(JSON.stringify(await tool?.invoke({}))).toContain("[redacted]");
    expect(JSON.stringify(await tool?.invoke({}))).not.toContain("sk-secret");
  });

  test("a failure is a message, not an exception; secrets are redacted", async () => {
    const broken = defineTool({
      name: "broken",
      description: "Fails.",
      effect: "pure",
      run: () => fail("the key sk-secret-123456 is no good", { retry: "never" }),
    });
    const engine = createEngine({ tools: [broken], secrets: { KEY: "sk-secret-123456" } });
    const { results, answer } = await runAgent(
      new ScriptedChatModel([calling({ name: "broken" }), new AIMessage("sorry")]),
      toLangChainTools(engine),
    );
    expect(answer).toBe("sorry");
    expect(results[0]).toMatchObject({ status: "error" });
    expect(results[0]?.text).toMatch(/the key .* is no good/);
    expect(results[0]?.text).not.toContain("sk-secret");
  });

  test("calls of one response run concurrently, and each has its own result", async () => {
    let open = 0;
    let max = 0;
    const slow = defineTool({
      name: "slow",
      description: "Waits for the others.",
      effect: "read",
      input: z.object({ n: z.number() }),
      run: async ({ n }) => {
        max = Math.max(max, ++open);
        await new Promise((resolve) => setTimeout(resolve, 5));
        open--;
        return n * 10;
      },
    });
    const calls = [1, 2, 3].map((n) => ({ name: "slow", args: { n }, id: `c${n}` }));
    const { results } = await runAgent(
      new ScriptedChatModel([calling(...calls), new AIMessage("done")]),
      toLangChainTools(createEngine({ tools: [slow] })),
    );
    expect(results.map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual([
      ["c1", "10"],
      ["c2", "20"],
      ["c3", "30"],
    ]);
    expect(max).toBe(3);
  });

  test("a destructive call waits for approval, and the model is notified", async () => {
    const { tool, runs } = noted("send", { effect: "once" });
    const engine = createEngine({ tools: [tool] });
    const { results } = await runAgent(
      new ScriptedChatModel([calling({ name: "send" }), new AIMessage("It waits.")]),
      toLangChainTools(engine),
    );
    expect(runs).toEqual([]);
    expect(results[0]).toMatchObject({ status: "error", artifact: { error: { code: "approval_required" } } });
    expect(results[0]?.text).toMatch(/A person has to approve this call of send first.*It waits for approval/s);
  });

  test("an allowed destructive call still needs approval, unless its rule says trusted or the conversation is not tainted", async () => {
    const { tool, runs } = noted("send", { effect: "once" });
    const engine = createEngine({ tools: [tool], permissions: { ask: [], allow: ["*"] } });
    const model = () => new ScriptedChatModel([calling({ name: "send" }), new AIMessage("")]);
    await runAgent(model(), toLangChainTools(engine));
    expect(runs).toHaveLength(0);
    await runAgent(model(), toLangChainTools(engine, { tainted: false }));
    expect(runs).toHaveLength(1);
    const trusting = createEngine({ tools: [tool], permissions: { ask: [], allow: ["model:send trusted", "*"] } });
    await runAgent(model(), toLangChainTools(trusting));
    expect(runs).toHaveLength(2);
  });

  test("[S3] a URL of the conversation may be requested, one that the model composed needs approval", async () => {
    const runs: unknown[] = [];
    const tool = defineTool({
      name: "get",
      description: "Gets a page.",
      effect: "read",
      input: z.object({ url: z.string() }),
      targets: { url: "url" },
      run: ({ url }) => runs.push(url) && "see https://b.example/",
    });
    const engine = createEngine({ tools: [tool] });
    const urls = ["https://a.example/", "https://b.example/", "https://b.example/?d=private"];
    const model = new ScriptedChatModel([
      ...urls.map((url) => calling({ name: "get", args: { url } })),
      new AIMessage(""),
    ]);
    const { results } = await runAgent(model, toLangChainTools(engine), {}, "read https://a.example/");
    expect(runs).toEqual(urls.slice(0, 2));
    expect(results.at(-1)).toMatchObject({ artifact: { error: { code: "approval_required" } } });
  });

  test("a tool with the effect once is not retried when it fails", async () => {
    const { tool, runs } = noted("send", { effect: "once", run: () => fail("the line broke") });
    const engine = createEngine({ tools: [tool], permissions: { ask: [], allow: ["*"] } });
    const { results } = await runAgent(
      new ScriptedChatModel([calling({ name: "send" }), new AIMessage("")]),
      toLangChainTools(engine, { tainted: false }),
    );
    expect(runs).toHaveLength(1);
    expect(results[0]?.text).toContain("the line broke");
  });

  test("a call repeated in the same thread has the same idempotency key, a different call has another", async () => {
    const keys: string[] = [];
    const tool = defineTool({
      name: "pay",
      description: "Pays.",
      effect: "idempotent",
      destructive: false,
      input: z.object({ n: z.number() }),
      run: (_, { idempotencyKey }) => void keys.push(idempotencyKey),
    });
    const [pay] = toLangChainTools(createEngine({ tools: [tool] }), { conversationId: "c-1" });
    const call = (id: string, n: number) => pay?.invoke({ type: "tool_call", id, name: "pay", args: { n } });
    await call("call_0", 1);
    await call("call_0", 1);
    await call("call_0", 2);
    await call("call_1", 1);
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(3);
  });

  test("cancelling the run cancels the call, which ends the agent", async () => {
    const started = Promise.withResolvers<void>();
    let cause: unknown;
    const hanging = defineTool({
      name: "hanging",
      description: "Never ends.",
      effect: "read",
      run: (_, { signal }) =>
        new Promise<never>((_resolve, reject) => {
          started.resolve();
          signal.addEventListener("abort", () => {
            cause = signal.reason;
            reject(new Error("stopped"));
          });
        }),
    });
    const engine = createEngine({ tools: [hanging] });
    const model = new ScriptedChatModel([calling({ name: "hanging" }), new AIMessage("never said")]);
    const stop = new AbortController();
    const request = runAgent(model, toLangChainTools(engine), { signal: stop.signal });
    await started.promise;
    stop.abort(new Error("enough"));
    await expect(request).rejects.toThrow(/enough|abort/i);
    await engine.close();
    expect(cause).toMatchObject({ name: "AbortError" });
    expect(model.requested).toHaveLength(1);
    expect((await engine.queryRecords()).records).toMatchObject([{ error: { code: "cancelled" } }]);
  });

  test("names that the API rejects are translated in both directions", async () => {
    const search = defineTool({
      name: "网页搜索",
      description: "搜索网页。",
      effect: "read",
      input: z.object({ 关键词: z.string() }),
      run: ({ 关键词 }) => `找到:${关键词}`,
    });
    const engine = createEngine({ tools: [search] });
    const [tool] = toLangChainTools(engine, { provider: "anthropic" });
    expect(tool?.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(tool?.description).toContain("网页搜索");
    // LangChain types it as any JSON Schema.
    const { properties } = tool!.schema as { properties: object };
    const [key = ""] = Object.keys(properties);
    expect(key).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
    const { results } = await runAgent(
      new ScriptedChatModel([calling({ name: tool?.name ?? "", args: { [key]: "猫" } }), new AIMessage("好")]),
      [tool!],
    );
    expect(results[0]).toMatchObject({ content: "找到:猫", status: "success" });
  });

  test("tool output is data: invisible characters are removed, large outputs are truncated and stored", async () => {
    const evil = defineTool({
      name: "evil",
      description: "Gives hostile output.",
      effect: "read",
      run: () => ({ text: "\u001b[31mred\u202e \u{e0041}hidden", many: "x".repeat(50_000) }),
    });
    const resultStore = new ResultStore();
    const engine = createEngine({ tools: [evil, readResultTool(resultStore)] });
    const { results } = await runAgent(
      new ScriptedChatModel([calling({ name: "evil" }), new AIMessage("")]),
      toLangChainTools(engine, { resultStore, maxChars: 1000, conversationId: "c-1" }),
    );
    const text = results[0]?.text ?? "";
    expect(text.length).toBeLessThanOrEqual(1000);
    expect(text).toContain("red hidden");
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain("\u202e");
    const handle = /result:[\w.:-]+/.exec(text)?.[0];
    const [, read] = toLangChainTools(engine, { conversationId: "c-1" });
    expect(read?.name).toBe("read_result");
    expect(await read?.invoke({ handle, path: "$.many" })).toContain("xxxx");
  });

  test("attachments are named in the text, and complete in the artifact", async () => {
    const draw = defineTool({
      name: "draw",
      description: "Draws.",
      effect: "pure",
      run: () =>
        ok("a picture", { attachments: [{ kind: "image", mimeType: "image/png", data: new Uint8Array([1, 2, 3]) }] }),
    });
    const [tool] = toLangChainTools(createEngine({ tools: [draw] }));
    const message = await tool?.invoke({ type: "tool_call", id: "c", name: "draw", args: {} });
    expect(message).toMatchObject({
      content: "a picture\n[image: image/png, 3 bytes]",
      artifact: { attachments: [{ data: new Uint8Array([1, 2, 3]) }] },
    });
  });

  test("called directly, without a call id, they return their text", async () => {
    const [tool] = toLangChainTools(createEngine({ tools: [add] }));
    expect(await tool?.invoke({ a: 1 })).toBe('{"sum":2}');
    expect(await tool?.invoke({ a: "x" })).toContain("must be a number");
  });

  test("a pattern with exponential backtracking in JavaScript is harmless: only the engine validates", async () => {
    const tool = defineTool({
      name: "match",
      description: "Matches.",
      effect: "pure",
      input: fromJsonSchema({ type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } }),
      run: () => "fits",
    });
    const [match] = toLangChainTools(createEngine({ tools: [tool] }));
    const begun = performance.now();
    expect(await match?.invoke({ text: `${"a".repeat(40)}!` })).toContain("validation_error");
    expect(performance.now() - begun).toBeLessThan(2000);
  });

  test("only the named tools are offered; an unknown name is an error", () => {
    const engine = createEngine({ tools: [add, noted("send").tool] });
    expect(toLangChainTools(engine, { tools: ["add"] }).map(({ name }) => name)).toEqual(["add"]);
    expect(() => toLangChainTools(engine, { tools: ["ad"] })).toThrow('no tool is named "ad"; did you mean "add"?');
  });

  test("progress of a tool is LangChain's tool event", async () => {
    const events: unknown[] = [];
    const tool = defineTool({
      name: "steps",
      description: "Works in steps.",
      effect: "read",
      async *run() {
        yield "half";
        return "whole";
      },
    });
    const [steps] = toLangChainTools(createEngine({ tools: [tool] }));
    const input = await steps?.invoke(
      {},
      { callbacks: [{ handleToolEvent: (chunk: unknown) => void events.push(chunk) }] },
    );
    expect(input).toBe("whole");
    expect(events).toEqual(["half"]);
  });
});
