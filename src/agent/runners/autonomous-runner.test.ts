import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentWorld, runsOver, specOf } from "../../../test/support/agent-fixture.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { folderWith } from "../../../test/support/workspace.ts";
import { fail } from "../../base/index.ts";
import { createEngine } from "../../engine/index.ts";
import { type ScriptedModel, scriptedModel } from "../../testing/index.ts";
import type { AgentEvent } from "../events/agent-event.ts";
import { createAgent } from "../create-agent.ts";
import type { ConversationMessage } from "../events/message.ts";

function apiError(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), {
    statusCode,
    responseHeaders: {},
    responseBody: JSON.stringify({ error: { message } }),
  });
}

const noTools = apiError(400, "registry/gemma:2b does not support tools");
const broken = apiError(400, "cannot parse the conversation");

const look = { toolCalls: [{ name: "look", args: {}, id: "c1" }] };

function lastText(model: ScriptedModel, index: number): string {
  return JSON.stringify(model.calls[index]?.prompt.at(-1));
}

describe("[E10] autonomous falls back to planned", () => {
  test("if the model does not support tools: it plans with text, and answers", async () => {
    const engine = createEngine({ tools: [sampleTool(() => "a tide mill", { name: "look" })] });
    const model = scriptedModel([noTools, '{"calls":[{"tool":"look","args":{}}]}', "It is a mill."]);
    const result = await createAgent({ engine, model }).run("What is it?");
    model.assertComplete();
    expect(result).toMatchObject({ status: "completed", answer: "It is a mill.", runner: "autonomous" });
    expect(result.notices).toEqual([
      expect.stringMatching(/^the loop broke .*does not support tools.*a plan is tried instead$/u),
      expect.stringMatching(/^the model does not support tools.*the runner llm/u),
      "the plan led to the answer",
    ]);
    expect(model.calls.slice(1).every(({ tools }) => tools === undefined)).toBe(true);
    expect(lastText(model, 2)).toContain("a tide mill");
  });

  test("if the loop fails half-way: tool results remain, and nothing runs twice", async () => {
    let sent = 0;
    let looked = 0;
    const tools = [
      sampleTool(() => ++looked && "a tide mill", { name: "look" }),
      sampleTool(() => ++sent, { name: "send", effect: "once", destructive: false }),
    ];
    const model = scriptedModel([
      { toolCalls: [{ name: "send", args: { to: "x" }, id: "c0" }, ...look.toolCalls] },
      broken,
      // The plan repeats the same calls.
      { toolCalls: [{ name: "send", args: { to: "x" } }, ...look.toolCalls] },
      "It is a mill, and was sent.",
    ]);
    const history: ConversationMessage[] = [
      { role: "user", content: [{ type: "text", text: "Hello" }] },
      { role: "assistant", content: [{ type: "text", text: "Hi." }] },
    ];
    const events: AgentEvent[] = [];
    const result = await createAgent({ engine: createEngine({ tools }), model }).run("What is it? Send it.", {
      history,
      onEvent: (event) => events.push(event),
    });
    model.assertComplete();
    expect(result).toMatchObject({ status: "completed", answer: "It is a mill, and was sent." });
    expect([looked, sent]).toEqual([1, 1]);
    const text = lastText(model, 3);
    expect(text).toMatch(/1\. send.{1,5}\\n1\\n/u);
    expect(text).toMatch(/2\. look.{1,5}\\na tide mill/u);
    expect(text).not.toContain("same call");
    // The conversation is complete: the history, the prompt, the answer; no call without its result.
    expect(result.messages.slice(0, 2)).toEqual(history);
    expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(events.filter(({ type }) => type === "notice")).toHaveLength(2);
    expect(result.toolUsageSummary.totalCalls).toBe(2);
  });

  test("if the model answers nothing, twice", async () => {
    const engine = createEngine({ tools: [sampleTool(() => "x", { name: "look" })] });
    const model = scriptedModel([{ text: "" }, { text: "" }, { text: "" }, "Here I am."]);
    expect(await createAgent({ engine, model }).run("hi")).toMatchObject({ status: "completed", answer: "Here I am." });
  });

  test("if it keeps calling tools that it may no longer call", async () => {
    const engine = createEngine({ tools: [sampleTool(({ n }) => `mill ${String(n)}`, { name: "look" })] });
    const again = (n: number): object => ({ toolCalls: [{ name: "look", args: { n } }] });
    const model = scriptedModel([...[1, 2, 3].map(again), { text: "" }, "Mills."]);
    const result = await createAgent({ engine, model, maxRounds: 1 }).run("hi");
    model.assertComplete();
    expect(result).toMatchObject({ status: "completed", answer: "Mills." });
    expect(lastText(model, 4)).toContain("mill 1");
  });

  test.each<readonly [string, readonly Error[], object]>([
    ["the key is not accepted", [apiError(401, "bad key")], { reason: "unauthorized" }],
    ["it is forbidden", [apiError(403, "not you")], { reason: "unauthorized" }],
    ["there is no such model", [apiError(404, "no model x")], { reason: "provider_error" }],
    ["it has to be paid for", [apiError(402, "pay")], { reason: "provider_error" }],
    ["the question is too long", [apiError(413, "too long")], { reason: "too_long" }],
    ["the quota is used up", [apiError(429, "insufficient_quota")], { reason: "rate_limited" }],
    ["the server is broken", Array.from({ length: 3 }, () => apiError(500, "oops")), { reason: "provider_error" }],
    ["the address is not open", [fail("no", { code: "permission_denied", reason: "ssrf_ip" })], { reason: "ssrf_ip" }],
    ["nobody is there", [fail("no", { code: "not_available", reason: "tls_failed" })], { reason: "tls_failed" }],
    ["the answer is too large", [fail("16 MiB", { reason: "too_large" })], { reason: "too_large" }],
    ["it takes too long", [fail("slow", { code: "timeout" })], { code: "timeout" }],
    ["the client is broken", [new TypeError("x is not a function")], { reason: "provider_error" }],
  ])("it does not fall back if %s", async (_why, errors, error) => {
    const engine = createEngine({ tools: [sampleTool(() => "x", { name: "look" })] });
    for (const before of [[], [look]]) {
      const model = scriptedModel([...before, ...errors]);
      const result = await createAgent({ engine, model }).run("hi");
      expect(result).toMatchObject({ status: "failed", error, notices: [] });
      expect(model.calls).toHaveLength(before.length + errors.length);
    }
  });

  test("it does not fall back if the service does not understand the prompt itself: a plan would send the same", async () => {
    const engine = createEngine({ tools: [sampleTool(() => "x", { name: "look" })] });
    const model = scriptedModel([broken]);
    const result = await createAgent({ engine, model }).run("hi");
    expect(result).toMatchObject({ status: "failed", error: { reason: "provider_error" }, notices: [] });
    expect(model.calls).toHaveLength(1);
  });

  test("it does not fall back if a model whose name mentions tools does not exist", async () => {
    const engine = createEngine({ tools: [sampleTool(() => "x", { name: "look" })] });
    const missing = apiError(404, 'model "llama3-groq-tool-use:8b" not found');
    for (const modelId of ["tools", "llama3-groq-tool-use:8b"]) {
      const model = scriptedModel([missing], { modelId });
      expect(await createAgent({ engine, model }).run("hi")).toMatchObject({ status: "failed", notices: [] });
      expect(model.calls).toHaveLength(1);
    }
    // Some services report it with the same status.
    const refusal = apiError(404, "No endpoints found that support tool use");
    const model = scriptedModel([refusal, '{"calls":[]}', "Hello."]);
    expect(await createAgent({ engine, model }).run("hi")).toMatchObject({ status: "completed", answer: "Hello." });
  });

  test("it does not fall back if it was offered no tools: a plan would send the same request", async () => {
    const model = scriptedModel([{ text: "" }, { text: "" }, "Late."]);
    const result = await createAgent({ engine: createEngine({ tools: [] }), model }).run("hi");
    expect(result).toMatchObject({ status: "failed", error: { reason: "invalid_output" }, notices: [] });
    expect(model.calls).toHaveLength(2);
  });

  test("it does not fall back if a filter refuses, or the budget is used up", async () => {
    const engine = createEngine({ tools: [sampleTool(() => "x", { name: "look" })] });
    const filtered = scriptedModel([{ text: "", finishReason: "content-filter" }]);
    expect(await createAgent({ engine, model: filtered }).run("hi")).toMatchObject({
      status: "failed",
      error: { reason: "refused" },
    });
    const spending = scriptedModel([{ ...look, usage: { inputTokens: 900, outputTokens: 200 } }]);
    const result = await createAgent({ engine, model: spending, tokenBudget: 1000 }).run("hi");
    expect(result).toMatchObject({ status: "failed", error: { reason: "budget_exceeded" }, notices: [] });
  });

  test("it does not fall back if it is cancelled", async () => {
    const engine = createEngine({ tools: [sampleTool(() => "x", { name: "look" })] });
    const controller = new AbortController();
    const model = scriptedModel([look, { text: "never", delayMs: Infinity }]);
    const running = createAgent({ engine, model }).run("hi", {
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === "round-started" && event.round === 2) setImmediate(() => controller.abort());
      },
    });
    expect(await running).toMatchObject({ status: "cancelled", notices: [] });
    expect(model.calls).toHaveLength(2);
  });

  test("a fallback that fails as well is a named failure", async () => {
    const engine = createEngine({ tools: [sampleTool(() => "x", { name: "look" })] });
    const result = await createAgent({ engine, model: scriptedModel([noTools, broken]) }).run("hi");
    expect(result).toMatchObject({ status: "failed", error: { reason: "provider_error" } });
    expect(result.notices).toEqual([
      expect.stringContaining("a plan is tried instead"),
      expect.stringContaining("the model does not support tools"),
      expect.stringMatching(/^the plan failed as well \(.*cannot parse/u),
    ]);
  });

  test("a run that fell back and is suspended resumes in another process", async () => {
    let removed = 0;
    const tools = [
      sampleTool(() => "a mill", { name: "look" }),
      sampleTool(() => ++removed, { name: "remove", effect: "once" }),
    ];
    const file = join(await folderWith({}), "journal.db");
    const plan = { toolCalls: [{ name: "remove", args: {} }] };
    const first = await runsOver(file, { engine: createEngine({ tools }), model: scriptedModel([look, broken, plan]) });
    const waiting = await first.runs.start(specOf("autonomous"), "go");
    expect(waiting).toMatchObject({ status: "waiting", approvals: [{ tool: "remove" }] });
    await first.close();
    const model = scriptedModel(["Gone."]);
    const second = await runsOver(file, { engine: createEngine({ tools }), model });
    await second.runs.approvals.decide(waiting.approvals?.[0]?.id ?? "", { approved: true }, Date.now());
    const result = await second.runs.resume(waiting.runId);
    expect(result).toMatchObject({ status: "completed", answer: "Gone." });
    expect(result.notices).toEqual([...waiting.notices, "the plan led to the answer"]);
    expect(removed).toBe(1);
    expect(lastText(model, 0)).toContain("a mill");
    model.assertComplete();
  });

  test("commands are text for it, also in the plan, and a notice names the runner that handles them", async () => {
    const { engine } = await agentWorld();
    const text = "@memory was taken as text: only the planned runner executes commands";
    for (const runner of ["autonomous", "llm", "crew"]) {
      const plan = '{"steps":[{"description":"answer"}]}';
      const model = scriptedModel([...(runner === "crew" ? [plan] : []), "I know."]);
      const result = await createAgent({ engine, model, runner }).run("@memory the quay closes at six");
      expect([result.status, result.notices, result.toolUsageSummary.totalCalls]).toEqual(["completed", [text], 0]);
    }
    const model = scriptedModel([noTools, '{"calls":[]}', "I know."]);
    const result = await createAgent({ engine, model }).run("@memory the quay closes at six");
    expect([result.status, result.notices[0], result.toolUsageSummary.totalCalls]).toEqual(["completed", text, 0]);
  });

  test("[E15] the runner is chosen by its name, and an unknown name lists the runners that exist", async () => {
    const { engine } = await agentWorld();
    const model = scriptedModel(["x"]);
    for (const runner of ["autonomous", "planned", "vault", "project", "crew", "llm"]) {
      expect(createAgent({ engine, model, runner }).spec.runner).toBe(runner);
    }
    expect(() => createAgent({ engine, model, runner: "planed" })).toThrow(/did you mean planned\?/u);
  });
});
