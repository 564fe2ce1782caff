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

/** Asks an agent of ours whose model is LangChain's. */
async function ask(answers: readonly ChatAnswer[], streaming: boolean) {
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
  test("it calls tools, gets their results paired by id, with its thoughts as they were, and answers", async () => {
    const { chat, result } = await ask([thoughtful(), new AIMessage("It is 3.")], streaming);
    expect(result).toMatchObject({ status: "completed", answer: "It is 3.", rounds: 2 });
    expect(runs).toEqual([[1, 2]]);
    expect(chat.asked[0]?.options.tools).toMatchObject([{ type: "function", function: { name: "add" } }]);
    const [said, told] = chat.asked[1]?.messages.slice(-2) ?? [];
    expect(said).toMatchObject({ type: "ai", content: [thinking, { id: "c1" }], tool_calls: [{ id: "c1" }] });
    expect(told).toMatchObject({ type: "tool", tool_call_id: "c1" });
    expect(told?.text).toContain('{"sum":3}');
  });

  test("a name that no service takes back goes back as one that it does, in all that is kept of the answer", async () => {
    const content = [thinking, { type: "tool_use", id: "c1", name: "a/b", input: {} }];
    const tool_calls = [{ type: "tool_call" as const, id: "c1", name: "a/b", args: {} }];
    const raw = [{ id: "c1", type: "function" as const, function: { name: "a/b", arguments: "{}" } }];
    const odd = new AIMessage({ content, tool_calls, additional_kwargs: { tool_calls: raw } });
    const { chat, result } = await ask([odd, new AIMessage("No.")], streaming);
    expect(result).toMatchObject({ status: "completed", answer: "No." });
    const [said, told] = chat.asked[1]?.messages.slice(-2) ?? [];
    const { name } = told as ToolMessage;
    expect(name).toMatch(/^a_b_0x/);
    expect(said).toMatchObject({ content: [thinking, { id: "c1", name }], tool_calls: [{ id: "c1", name }] });
    expect(JSON.stringify(said)).not.toContain("a/b");
    expect(told?.text).toContain('There is no tool named "a/b"');
  });

  test("a call that was cut off is not run; the model is told, and does better", async () => {
    const cut = [
      new AIMessageChunk({
        content: "",
        tool_call_chunks: [{ type: "tool_call_chunk", id: "c1", name: "add", args: '{"a": 1, "b": 2', index: 0 }],
        response_metadata: { finish_reason: "length" },
      }),
    ];
    const { chat, result } = await ask(
      [cut, calling({ name: "add", args: { a: 3, b: 4 }, id: "c2" }), new AIMessage("7")],
      streaming,
    );
    expect(result).toMatchObject({ status: "completed", answer: "7" });
    expect(runs).toEqual([[3, 4]]);
    const [said, told] = chat.asked[1]?.messages.slice(-2) ?? [];
    expect(said).toMatchObject({ tool_calls: [{ id: "c1", args: {} }] });
    expect(told as ToolMessage).toMatchObject({ tool_call_id: "c1", status: "error" });
  });

  test("arguments that do not fit are told of, and corrected", async () => {
    const { chat, result } = await ask(
      [
        calling({ name: "add", args: { a: "one" }, id: "c1" }),
        calling({ name: "add", args: { a: 1, b: 2 }, id: "c2" }),
        new AIMessage("3"),
      ],
      streaming,
    );
    expect(result.answer).toBe("3");
    expect(chat.asked[1]?.messages.at(-1)?.text).toContain('a must be a number, got "one"');
  });

  test("calls without ids, of several turns, are told apart", async () => {
    const nameless = (a: number) =>
      new AIMessage({ content: "", tool_calls: [{ type: "tool_call", name: "add", args: { a, b: a } }] });
    const { chat, result } = await ask([nameless(1), nameless(2), new AIMessage("done")], streaming);
    expect(result.status).toBe("completed");
    expect(runs).toEqual([
      [1, 1],
      [2, 2],
    ]);
    const results = (chat.asked[2]?.messages ?? []).filter(({ type }) => type === "tool") as ToolMessage[];
    expect(new Set(results.map(({ tool_call_id }) => tool_call_id)).size).toBe(2);
    const calls = (chat.asked[2]?.messages ?? []).flatMap((message) => (message as AIMessage).tool_calls ?? []);
    expect(calls.map(({ id }) => id)).toEqual(results.map(({ tool_call_id }) => tool_call_id));
  });
});
