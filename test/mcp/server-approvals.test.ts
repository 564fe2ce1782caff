import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { type McpToolServerOptions, createMcpToolServer } from "../../src/adapters/mcp/server/mcp-tool-server.ts";
import {
  ApprovalService,
  type EngineOptions,
  createEngine,
  createInMemoryApprovals,
  defineTool,
  storedApprover,
  systemClock,
} from "../../src/index.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const schema = { type: "object", properties: { password: { type: "string", title: "For hunter2secret" } } } as const;
const tools = [
  defineTool({ name: "remove", description: "Removes.", effect: "once", run: () => "removed" }),
  defineTool({ name: "look", description: "Looks.", effect: "read", run: () => "seen" }),
  defineTool({
    name: "ask",
    description: "Asks.",
    effect: "read",
    run: (_args, { elicit }) => elicit({ message: "Who, hunter2secret?", schema }),
  }),
];

/** A client whose user approves everything, and the prompts shown to that user. */
async function serve(more: Partial<McpToolServerOptions>, options: EngineOptions = {}) {
  const approvals = createInMemoryApprovals();
  const approver = storedApprover(approvals, systemClock);
  const engine = createEngine({ tools, approver, secrets: { K: "hunter2secret" }, ...options });
  const serving = createMcpToolServer({ engine, name: "test", version: "1.0.0", ...more });
  const { url, token } = await serving.http();
  const client = new Client({ name: "t", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  const requested: unknown[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    requested.push(params);
    return { action: "accept", content: { approve: true } };
  });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  closing.push(async () => {
    await client.close();
    await serving.close();
    await engine.close({ drainMs: 0 });
  });
  const call = async (name: string): Promise<string> => JSON.stringify(await client.callTool({ name, arguments: {} }));
  return { approvals, requested, call, client, engine, serving };
}

describe("an irreversible call of a client's model", () => {
  test("needs approval by the user of the client without any rule", async () => {
    const { requested, call } = await serve({ approvals: new ApprovalService(createInMemoryApprovals(), systemClock) });
    expect(await call("look")).toContain("seen");
    expect(requested).toEqual([]);
    expect(await call("remove")).toContain("removed");
    expect(requested).toMatchObject([{ message: expect.stringContaining("remove") }]);
  });

  test("waits for the operator if no client may approve, and no model learns how to approve", async () => {
    const { approvals, requested, call } = await serve({});
    const refused = await call("remove");
    const [waiting] = await approvals.list(Date.now(), "pending");
    expect(refused).toContain(waiting?.id ?? "none");
    expect(refused).toContain("approval_required");
    expect(refused).not.toContain("windlass");
    expect(requested).toEqual([]);
    await approvals.decide(waiting?.id ?? "", { approved: true }, Date.now());
    expect(await call("remove")).toContain("removed");
  });
});

test("an elicitation of a tool reaches a user who may not approve, and reveals no secrets", async () => {
  const { requested, call } = await serve({});
  expect(await call("ask")).toContain("accept");
  expect(requested).toMatchObject([
    {
      message: "Who, [redacted]?",
      requestedSchema: { properties: { password: { type: "string", title: "For [redacted]" } } },
    },
  ]);
});

describe("the first list", () => {
  test("waits until the tools are loaded", async () => {
    const late = defineTool({ name: "late", description: "Late.", effect: "read", run: () => "here" });
    let ready = 0;
    const { client, engine, call } = await serve({
      ready: async () => {
        ready++;
        await new Promise((resolve) => void setTimeout(resolve, 50));
        engine.tools.register(late);
      },
    });
    // Known from another process, and called before anything was listed.
    expect(await call("late")).toContain("here");
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("late");
    expect(ready).toBe(1);
  });

  test("waits neither forever nor for a failing source", async () => {
    const clock = { ...systemClock, after: (ms: number, task: () => void) => systemClock.after(ms / 50, task) };
    for (const ready of [() => new Promise<never>(() => {}), () => Promise.reject(new Error("no"))]) {
      const { client } = await serve({ ready, clock });
      expect((await client.listTools()).tools).toHaveLength(3);
    }
  });
});

test("a log line without a call is sent to no client", async () => {
  const later: { log?: (callId: string) => void } = {};
  const talk = defineTool({
    name: "talk",
    description: "Talks.",
    effect: "read",
    run: (_args, { callId }) => {
      later.log?.("");
      later.log?.(callId);
    },
  });
  const { client, call, serving } = await serve({}, { tools: [talk] });
  later.log = (callId) =>
    serving.onLog({ at: 0, callId, tool: "talk", message: `of ${callId === "" ? "none" : "one"}` });
  const heard: unknown[] = [];
  client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params.data));
  await client.setLoggingLevel("debug");
  await call("talk");
  await expect.poll(() => heard).toEqual(["of one"]);
});
