import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import { ResultStore } from "../../hub/index.ts";
import { type Model, fallbackModel, modelFailure } from "../../model/index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import type { AgentEvent } from "../events/agent-event.ts";
import { createAgent } from "../create-agent.ts";
import type { CustomRunner } from "../custom-runner.ts";

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
      const resultStore = way === "with a shelf" ? { resultStore: new ResultStore() } : {};
      const model = scriptedModel((call) => {
        if (call.tools !== undefined && model.calls.length === 1) return { toolCalls: [{ name: "look", args: {} }] };
        return runner === "crew" && model.calls.length === 1 ? JSON.stringify({ steps }) : "done";
      });
      const result = await createAgent({ engine: engineWith(output), model, runner, ...resultStore }).run("look");
      expect(result).toMatchObject({ status: "completed", toolUsageSummary: { toolUsage: { look: 1 } } });
      expect(model.calls.length).toBeGreaterThan(1);
      expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toContain(key);
      expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain("[redacted]");
      expect(JSON.stringify(result.messages)).not.toContain(key);
    }
  });

  test("reaches no model, neither from the user, nor from the instructions, nor from the history", async () => {
    const model = scriptedModel(["one", "two"]);
    const agent = createAgent({ engine: engineWith("x"), model, runner: "llm", instructions: `never say ${key}` });
    const first = await agent.run(`is it ${key}?`);
    await agent.run("and now?", { history: first.messages });
    expect(JSON.stringify(model.calls)).not.toContain(key);
    expect(JSON.stringify(model.calls[1]?.prompt)).toMatch(/never say \[redacted\].*is it \[redacted\]\?/);
    // The messages stay unchanged.
    expect(JSON.stringify(first.messages)).toContain(key);
  });

  test("is not revealed if a model's server quotes it", async () => {
    const quoting = scriptedModel(() => Promise.reject(modelFailure("unauthorized", `the key ${key} is wrong`)));
    const events: AgentEvent[] = [];
    const onEvent = (event: AgentEvent): unknown => events.push(event);
    const engine = engineWith("x");
    const failed = await createAgent({ engine, model: quoting, runner: "llm" }).run("hi", { onEvent });
    expect(failed).toMatchObject({ status: "failed", error: { reason: "unauthorized" } });
    expect(failed.error?.message).toContain("the key [redacted] is wrong");
    const words = "x ".repeat(145);
    const long = scriptedModel(() => Promise.reject(new Error(`${words}${key} is wrong`)));
    const cut = await createAgent({ engine, model: long, runner: "llm" }).run("hi", { onEvent });
    expect(cut.error?.message).toMatch(/x x…$/);
    const both: Model = fallbackModel([quoting, scriptedModel(["done"])]);
    const helped = await createAgent({ engine, model: both, runner: "llm" }).run("hi", { onEvent });
    expect(helped).toMatchObject({ status: "completed", answer: "done" });
    expect(helped.notices.join(" ")).toContain("the key [redacted] is wrong");
    expect(JSON.stringify([failed, helped, events])).not.toContain(key);
  });
});

