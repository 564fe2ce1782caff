import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { type McpServingOptions, createMcpServing } from "../../src/adapters/mcp/server/mcp-serving.ts";
import {
  type EngineOptions,
  createEngine,
  createMemoryApprovals,
  defineTool,
  parkingApprover,
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

/** A client whose person says yes to everything, and what that person was shown. */
async function serve(more: Partial<McpServingOptions>, options: EngineOptions = {}) {
  const approvals = createMemoryApprovals();
  const approver = parkingApprover(approvals, systemClock);
  const engine = createEngine({ tools, approver, secrets: { K: "hunter2secret" }, ...options });
  const serving = createMcpServing({ engine, name: "test", version: "1.0.0", ...more });
  const { url, token } = await serving.http();
  const client = new Client({ name: "t", version: "1" }, { capabilities: { elicitation: { form: {} } } });
  const asked: unknown[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params);
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
  return { approvals, asked, call, client, engine, serving };
}

describe("what a client's model wants and cannot be undone", () => {
  test("is asked about without any rule, of the person at the client", async () => {
    const { asked, call } = await serve({ approvals: createMemoryApprovals() });
    expect(await call("look")).toContain("seen");
    expect(asked).toEqual([]);
    expect(await call("remove")).toContain("removed");
    expect(asked).toMatchObject([{ message: expect.stringContaining("remove") }]);
  });

  test("waits for the operator where no client approves anything, and no model is told how that is done", async () => {
    const { approvals, asked, call } = await serve({});
    const refused = await call("remove");
    const [waiting] = await approvals.list(Date.now(), "pending");
    expect(refused).toContain(waiting?.id ?? "none");
    expect(refused).toContain("approval_required");
    expect(refused).not.toContain("windlass");
    expect(asked).toEqual([]);
    await approvals.decide(waiting?.id ?? "", { approved: true }, Date.now());
    expect(await call("remove")).toContain("removed");
  });
});

test("a question of a tool reaches the person also where they approve nothing, and tells no secrets", async () => {
  const { asked, call } = await serve({});
  expect(await call("ask")).toContain("accept");
  expect(asked).toMatchObject([
    {
      message: "Who, [redacted]?",
      requestedSchema: { properties: { password: { type: "string", title: "For [redacted]" } } },
    },
  ]);
});

describe("the first list", () => {
  test("waits until the tools are there", async () => {
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

  test("does not wait for ever, and not for what fails", async () => {
    const clock = { ...systemClock, after: (ms: number, task: () => void) => systemClock.after(ms / 50, task) };
    for (const ready of [() => new Promise<never>(() => {}), () => Promise.reject(new Error("no"))]) {
      const { client } = await serve({ ready, clock });
      expect((await client.listTools()).tools).toHaveLength(3);
    }
  });
});

test("a line of the log that belongs to no call goes to no client", async () => {
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
