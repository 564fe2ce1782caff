import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { SpanKind, SpanStatusCode, type Tracer, context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { folderWith } from "../../../test/support/workspace.ts";
import { agentTool, createAgent } from "../../agent/index.ts";
import { runChain } from "../../chain/index.ts";
import { createEngine } from "../../engine/index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { defineTool } from "../../tool/index.ts";
import { flushSpans, traceEngine } from "./trace-engine.ts";

const add = defineTool({
  name: "add",
  description: "Adds two numbers",
  effect: "pure",
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => ({ sum: a + b }),
});
const fails = defineTool({
  name: "fails",
  description: "Fails",
  effect: "read",
  run: () => Promise.reject(new Error("the pass is hunter2secret")),
});

let exporter = new InMemorySpanExporter();

describe("with a provider", () => {
  beforeEach(() => {
    exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    trace.setGlobalTracerProvider(provider);
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  });

  afterEach(() => {
    trace.disable();
    context.disable();
  });

  test("[S16] names of spans and their attributes hold no secret", async () => {
    const engine = createEngine({ tools: [add], secrets: { KEY: "hunter2secret" } });
    traceEngine(engine);
    await engine.call("hunter2secret", {}, { conversationId: "hunter2secret", callerId: "hunter2secret" });
    const [span] = exporter.getFinishedSpans();
    expect(span?.name).toBe("execute_tool [redacted]");
    expect(JSON.stringify([span?.name, span?.attributes, span?.status])).not.toContain("hunter2secret");
  });

  test("a call is a span by the conventions", async () => {
    const engine = createEngine({ tools: [add] });
    const tracing = traceEngine(engine);
    const result = await engine.call("add", { a: 1, b: 2 }, { conversationId: "talk" });
    expect(tracing.active).toBe(true);
    const [span, ...rest] = exporter.getFinishedSpans();
    expect(rest).toEqual([]);
    expect(span).toMatchObject({ name: "execute_tool add", kind: SpanKind.INTERNAL });
    expect(span?.status.code).toBe(SpanStatusCode.UNSET);
    expect(span?.instrumentationScope.name).toBe("windlass");
    expect(span?.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "add",
      "gen_ai.tool.type": "function",
      "gen_ai.conversation.id": "talk",
      "windlass.call.id": result.meta.callId,
      "windlass.caller.type": "direct",
    });
  });

  test("a failure has its code as the type, and no secret in its message", async () => {
    const engine = createEngine({ tools: [fails], secrets: { PASS: "hunter2secret" } });
    traceEngine(engine, { captureContent: true });
    await engine.call("fails", {}, { maxRetries: 0 });
    const span = spanOf("execute_tool fails");
    expect(span.attributes).toMatchObject({ "error.type": "execution_error" });
    expect(span.status).toMatchObject({ code: SpanStatusCode.ERROR });
    expect(JSON.stringify([span.status, span.attributes])).not.toContain("hunter2secret");
  });

  test("calls that never reach their handler have spans too: denied, unknown, cached, waiting for approval", async () => {
    const cached = defineTool({ ...add, name: "cached", cache: { ttlMs: 60_000 } });
    const harm = defineTool({ name: "harm", description: "x", effect: "once", run: () => 1 });
    const engine = createEngine({ tools: [add, cached, harm], permissions: { ask: ["harm"], allow: ["*"] } });
    traceEngine(engine);
    await engine.call("add", { a: "one" });
    await engine.call("ad", {});
    await engine.call("cached", { a: 1, b: 1 });
    await engine.call("cached", { a: 1, b: 1 });
    await engine.call("harm", {});
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name }) => name)).toEqual([
      "execute_tool add",
      "execute_tool ad",
      "execute_tool cached",
      "execute_tool cached",
      "execute_tool harm",
    ]);
    expect(spans[0]?.attributes["error.type"]).toBe("validation_error");
    expect(spans[1]?.attributes["error.type"]).toBe("tool_not_found");
    expect(spans[3]?.attributes["windlass.cached"]).toBe(true);
    expect(spans[4]?.attributes).not.toHaveProperty("error.type");
    expect(spans[4]?.attributes["windlass.approval.id"]).toBeTypeOf("string");
    expect(spans[4]?.status.code).toBe(SpanStatusCode.UNSET);
    for (const { startTime, endTime } of spans) expect(toMs(endTime)).toBeGreaterThanOrEqual(toMs(startTime));
  });

  test("nested calls are children of their call, a call is a child of the active span, and a handler sees its span", async () => {
    const seen: (string | undefined)[] = [];
    const active = (): string | undefined => trace.getActiveSpan()?.spanContext().spanId;
    const inner = defineTool({
      name: "inner",
      description: "x",
      effect: "read",
      async *run() {
        yield "on the way";
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(active());
        return 1;
      },
    });
    const outer = defineTool({
      name: "outer",
      description: "x",
      effect: "read",
      composite: true,
      run: async (_args, { callTool }) => {
        await Promise.all([callTool("inner", {}), callTool("inner", {})]);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(active());
        return 1;
      },
    });
    const engine = createEngine({ tools: [inner, outer] });
    traceEngine(engine);
    const tracer = trace.getTracer("user");
    await tracer.startActiveSpan("request", async (request) => {
      await engine.call("outer", {});
      expect(active()).toBe(request.spanContext().spanId);
      request.end();
    });
    expect(tree()).toEqual({ request: { "execute_tool outer": { "execute_tool inner": {} } } });
    const ids = exporter.getFinishedSpans().map((span) => span.spanContext().spanId);
    expect(new Set(seen)).toEqual(new Set(ids.slice(0, 3)));
  });

  test("a request that a handler makes is below its call", async () => {
    const server = createServer((_request, response) => response.end("ok")).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    // Acts like an HTTP instrumentation.
    const request = (): Promise<void> =>
      new Promise((resolve) => {
        const span = trace.getTracer("http").startSpan("GET", { kind: SpanKind.CLIENT });
        get(`http://127.0.0.1:${port}/`, (response) => response.resume().on("end", () => (span.end(), resolve())));
      });
    const page = defineTool({
      name: "page",
      description: "x",
      effect: "read",
      run: async () => {
        await Promise.resolve();
        await request();
        return "ok";
      },
    });
    const engine = createEngine({ tools: [page] });
    traceEngine(engine);
    await Promise.all([engine.call("page"), engine.call("page")]);
    server.close();
    expect(tree()).toEqual({ "execute_tool page": { GET: {} } });
    expect(exporter.getFinishedSpans()).toHaveLength(4);
  });

  test("model requests and tool calls are children of the span of an agent run", async () => {
    const engine = createEngine({ tools: [add, fails] });
    const tracing = traceEngine(engine);
    const model = scriptedModel([
      {
        toolCalls: [
          { name: "add", args: { a: 1, b: 2 }, id: "c1" },
          { name: "fails", args: {}, id: "c2" },
        ],
        usage: { inputTokens: 10, outputTokens: 5 },
      },
      { text: "It is 3.", usage: { inputTokens: 20, outputTokens: 7 } },
    ]);
    const agent = createAgent({ engine, model, observer: tracing.agents });
    const result = await agent.run("What is 1 + 2?", { conversationId: "talk" });
    expect(result.answer).toBe("It is 3.");
    const chat = "chat scripted";
    expect(tree()).toEqual({
      "invoke_agent autonomous": { [chat]: {}, "execute_tool add": {}, "execute_tool fails": {} },
    });
    expect(spanOf("invoke_agent autonomous").attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "autonomous",
      "gen_ai.conversation.id": "talk",
      "gen_ai.usage.input_tokens": 30,
      "gen_ai.usage.output_tokens": 12,
      "windlass.run.id": result.runId,
      "windlass.run.status": "completed",
      "windlass.agent.rounds": 2,
    });
    const [first, second] = exporter.getFinishedSpans().filter(({ name }) => name === chat);
    expect(first?.kind).toBe(SpanKind.CLIENT);
    expect(first?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "script",
      "gen_ai.request.model": "scripted",
      "gen_ai.response.model": "scripted",
      "gen_ai.response.finish_reasons": ["tool_calls"],
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.conversation.id": "talk",
    });
    expect(second?.attributes["gen_ai.response.finish_reasons"]).toEqual(["stop"]);
    expect(spanOf("execute_tool add").attributes).toMatchObject({
      "gen_ai.tool.call.id": "c1",
      "gen_ai.conversation.id": "talk",
      "windlass.caller.type": "conversation_agent",
    });
    expect(spanOf("execute_tool fails").attributes).toMatchObject({ "gen_ai.tool.call.id": "c2" });
    // No message content is recorded.
    expect(allAttributes()).not.toContain("It is 3.");
    expect(allAttributes()).not.toContain("What is 1 + 2?");
  });

  test("spans do not make a model stream", async () => {
    const engine = createEngine({ tools: [add] });
    const model = scriptedModel([{ text: "Hello." }]);
    const stream = vi.spyOn(model, "doStream");
    await createAgent({ engine, model, observer: traceEngine(engine).agents }).run("Hello?");
    expect(stream).not.toHaveBeenCalled();
  });

  test("a model that gives no answer: its span and that of the run say why", async () => {
    const engine = createEngine();
    const model = scriptedModel([new Error("no such model")]);
    const result = await createAgent({ engine, model, observer: traceEngine(engine).agents }).run("Hello?");
    expect(result.status).toBe("failed");
    const code = result.error?.code ?? "none";
    for (const name of ["chat scripted", "invoke_agent autonomous"]) {
      expect(spanOf(name)).toMatchObject({ status: { code: SpanStatusCode.ERROR } });
      expect(spanOf(name).attributes).toMatchObject({ "error.type": code });
    }
  });

  test("an agent that is a tool: its run is below the call, its own calls below its run", async () => {
    const engine = createEngine({ tools: [add] });
    const tracing = traceEngine(engine);
    const observer = tracing.agents;
    const sub = scriptedModel([{ toolCalls: [{ name: "add", args: { a: 1, b: 2 } }] }, { text: "3" }]);
    const helper = createAgent({ engine, model: sub, observer, tools: ["add"] });
    engine.tools.register(agentTool(helper, { name: "count", description: "Counts" }));
    const model = scriptedModel([{ toolCalls: [{ name: "count", args: { prompt: "1+2?" } }] }, { text: "three" }]);
    const result = await createAgent({ engine, model, observer }).run("1+2?");
    expect(result.answer).toBe("three");
    const chat = { "chat scripted": {} };
    expect(tree()).toEqual({
      "invoke_agent autonomous": {
        ...chat,
        "execute_tool count": { "invoke_agent autonomous": { ...chat, "execute_tool add": {} } },
      },
    });
  });

  test("a run that waits for approval is not an error, and resumes as another span", async () => {
    const remove = defineTool({ name: "remove", description: "x", effect: "once", run: () => 1 });
    const engine = createEngine({ tools: [remove] });
    const model = scriptedModel([{ toolCalls: [{ name: "remove", args: {}, id: "c1" }] }, { text: "Gone." }]);
    const agent = createAgent({ engine, model, observer: traceEngine(engine).agents });
    const waiting = await agent.run("Remove it");
    const [approval] = waiting.approvals ?? [];
    expect(spanOf("invoke_agent autonomous").attributes["windlass.run.status"]).toBe("waiting");
    expect(exporter.getFinishedSpans().every(({ status }) => status.code === SpanStatusCode.UNSET)).toBe(true);
    exporter.reset();
    await agent.decide(approval?.id ?? "", { approved: true });
    expect((await agent.resume(waiting.runId)).answer).toBe("Gone.");
    // The first model request was made by the earlier process; its replay creates no span.
    expect(tree()).toEqual({ "invoke_agent autonomous": { "execute_tool remove": {}, "chat scripted": {} } });
    expect(exporter.getFinishedSpans().filter(({ name }) => name === "chat scripted")).toHaveLength(1);
    expect(spanOf("invoke_agent autonomous").attributes["windlass.run.resumed"]).toBe(true);
  });

  test("a run of a chain: the calls of its steps are below it, also side by side with another run", async () => {
    const engine = createEngine({ tools: [add, fails] });
    const { chains: observer } = traceEngine(engine);
    const first =
      "steps:\n  - id: one\n    tool: add\n    params: { a: 1, b: 2 }\n  - id: two\n    depends_on: [one]\n";
    const add2 = '    tool: add\n    params: { a: "${steps.one.output.sum}", b: 1 }\n';
    const dir = await folderWith({
      "good.yaml": `name: good\n${first}${add2}`,
      "bad.yaml": `name: bad\n${first}    tool: fails\n`,
    });
    const [good, bad] = await Promise.all(
      ["good", "bad"].map((name) => runChain(`${dir}/${name}.yaml`, { engine, observer })),
    );
    expect([good?.status, bad?.status]).toEqual(["success", "failed"]);
    expect(tree()).toEqual({
      "invoke_workflow good": { "execute_tool add": {} },
      "invoke_workflow bad": { "execute_tool add": {}, "execute_tool fails": {} },
    });
    expect(spanOf("invoke_workflow good").attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.workflow.name": "good",
      "windlass.run.status": "success",
    });
    expect(spanOf("invoke_workflow bad").status.code).toBe(SpanStatusCode.ERROR);
  });

  test("contents are recorded if enabled, with secrets redacted", async () => {
    const login = defineTool({
      name: "login",
      description: "x",
      effect: "read",
      input: z.object({ user: z.string(), password: z.string() }),
      run: ({ user }) => Promise.resolve({ user, key: "hunter2secret" }),
    });
    const engine = createEngine({ tools: [login], secrets: { KEY: "hunter2secret" } });
    const tracing = traceEngine(engine, { captureContent: true });
    const model = scriptedModel([
      { toolCalls: [{ name: "login", args: { user: "ada", password: "pssst" }, id: "c1" }] },
      { thinking: "Let me see.", text: "You are in." },
    ]);
    const agent = createAgent({ engine, model, observer: tracing.agents, instructions: "Be brief." });
    await agent.run("Log me in with hunter2secret");
    expect(allAttributes()).not.toContain("hunter2secret");
    expect(allAttributes()).not.toContain("pssst");
    expect(contentOf("execute_tool login", "gen_ai.tool.call.arguments")).toEqual({
      user: "ada",
      password: "[redacted]",
    });
    expect(contentOf("execute_tool login", "gen_ai.tool.call.result")).toMatchObject({ user: "ada" });
    expect(contentOf("invoke_agent autonomous", "gen_ai.input.messages")).toEqual([
      { role: "user", parts: [{ type: "text", content: "Log me in with [redacted]" }] },
    ]);
    expect(contentOf("invoke_agent autonomous", "gen_ai.output.messages")).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "You are in." }], finish_reason: "stop" },
    ]);
    const last = exporter.getFinishedSpans().findLast(({ name }) => name === "chat scripted");
    const read = (name: string): unknown => JSON.parse(String(last?.attributes[name]));
    expect(read("gen_ai.system_instructions")).toMatchObject([
      { type: "text", content: expect.stringContaining("Be brief.") as string },
    ]);
    expect(read("gen_ai.input.messages")).toMatchObject([
      { role: "user" },
      { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "login" }] },
      { role: "tool", parts: [{ type: "tool_call_response", id: "c1" }] },
    ]);
    expect(read("gen_ai.output.messages")).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "reasoning", content: "Let me see." },
          { type: "text", content: "You are in." },
        ],
        finish_reason: "stop",
      },
    ]);
  });

  test("a large output does not become a large attribute", async () => {
    const large = defineTool({ name: "large", description: "x", effect: "pure", run: () => "x".repeat(1_000_000) });
    const engine = createEngine({ tools: [large] });
    traceEngine(engine, { captureContent: true });
    await engine.call("large");
    expect(String(spanOf("execute_tool large").attributes["gen_ai.tool.call.result"]).length).toBeLessThan(33_000);
  });

  test("no span stays open when its call has ended, and no span begins after tracing has stopped", async () => {
    const slow = defineTool({
      name: "slow",
      description: "x",
      effect: "read",
      timeoutMs: 5,
      run: () => new Promise(() => {}),
    });
    const engine = createEngine({ tools: [add, fails, slow], limits: { graceMs: 1 } });
    const tracing = traceEngine(engine);
    const aborting = new AbortController();
    const cancelled = engine.call("slow", {}, { signal: aborting.signal, maxRetries: 0 });
    aborting.abort();
    await Promise.all([
      cancelled,
      ...["add", "fails", "slow"].map((name) => engine.call(name, { a: 1, b: 2 }, { maxRetries: 0 })),
    ]);
    expect(exporter.getFinishedSpans()).toHaveLength(4);
    await tracing.close();
    await engine.call("add", { a: 1, b: 2 });
    expect(exporter.getFinishedSpans()).toHaveLength(4);
  });
});

