import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterEach, describe, expect, test } from "vitest";
import { folderWith } from "../../test/support/workspace.ts";
import { modelServer } from "../testing.ts";
import { openWorkspace } from "./open-workspace.ts";

const chain = 'name: sums\nsteps:\n  - id: one\n    tool: calculator\n    params: { expression: "1+1" }\n';

afterEach(() => {
  trace.disable();
  context.disable();
});

function exported(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return exporter;
}

describe("telemetry in the settings", () => {
  test("traces calls, runs of chains and agents, and model requests over the wire", async () => {
    const exporter = exported();
    const server = await modelServer([
      { toolCalls: [{ name: "calculator", args: { expression: "2*21" }, id: "c1" }] },
      { text: "42." },
    ]);
    const { host, hostname, port } = new URL(server.url);
    const dir = await folderWith({
      "windlass.yaml": [
        "telemetry: { enabled: true }",
        `network: { allow: ["${host}"] }`,
        `models: { default: { base_url: "${server.url}/v1", model: qwen3 } }`,
        "",
      ].join("\n"),
      "chains/sums.yaml": chain,
    });
    const workspace = await openWorkspace(dir, { reload: false, env: {} });
    try {
      expect(workspace.tracing?.active).toBe(true);
      await workspace.engine.call("echo", { message: "hi" });
      await workspace.runs.start(await workspace.loadChain("sums"));
      const agent = await workspace.agent({ tools: ["calculator"] });
      const { answer } = await agent.run("What is 2*21?");
      expect(answer).toBe("42.");
    } finally {
      await workspace.close();
      await server.close();
    }
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([
      "execute_tool echo",
      "execute_tool calculator",
      "invoke_workflow sums",
      "chat qwen3",
      "execute_tool calculator",
      "chat qwen3",
      "invoke_agent autonomous",
    ]);
    const chat = exporter.getFinishedSpans().find(({ name }) => name === "chat qwen3");
    expect(chat?.attributes).toMatchObject({
      "gen_ai.provider.name": "openai",
      "server.address": hostname,
      "server.port": Number(port),
    });
  });

  test("does nothing if no SDK is registered, or if it is not enabled", async () => {
    const enabled = await openWorkspace(await folderWith({ "windlass.yaml": "telemetry: { enabled: true }\n" }), {
      reload: false,
      store: "memory",
    });
    expect(enabled.tracing).toMatchObject({ active: false });
    await enabled.close();
    const exporter = exported();
    const off = await openWorkspace(await folderWith({}), { reload: false, store: "memory" });
    expect(off.tracing).toBeUndefined();
    await off.engine.call("echo", { message: "hi" });
    await off.close();
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
