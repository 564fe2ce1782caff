import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { createMcpToolServer } from "../../src/adapters/mcp/server/mcp-tool-server.ts";
import { approvalKey } from "../../src/engine/index.ts";
import { fingerprintTool } from "../../src/tool/index.ts";
import { type CallContext, defineTool, forConversation } from "../../src/index.ts";
import { type CallWorld, callWorld } from "./ways-to-call.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const remove = defineTool({
  name: "remove",
  description: "Removes a note",
  effect: "once",
  input: { type: "object", properties: { id: { type: "string" } } },
  run: () => "removed",
});
const args = { id: "7" };

function world(): CallWorld {
  const step = { id: "s", tool: "remove", params: args };
  return callWorld([remove], [{ name: "clean", steps: [step] }], { ask: ["remove"], allow: ["*"] });
}

async function approveAll({ approvals }: CallWorld): Promise<void> {
  for (const { id } of await approvals.list(Date.now(), "pending"))
    await approvals.decide(id, { approved: true }, Date.now());
}

/** The same call in two contexts: the first is approved, the second one tries to use that approval first. */
async function useOfOther(first: CallContext, other: CallContext): Promise<readonly [boolean, boolean]> {
  const here = world();
  await here.engine.call(remove, args, first);
  await approveAll(here);
  const { success: stolen } = await here.engine.call(remove, args, other);
  const { success: used } = await here.engine.call(remove, args, first);
  return [stolen, used];
}

describe("[S9] an approval is not valid for", () => {
  test.each<[string, CallContext, CallContext]>([
    ["another conversation", forConversation("a", "one"), forConversation("a", "two")],
    ["a call without a conversation", forConversation("a", "one"), { callerType: "conversation_agent" }],
    ["another session", { session: "one" }, { session: "two" }],
    ["a session with the name of the conversation", { session: "one" }, { conversationId: "one" }],
    ["a call without a session", { session: "one" }, {}],
  ])("%s", async (_other, first, other) => {
    expect(await useOfOther(first, other)).toEqual([false, true]);
  });

  test("a nested call of another conversation", async () => {
    const here = world();
    const outer = defineTool({
      name: "outer",
      description: "Calls remove",
      effect: "read",
      composite: true,
      run: (_args, { callTool }) => callTool(remove, args),
    });
    await here.engine.call(outer, {}, forConversation("a", "one"));
    await approveAll(here);
    expect(await here.engine.call(outer, {}, forConversation("a", "two"))).toMatchObject({
      output: { success: false },
    });
    expect(await here.engine.call(outer, {}, forConversation("a", "one"))).toMatchObject({ output: { success: true } });
  });
});

/** A client of a server for these tools, in the protocol version that `mode` negotiates. */
async function connect({ engine }: CallWorld, mode: "auto" | "legacy", at?: { url: string; token: string }) {
  const serving = at === undefined ? createMcpToolServer({ engine, name: "test", version: "1.0.0" }) : undefined;
  const served = at ?? (await serving?.http());
  if (served === undefined) throw new Error("not served");
  const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${served.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url), { requestInit }));
  closing.push(
    async () => serving?.close(),
    () => client.close(),
  );
  const call = async (): Promise<boolean> =>
    (await client.callTool({ name: "remove", arguments: args })).isError !== true;
  return { call, served };
}

describe("[S9] an approval given for one MCP client", () => {
  test("is not valid for another session of the same server", async () => {
    const here = world();
    const first = await connect(here, "legacy");
    const second = await connect(here, "legacy", first.served);
    expect(await first.call()).toBe(false);
    await approveAll(here);
    expect(await second.call()).toBe(false);
    expect(await first.call()).toBe(true);
  });

  test("is valid for the clients with its token where the protocol has no sessions, and for no others", async () => {
    const here = world();
    const first = await connect(here, "auto");
    const same = await connect(here, "auto", first.served);
    const other = await connect(here, "auto");
    expect(await first.call()).toBe(false);
    await approveAll(here);
    expect(await other.call()).toBe(false);
    expect(await same.call()).toBe(true);
  });
});

describe("[S9] approvals of earlier versions", () => {
  const formerKey = approvalKey("remove", [fingerprintTool(remove), remove.description, args], undefined);

  test("stay valid for calls without conversation and session", async () => {
    const here = world();
    await here.engine.call(remove, args);
    expect(await here.approvals.list(Date.now())).toMatchObject([{ key: formerKey }]);
  });

  test("stay valid for runs, also for those of a conversation", async () => {
    const here = world();
    const options = { runId: "r", callContext: { conversationId: "one" } };
    await here.runs.start(here.chains.plan("clean"), options);
    const key = approvalKey("r", ["s", formerKey], undefined);
    expect(await here.approvals.list(Date.now())).toMatchObject([{ runId: "r", key }]);
    await approveAll(here);
    expect(await here.runs.resume("r")).toMatchObject({ success: true });
  });
});
