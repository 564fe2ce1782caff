import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AIMessage } from "@langchain/core/messages";
import { createAgent as createLangChainAgent } from "langchain";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { toAiSdkTools } from "../src/adapters/ai-sdk/index.ts";
import { toLangChainTools } from "../src/adapters/langchain/index.ts";
import { createMcpToolServer } from "../src/adapters/mcp/server/mcp-tool-server.ts";
import { agentTool, createAgent } from "../src/agent/index.ts";
import { type Workspace, openWorkspace } from "../src/app/index.ts";
import { mcpTool } from "../src/hub/mcp/mcp-tool.ts";
import type { McpServer } from "../src/hub/mcp/server-config.ts";
import { createEngine, defineTool, fromJsonSchema } from "../src/index.ts";
import { scriptedModel } from "../src/testing.ts";
import { ScriptedChatModel, calling } from "./support/scripted-chat-model.ts";
import { writeFiles } from "./support/workspace.ts";

/** Method and body of every request that reached the server. */
const requests: string[] = [];
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", () => {
    requests.push(`${request.method} ${String(request.headers["x-own"])} ${body}`);
    response.end("ok");
  });
});
let url = "";
let workspace: Workspace;
const folders: string[] = [];
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  workspace = await open();
});
afterAll(async () => {
  await workspace.close();
  for (const dir of folders) await rm(dir, { recursive: true, force: true });
  server.close();
});

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  requests.length = 0;
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Arguments that would turn the request of the narrowed tool into a POST. */
const widened = () => ({ url, method: "POST", body: { stolen: true }, headers: { "x-own": "1" } });

const step = 'tool: get_only\n    params: { url: "${input.url}"';
const files = (port: string, strict = false): Record<string, string> => ({
  "windlass.yaml": `network: { allow: ["127.0.0.1:${port}"] }\nengine: { strict_validation: ${strict} }\npermissions: { allow: ["*"] }\n`,
  "tools/get_only.yaml": `name: get_only
description: Gets a page.
aliases: [get_alias]
capabilities: [getting]
parameters: [{ name: url, type: string, required: true }]
entry: { type: builtin, handler: http_request }
`,
  "capabilities/getting.yaml":
    "name: getting\ndescription: Gets a page.\ninput: { type: object, properties: { url: { type: string }, method: { type: string } }, required: [url] }\n",
  "chains/plain.yaml": `name: plain\ninput: { url: string }\nsteps:\n  - id: a\n    ${step} }\n`,
  "chains/wide.yaml": `name: wide\ninput: { url: string }\nsteps:\n  - id: a\n    ${step}, method: POST }\n`,
  "chains/each.yaml": `name: each\ninput: { url: string }\nsteps:\n  - id: a\n    for_each: [POST]\n    ${step}, method: "\${item}" }\n`,
  "chains/outer.yaml": `name: outer\ninput: { url: string }\nsteps:\n  - id: a\n    tool: plain\n    params: { url: "\${input.url}", method: POST }\n`,
  "chains/asks.yaml": `name: asks\ninput: { url: string }\nsteps:\n  - id: a\n    approval: May it?\n    ${step} }\n`,
});

async function open(strict = false): Promise<Workspace> {
  const dir = await mkdtemp(join(tmpdir(), "windlass-test-"));
  folders.push(dir);
  await writeFiles(dir, files(new URL(url).port, strict));
  return openWorkspace(dir, { reload: false });
}

function modelCalling(name: string) {
  return scriptedModel([{ toolCalls: [{ name, args: widened() }] }, { text: "done" }]);
}

async function serveMcp({ engine }: Workspace): Promise<Client> {
  const serving = createMcpToolServer({ engine, name: "test", version: "1.0.0" });
  const http = await serving.http({ port: 0 });
  const client = new Client({ name: "t", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${http.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit }));
  closing.push(
    () => serving.close(),
    () => client.close(),
  );
  return client;
}

/** Every way to a tool whose caller chooses the arguments. */
const routes: Readonly<Record<string, (opened: Workspace) => Promise<unknown>>> = {
  "a direct call": ({ engine }) => engine.call("get_only", widened()),
  "an alias": ({ engine }) => engine.call("get_alias", widened()),
  "a capability": ({ engine }) => engine.call("capability:getting", widened()),
  "a chain as a tool": ({ engine }) => engine.call("plain", widened()),
  "a run of a chain": async (opened) => opened.runs.start(await opened.loadChain("plain"), { input: widened() }),
  "a model": ({ engine }) => createAgent({ engine, model: modelCalling("get_only") }).run("go"),
  "an agent as a tool": async ({ engine }) => {
    const inner = createAgent({ engine, model: modelCalling("get_only") });
    engine.tools.register(agentTool(inner, { name: "helper", description: "Helps." }));
    return engine.call("helper", { prompt: "go" });
  },
  "`mcp serve`": async (opened) => {
    const client = await serveMcp(opened);
    return client.callTool({ name: "get_only", arguments: widened() });
  },
  "the LangChain adapter": async ({ engine }) => {
    const model = new ScriptedChatModel([calling({ name: "get_only", args: widened() }), new AIMessage("done")]);
    const agent = createLangChainAgent({ model, tools: toLangChainTools(engine, { tainted: false }) });
    return agent.invoke({ messages: [{ role: "user", content: "go" }] });
  },
  "the AI SDK adapter": async ({ engine }) => {
    const execute = toAiSdkTools(engine, { tainted: false })["get_only"]?.execute;
    return execute?.(widened(), { toolCallId: "c1", messages: [], context: {} });
  },
};