describe("a secret that is an ordinary word", () => {
  const words = ["user", "text", "tool", "notes", "answer", "work", "main", "string", "c-17", "query", "completed"];
  test.each(words)("%s leaves the conversation and its result unchanged", async (word) => {
    const properties = { query: { type: "string", description: `of the ${word}` } };
    const input = fromJsonSchema({ type: "object", properties });
    const tool = sampleTool(() => ({ user: "u", text: [`a ${word} b`] }), { name: "work", input });
    const runWith = async (secrets: Record<string, string>) => {
      const call = { name: "work", args: { query: `for ${word} now` }, id: "c-17" };
      const model = scriptedModel([{ toolCalls: [call] }, `it is ${word}!`]);
      const agent = createAgent({ engine: createEngine({ tools: [tool], secrets }), model });
      const { runId: _run, conversationId: _id, durationMs: _ms, ...result } = await agent.run(`what of ${word}?`);
      return { result, calls: model.calls.map(({ prompt, tools }) => ({ prompt, tools })) };
    };
    const { result, calls } = await runWith({ DB_USER: word });
    const open = await runWith({});
    expect(result).toMatchObject({ status: "completed", answer: "it is [redacted]!", notices: [] });
    // Without the messages, the result is the same as if nothing were secret.
    const blank = (value: unknown): string =>
      JSON.stringify(value, (name, item: unknown) =>
        ["text", "content", "value", "answer", "query", "description"].includes(name) && typeof item === "string"
          ? ""
          : item,
      );
    expect(blank(calls)).toBe(blank(open.calls));
    const { messages: _messages, ...reported } = result;
    const { messages: _others, ...others } = open.result;
    expect(blank(reported)).toBe(blank(others));
    const [, , second] = calls[1]?.prompt ?? [];
    expect(second?.content).toMatchObject([
      { type: "tool-call", toolCallId: "c-17", toolName: "work", input: { query: "for [redacted] now" } },
    ]);
  });

  test("leaves files and signed reasoning unchanged, which would be invalid otherwise", async () => {
    const engine = createEngine({ tools: [], secrets: { PIN: "AAAB", WORD: "think" } });
    const model = scriptedModel(["ok"]);
    const signed = {
      type: "reasoning" as const,
      text: "I think",
      providerOptions: { anthropic: { signature: "AAAB" } },
    };
    const history = [
      { role: "user" as const, content: [{ type: "text" as const, text: "think" }] },
      { role: "assistant" as const, content: [signed, { type: "text" as const, text: "fine" }] },
    ];
    const data = "iVBORw0KGgoAAAABAAAA";
    await createAgent({ engine, model }).run("look", { history, images: [{ mimeType: "image/png", data }] });
    const text = JSON.stringify(model.calls[0]?.prompt);
    expect(text).toContain(data);
    expect(text).toContain(JSON.stringify(signed));
    expect(text).not.toContain('"text":"think"');
  });
});

test("[N08] secrets in the description of a tool, or in the schema of an answer, reach no model", async () => {
  const input = fromJsonSchema({
    type: "object",
    description: `${key} 1`,
    properties: {
      description: { type: "string", description: `${key} 2`, default: key, examples: [`x ${key}`] },
      list: { type: "array", items: { anyOf: [{ title: `${key} 3`, type: "string" }] } },
    },
  });
  const tool = sampleTool(() => "x", { name: "look", description: `it opens with ${key}`, input });
  const model = scriptedModel(["done"]);
  await createAgent({ engine: createEngine({ tools: [tool], secrets: { KEY: key } }), model }).run("hi");
  expect(JSON.stringify(model.calls[0]?.tools)).toContain("it opens with [redacted]");
  expect(JSON.stringify(model.calls)).not.toContain(key);
});

test("a result without secrets is returned unchanged, at once", async () => {
  const output = { big: Array.from({ length: 50 }, (_, at) => at) };
  const model = scriptedModel([{ toolCalls: [{ name: "look", args: {} }] }, "done"]);
  const engine = createEngine({ tools: [sampleTool(() => output, { name: "look" })] });
  const result = await createAgent({ engine, model }).run("look");
  expect(JSON.stringify(result.messages)).toContain(JSON.stringify(JSON.stringify(output)).slice(1, -1));
  expect(engine.redactor.known(output)).toBe(output);
});

test("[N08] a result reveals no secret that the engine knows; the messages of the conversation stay unchanged", async () => {
  const runner: CustomRunner = {
    name: "own",
    // oxlint-disable-next-line require-yield -- this runner requests nothing
    *run(work) {
      work.notice(`noted ${key}`);
      return { answer: `it is ${key}`, sources: [{ title: key, location: "a.md" }] };
    },
  };
  const reported = await createAgent({ engine: engineWith("x"), runner, model: scriptedModel([]) }).run("what is it?");
  expect(reported).toMatchObject({ answer: "it is [redacted]", notices: ["noted [redacted]"] });
  expect(JSON.stringify(reported.sources)).not.toContain(key);
  const breaks: CustomRunner = {
    name: "breaks",
    run() {
      throw new Error(`no ${key}`);
    },
  };
  const broke = await createAgent({ engine: engineWith("x"), runner: breaks, model: scriptedModel([]) })
    .run("?")
    .catch((error: unknown) => ({ error }));
  expect(JSON.stringify(broke)).not.toContain(key);
});
