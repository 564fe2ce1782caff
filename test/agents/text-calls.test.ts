import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type AgentEvent, createAgent } from "../../src/agent/index.ts";
import { createEngine } from "../../src/engine/index.ts";
import { type Model, openModel } from "../../src/model/index.ts";
import { createHttpClient } from "../../src/net/index.ts";
import { type ModelServer, type ModelServerResponse, modelServer, scriptedModel } from "../../src/testing.ts";
import { defineTool } from "../../src/tool/index.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function serve(name: string, script: readonly ModelServerResponse[]): Promise<[Model, ModelServer]> {
  const server = await modelServer(script);
  const http = createHttpClient({ allow: [server.host] });
  closers.push(
    () => server.close(),
    () => http.close(),
  );
  return [openModel({ name, baseUrl: server.baseUrls.openai, apiKey: "k" }, { http }), server];
}

const search = defineTool({
  name: "search",
  description: "Searches.",
  effect: "read",
  input: z.object({ query: z.string(), limit: z.number().optional() }),
  run: (input) => `found ${JSON.stringify(input)}`,
});

const forms: readonly [string, string][] = [
  ["Hermes", '<tool_call>\n{"name": "search", "arguments": {"query": "12", "limit": 3}}\n</tool_call>'],
  ["Hermes, without an end", 'I look.\n<tool_call>{"name": "search", "arguments": {"query": "12", "limit": 3}}'],
  [
    "arguments as text",
    String.raw`<tool_call>{"name":"search","arguments":"{\"query\":\"12\",\"limit\":3}"}</tool_call>`,
  ],
  [
    "GLM",
    "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>12</arg_value>\n<arg_key>limit</arg_key>\n<arg_value>3</arg_value>\n</tool_call>",
  ],
  [
    "Qwen Coder",
    "I look.\n\n<tool_call>\n<function=search>\n<parameter=query>\n12\n</parameter>\n<parameter=limit>\n3\n</parameter>\n</function>\n</tool_call>",
  ],
];

describe.each(["qwen3-32b", "hermes-3"])("[H19] tool calls that %s writes as text", (name) => {
  test.each(forms)("are made: %s", async (_, text) => {
    for (const streams of [true, false]) {
      const [model, server] = await serve(name, [{ text, wire: { chunkChars: 5 } }, "Done."]);
      const events: AgentEvent[] = [];
      const agent = createAgent({ engine: createEngine({ tools: [search] }), model });
      const result = await agent.run("Look.", streams ? { onEvent: (event) => void events.push(event) } : {});
      expect(result).toMatchObject({ status: "completed", answer: "Done.", notices: [] });
      expect(JSON.stringify(server.requests[1]?.body)).toContain(String.raw`found {\"query\":\"12\",\"limit\":3}`);
      expect(JSON.stringify(events)).not.toContain("tool_call>");
      server.assertComplete();
    }
  });

  test("are made in their order, several in one response", async () => {
    const one = (query: string): string => `<tool_call>{"name":"search","arguments":{"query":"${query}"}}</tool_call>`;
    const [model] = await serve(name, [`${one("a")}\n${one("b")}\n`, "Done."]);
    const result = await createAgent({ engine: createEngine({ tools: [search] }), model }).run("Look.");
    expect(result.toolUsageSummary.toolUsage).toEqual({ search: 2 });
  });

  test.each([
    'A call looks like this: <tool_call>{"name": "search", "arguments": {}}</tool_call>, for example.',
    'A call looks like this: <tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>',
    'Write:\n```\n<tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>\n```',
    'It is <tool_call>{"name": "delete_everything", "arguments": {}}</tool_call>',
    "<tool_call> is a tag.",
    "<tool_call>",
    "The tag is <tool_",
  ])("are text if they are an example, or name no offered tool: %j", async (text) => {
    for (const options of [{}, { onEvent: () => {} }]) {
      const [model] = await serve(name, [{ text, wire: { chunkChars: 5 } }]);
      const agent = createAgent({ engine: createEngine({ tools: [search] }), model });
      expect(await agent.run("How?", options)).toMatchObject({ status: "completed", answer: text, notices: [] });
    }
  });
});

describe("[H19] tool calls that other models write as text", () => {
  const text = '<tool_call>{"name": "search", "arguments": {"query": "12"}}</tool_call>';

  test("are reported to the model, which then makes them", async () => {
    const [model, server] = await serve("gpt-5", [
      text,
      { toolCalls: [{ name: "search", args: { query: "12" } }] },
      "Done.",
    ]);
    const agent = createAgent({ engine: createEngine({ tools: [search] }), model });
    expect(await agent.run("Look.")).toMatchObject({ status: "completed", answer: "Done.", notices: [] });
    expect(JSON.stringify(server.requests[1]?.body)).toMatch(/was not made: you wrote it as text/);
  });

  test("are an answer with a notice if the model insists", async () => {
    const [model] = await serve("gpt-5", [text, text]);
    const agent = createAgent({ engine: createEngine({ tools: [search] }), model });
    const result = await agent.run("Look.");
    expect(result).toMatchObject({ status: "completed", answer: text });
    expect(result.notices).toEqual(["the answer contains a tool call that the model wrote as text; it was not made"]);
  });

  test("are an answer of a model without tools", async () => {
    const [model] = await serve("qwen3-32b", [text]);
    const agent = createAgent({ engine: createEngine({ tools: [search] }), model, runner: "llm" });
    expect(await agent.run("Look.")).toMatchObject({ status: "completed", answer: text });
  });
});

test("[H19] an answer that a content filter ended has a notice", async () => {
  const script = [{ text: "The beginning of", finishReason: "content-filter" as const }];
  const engine = createEngine({});
  const result = await createAgent({ engine, model: scriptedModel(script) }).run("Tell me.");
  expect(result).toMatchObject({ status: "completed", answer: "The beginning of" });
  expect(result.notices).toEqual(["the answer was cut off by a content filter of the model's service"]);
});
