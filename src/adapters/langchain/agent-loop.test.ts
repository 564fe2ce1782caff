import { AIMessage, AIMessageChunk, type ToolMessage } from "@langchain/core/messages";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../agent/index.ts";
import { createEngine } from "../../engine/index.ts";
import { defineTool } from "../../tool/index.ts";
import { type ChatAnswer, ScriptedChatModel, calling } from "../../../test/support/scripted-chat-model.ts";
import { fromLangChainModel } from "./index.ts";

const runs: unknown[] = [];
const add = defineTool({
  name: "add",
  description: "Adds two numbers.",
  effect: "read",
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => {
    runs.push([a, b]);
    return { sum: a + b };
  },
});

/** Sends a prompt to a Windlass agent with a LangChain model. */
async function runAgent(answers: readonly ChatAnswer[], streaming: boolean) {
  runs.length = 0;
  const chat = new ScriptedChatModel(answers);
  const agent = createAgent({ engine: createEngine({ tools: [add] }), model: fromLangChainModel(chat) });
  const result = await agent.run("What is 1 + 2?", streaming ? { onEvent: () => undefined } : {});
  return { chat, result };
}

const thinking = { type: "thinking", thinking: "I add.", signature: "sig" };
const thoughtful = (): AIMessage =>
  new AIMessage({
    content: [thinking, { type: "tool_use", id: "c1", name: "add", input: { a: 1, b: 2 } }],
    tool_calls: [{ type: "tool_call", id: "c1", name: "add", args: { a: 1, b: 2 } }],
  });

describe.each([
  ["streaming", true],
  ["not streaming", false],
])("[E07] a chat model of LangChain drives our loop through bindTools, %s", (_, streaming) => {
  test("it calls tools, gets their results paired by id, with its reasoning unchanged, and answers", async () => {
    const { chat, result } = await runAgent([thoughtful(), new AIMessage("It is 3.")], streaming);
    expect(result).toMatchObject({ status: "completed", answer: "It is 3.", rounds: 2 });
    expect(runs).toEqual([[1, 2]]);
    expect(chat.requested[0]?.options.tools).toMatchObject([{ type: "function", function: { name: "add" } }]);
    const [text, reported] = chat.requested[1]?.messages.slice(-2) ?? [];
    expect(text).toMatchObject({ type: "ai", content: [thinking, { id: "c1" }], tool_calls: [{ id: "c1" }] });
    expect(reported).toMatchObject({ type: "tool", tool_call_id: "c1" });
    expect(reported?.text).toContain('{"sum":3}');
  });

  test("a tool name that the service would reject is replaced by a valid one in the whole stored response", async () => {
    const content = [thinking, { type: "tool_use", id: "c1", name: "a/b", input: {} }];
    const tool_calls = [{ type: "tool_call" as const, id: "c1", name: "a/b", args: {} }];
    const raw = [{ id: "c1", type: "function" as const, function: { name: "a/b", arguments: "{}" } }];
    const odd = new AIMessage({ content, tool_calls, additional_kwargs: { tool_calls: raw } });
    const { chat, result } = await runAgent([odd, new AIMessage("No.")], streaming);
    expect(result).toMatchObject({ status: "completed", answer: "No." });
    const [text, reported] = chat.requested[1]?.messages.slice(-2) ?? [];
    const { name } = reported as ToolMessage;
    expect(name).toMatch(/^a_b_0x/);
    expect(text).toMatchObject({ content: [thinking, { id: "c1", name }], tool_calls: [{ id: "c1", name }] });
    expect(JSON.stringify(text)).not.toContain("a/b");
    expect(reported?.text).toContain('There is no tool named "a/b"');
  });

  test("a truncated call is not run; the model is notified and corrects it", async () => {
    const cut = [
      new AIMessageChunk({
        content: "",
        tool_call_chunks: [{ type: "tool_call_chunk", id: "c1", name: "add", args: '{"a": 1, "b": 2', index: 0 }],
        response_metadata: { finish_reason: "length" },
      }),
    ];
    const { chat, result } = await runAgent(
      [cut, calling({ name: "add", args: { a: 3, b: 4 }, id: "c2" }), new AIMessage("7")],
      streaming,
    );
    expect(result).toMatchObject({ status: "completed", answer: "7" });
    expect(runs).toEqual([[3, 4]]);
    const [text, reported] = chat.requested[1]?.messages.slice(-2) ?? [];
    expect(text).toMatchObject({ tool_calls: [{ id: "c1", args: {} }] });
    expect(reported as ToolMessage).toMatchObject({ tool_call_id: "c1", status: "error" });
  });

  test("invalid arguments are reported to the model, which corrects them", async () => {
    const { chat, result } = await runAgent(
      [
        calling({ name: "add", args: { a: "one" }, id: "c1" }),
        calling({ name: "add", args: { a: 1, b: 2 }, id: "c2" }),
        new AIMessage("3"),
      ],
      streaming,
    );
    expect(result.answer).toBe("3");
    expect(chat.requested[1]?.messages.at(-1)?.text).toContain('a must be a number, got "one"');
  });

  test("calls without ids in several turns are distinguished", async () => {
    const nameless = (a: number) =>
      new AIMessage({ content: "", tool_calls: [{ type: "tool_call", name: "add", args: { a, b: a } }] });
    const { chat, result } = await runAgent([nameless(1), nameless(2), new AIMessage("done")], streaming);
    expect(result.status).toBe("completed");
    expect(runs).toEqual([
      [1, 1],
      [2, 2],
    ]);
    const results = (chat.requested[2]?.messages ?? []).filter(({ type }) => type === "tool") as ToolMessage[];
    expect(new Set(results.map(({ tool_call_id }) => tool_call_id)).size).toBe(2);
    const calls = (chat.requested[2]?.messages ?? []).flatMap((message) => (message as AIMessage).tool_calls ?? []);
    expect(calls.map(({ id }) => id)).toEqual(results.map(({ tool_call_id }) => tool_call_id));
  });
});