describe("[S4] an undeclared parameter never reaches a handler", () => {
  test.each(Object.keys(routes))("through %s", async (name) => {
    await routes[name]?.(workspace);
    expect(requests).toEqual(["GET undefined "]);
  });

  test("through `resume` and `rerun`", async () => {
    const { runs, approvals } = workspace;
    const waiting = await runs.start(await workspace.loadChain("asks"), { input: widened() });
    expect(waiting.status).toBe("waiting");
    const [pending] = await approvals.list("pending");
    await approvals.decide(pending?.id ?? "", { approved: true });
    const ended = await runs.resume(waiting.runId);
    expect(ended.status).toBe("success");
    await runs.rerun((await runs.start(await workspace.loadChain("plain"), { input: widened() })).runId, { from: "a" });
    expect(requests).toEqual(Array.from({ length: 3 }, () => "GET undefined "));
  });

  test.each(["wide", "each", "outer"])("is an error in the chain %s, at its position", async (name) => {
    await expect(workspace.loadChain(name)).rejects.toThrow(/has no parameter "method"/);
  });

  test("is removed with a warning that names it", async () => {
    const { engine } = workspace;
    const result = await engine.call("get_only", widened());
    expect(result.meta.ignored).toEqual(["method", "body", "headers"]);
    const { records } = await engine.queryRecords({});
    expect(records[0]?.args).toEqual({ url });
  });

  test("is refused under strict_validation", async () => {
    const strict = await open(true);
    closing.push(() => strict.close());
    expect(await strict.engine.call("get_only", widened())).toMatchObject({ error: { code: "validation_error" } });
    expect(requests).toEqual([]);
  });
});

describe("[S4] undeclared parameters and the schema", () => {
  const calls: unknown[] = [];
  const keeping = (input: ReturnType<typeof fromJsonSchema>) =>
    defineTool({ name: "t", description: "t", effect: "pure", input, run: (args) => void calls.push(args) });
  const seen = async (json: Record<string, unknown>, args: unknown) => {
    calls.length = 0;
    await createEngine({ tools: [keeping(fromJsonSchema(json))] }).call("t", args);
    return calls[0];
  };
  const a = { type: "object", properties: { a: { type: "integer" } } };

  test.each([
    ["additionalProperties: true", { ...a, additionalProperties: true }],
    ["a schema of additional properties", { ...a, additionalProperties: { type: "integer" } }],
    ["a pattern", { ...a, patternProperties: { "^b": { type: "integer" } } }],
    ["no declared key at all", { type: "object" }],
    ["another form of a union", { anyOf: [a, { type: "object", properties: { b: {} } }] }],
    ["a dependent schema", { ...a, dependentSchemas: { a: { properties: { b: {} } } } }],
    ["a required name", { ...a, required: ["b"] }],
  ])("the key reaches the handler because of %s", async (_, json) => {
    expect(await seen(json, { a: 1, b: 2 })).toEqual({ a: 1, b: 2 });
  });

  test("keys inside of objects and lists are removed, too, and the caller's objects stay as they are", async () => {
    const json = { type: "object", properties: { one: a, many: { type: "array", items: a } } };
    const args = { one: { a: 1, b: 2 }, many: [{ a: 1 }, { a: 2, b: 3 }] };
    expect(await seen(json, args)).toEqual({ one: { a: 1 }, many: [{ a: 1 }, { a: 2 }] });
    expect(args.one).toEqual({ a: 1, b: 2 });
  });

  test("a closed schema refuses", async () => {
    expect(await seen({ ...a, additionalProperties: false }, { a: 1, b: 2 })).toBeUndefined();
  });

  test("a tool of an MCP server gets what the server's schema allows", async () => {
    const sent: unknown[] = [];
    const tool = mcpTool({
      server: { name: "s", effects: {}, targets: {} } as unknown as McpServer,
      definition: { name: "t", inputSchema: a },
      name: "s/t",
      aliases: [],
      capabilities: [],
      isApproved: false,
      hash: "h",
      call: (args) => Promise.resolve(void sent.push(args)),
    });
    const engine = createEngine({ tools: [tool], permissions: { allow: ["*"] } });
    await engine.call("s/t", { a: 1, b: 2 });
    expect(sent).toEqual([{ a: 1, b: 2 }]);
    // As the command line calls it: only a misspelled name is refused.
    const named = (args: object) => engine.call("s/t", args, { strictValidation: new Set(Object.keys(args)) });
    expect(await named({ a: 1, other: 2 })).toMatchObject({ success: true });
    expect(await named({ A: 1 })).toMatchObject({ error: { code: "validation_error" } });
  });
});