describe("closing", () => {
  afterEach(() => trace.disable());

  test("sends batched spans", async () => {
    exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
    trace.setGlobalTracerProvider(provider);
    const engine = createEngine({ tools: [add] });
    const tracing = traceEngine(engine);
    await engine.call("add", { a: 1, b: 2 });
    expect(exporter.getFinishedSpans()).toHaveLength(0);
    await tracing.close();
    expect(exporter.getFinishedSpans()).toHaveLength(1);
  });

  test("waits 2 s at most for a collector that does not answer, and takes no harm from one that fails", async () => {
    const clock = new FakeClock();
    const getTracer = (): Tracer => trace.getTracer("none");
    const silent = { getTracer, forceFlush: () => new Promise<void>(() => {}) };
    const failing = { getTracer, forceFlush: () => Promise.reject(new Error("no collector")) };
    const flushed = flushSpans(silent, clock);
    await clock.pass(2000);
    await expect(flushed).resolves.toBeUndefined();
    await expect(flushSpans(failing, clock)).resolves.toBeUndefined();
  });
});

describe("without a provider", () => {
  test("nothing is set up: no listener, nothing around handlers, no object for a call", async () => {
    const engine = createEngine({ tools: [add] });
    const subscribe = vi.spyOn(engine, "subscribe");
    const wrap = vi.spyOn(engine, "wrapHandlers");
    const started = vi.spyOn(trace.getTracerProvider().getTracer("any"), "startSpan");
    const tracing = traceEngine(engine, { captureContent: true });
    await engine.call("add", { a: 1, b: 2 });
    expect(tracing).toMatchObject({ active: false, agents: undefined, chains: undefined });
    for (const spy of [subscribe, wrap, started]) expect(spy).not.toHaveBeenCalled();
    await tracing.close();
  });

  test("a provider can be passed instead of registered", async () => {
    exporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const engine = createEngine({ tools: [add] });
    traceEngine(engine, { tracerProvider });
    await engine.call("add", { a: 1, b: 2 });
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(["execute_tool add"]);
  });
});

function spanOf(name: string): ReadableSpan {
  const span = exporter.getFinishedSpans().find((one) => one.name === name);
  if (span === undefined) throw new Error(`there is no span ${name}`);
  return span;
}

function contentOf(name: string, attribute: string): unknown {
  return JSON.parse(String(spanOf(name).attributes[attribute]));
}

function allAttributes(): string {
  return JSON.stringify(exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes]));
}

interface Names {
  [name: string]: Names;
}

/** The names of the spans, each below its parent. */
function tree(parent?: string): Names {
  const spans = exporter.getFinishedSpans().filter((span) => span.parentSpanContext?.spanId === parent);
  const names: Names = {};
  for (const span of spans) names[span.name] = { ...names[span.name], ...tree(span.spanContext().spanId) };
  return names;
}

function toMs([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
