import { userInfo } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { openSqlite } from "../../src/adapters/index.ts";
import { createMcpToolServer } from "../../src/adapters/mcp/server/mcp-tool-server.ts";
import { Agent, AgentRuns, agentDefaults, findRunner } from "../../src/agent/index.ts";
import { isFailureError, systemClock } from "../../src/base/index.ts";
import { ChainLibrary } from "../../src/chain/chain-library.ts";
import { ChainRuns } from "../../src/chain/chain-runs.ts";
import { ApprovalService, createEngine, storedApprover } from "../../src/engine/index.ts";
import { createRedactor } from "../../src/secrets/index.ts";
import type { Approval, Decision } from "../../src/store/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { sampleTool } from "../support/sample-tool.ts";
import { folder, windlass } from "./windlass.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const { username: me } = userInfo();
const permissions = { ask: ["echo"], allow: ["*"] };

/** A workspace whose tool needs approval, and its database. */
async function openWorld() {
  const cwd = await folder({ "windlass.yaml": 'permissions:\n  ask: [echo]\n  allow: ["*"]\n' });
  await windlass(["call", "calculator", "expression=1"], { cwd });
  const file = join(cwd, ".windlass", "journal.db");
  const store = await openSqlite({ file, redactor: createRedactor([]) });
  closing.push(() => store.close());
  const { approvals, runs: journal } = store;
  const echo = sampleTool(() => "done", { name: "echo", effect: "once" });
  const engine = createEngine({ tools: [echo], permissions, approver: storedApprover(approvals, systemClock) });
  const change = (sql: string): void => {
    const db = new DatabaseSync(file);
    db.exec(`PRAGMA busy_timeout = 5000; UPDATE approvals SET ${sql}`);
    db.close();
  };
  const newest = async (): Promise<Approval> => {
    const [approval] = await approvals.list(Date.now());
    if (approval === undefined) throw new Error("nothing was requested");
    return approval;
  };
  return { cwd, approvals, journal, engine, change, newest };
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** One way to request the approval of the call `echo message=TEXT`, and to decide it as the current user. */
interface Caller {
  /** Makes the call, or makes it again. It waits for approval. */
  readonly request: (text: string) => Promise<void>;
  /** Returns true if the decision counts. */
  readonly decide: (id: string, approved: boolean) => Promise<boolean>;
}

async function counts(decided: Promise<Approval>): Promise<boolean> {
  return decided.then(
    () => true,
    (error: unknown) => {
      if (isFailureError(error) && error.code === "validation_error") return false;
      throw error;
    },
  );
}

async function chainCaller({ engine, journal, approvals }: World): Promise<Caller> {
  const chains = new ChainLibrary({ tools: engine.tools });
  const steps = [{ id: "s", tool: "echo", params: { message: "${input.text}" } }];
  chains.add({ name: "c", spec: { name: "c", input: { text: "string" }, steps } });
  const runs = new ChainRuns({ engine, journal, approvals, chains });
  return {
    request: async (text) => {
      expect(
        await runs.join(text, {}).catch(() => runs.start(chains.plan("c"), { runId: text, input: { text } })),
      ).toMatchObject({ status: "waiting" });
    },
    decide: (id, approved) => counts(runs.decide(id, { approved, by: me })),
  };
}

async function agentCaller({ engine, journal, approvals }: World): Promise<Caller> {
  let text = "";
  const model = () => scriptedModel([{ toolCalls: [{ name: "echo", args: { message: text } }] }, "done"]);
  const runs = new AgentRuns({ engine, journal, approvals, runner: findRunner, model });
  const agent = new Agent(runs, { ...agentDefaults, runner: "autonomous" });
  return {
    request: async (about) => {
      text = about;
      const result = (await runs.has(about)) ? await agent.resume(about) : await agent.run("go", { runId: about });
      expect(result).toMatchObject({ status: "waiting" });
    },
    decide: (id, approved) => counts(agent.decide(id, { approved, by: me })),
  };
}

/** The user of the client dismisses the elicitation, until a decision is requested. */
async function mcpCaller({ engine, approvals, newest }: World): Promise<Caller> {
  const serving = createMcpToolServer({
    engine,
    name: "test",
    version: "1.0.0",
    approvals: new ApprovalService(approvals, systemClock),
  });
  const { url, token } = await serving.http();
  const client = new Client({ name: me, version: "1" }, { capabilities: { elicitation: { form: {} } } });
  let answer: boolean | undefined;
  client.setRequestHandler("elicitation/create", () =>
    answer === undefined ? { action: "cancel" } : { action: "accept", content: { approve: answer } },
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  closing.push(async () => {
    await client.close();
    await serving.close();
  });
  const call = (text: unknown) => client.callTool({ name: "echo", arguments: { message: text } });
  return {
    request: async (text) => {
      expect(JSON.stringify(await call(text))).toContain("approval_required");
    },
    decide: async (id, approved) => {
      answer = approved;
      const { args } = (await approvals.get(id, Date.now())) ?? (await newest());
      const { isError } = await call((args as { readonly message: string }).message);
      return isError !== true;
    },
  };
}

async function cliCaller({ cwd }: World): Promise<Caller> {
  return {
    request: async (text) => {
      expect(await windlass(["call", "echo", `message=${text}`], { cwd })).toMatchObject({ code: 3 });
    },
    decide: async (id, approved) => (await windlass([approved ? "approve" : "reject", id], { cwd })).code === 0,
  };
}

describe.each<[string, (world: World) => Promise<Caller>]>([
  ["a chain", chainCaller],
  ["an agent", agentCaller],
  ["the MCP server", mcpCaller],
  ["the command line", cliCaller],
])("[N12] the approval of a call by %s", (name, open) => {
  async function requested() {
    const world = await openWorld();
    const caller = await open(world);
    await caller.request("one");
    const { id } = await world.newest();
    const state = async (): Promise<string | undefined> => (await world.approvals.get(id, Date.now()))?.status;
    return { ...world, ...caller, id, state };
  }
  const elsewhere = ({ approvals }: World, id: string, decision: Decision) =>
    new ApprovalService(approvals, systemClock).decide(id, decision);

  test("is the same when it is requested again, and another one for changed arguments", async () => {
    const { request, decide, id, newest, state, approvals } = await requested();
    await request("one");
    expect((await newest()).id).toBe(id);
    await request("two");
    expect((await newest()).id).not.toBe(id);
    expect(await decide(id, true)).toBe(true);
    expect(["approved", "used"]).toContain(await state());
    expect(await approvals.list(Date.now(), "pending")).toMatchObject([{ args: { message: "two" } }]);
  });

  test("is not decided by a person who may not decide", async () => {
    const { change, decide, id, state } = await requested();
    change(`approvers = '["another person"]'`);
    expect(await decide(id, true)).toBe(false);
    expect(await state()).toBe("pending");
  });

  test("is decided once: the first decision counts", async () => {
    const { decide, id, state, ...world } = await requested();
    expect(await elsewhere(world, id, { approved: false, by: "ann" })).toMatchObject({ isRecorded: true });
    expect(await decide(id, true)).toBe(false);
    expect(await world.approvals.get(id, Date.now())).toMatchObject({ status: "rejected", decidedBy: "ann" });
    expect(await elsewhere(world, id, { approved: true })).toMatchObject({ refusal: { reason: "already_decided" } });
    expect(await state()).toBe("rejected");
  });

  test("is not decided once it has expired", async () => {
    const { change, decide, id, state, newest } = await requested();
    change("expires_at = 1");
    // A client's user decides about a new request of the same call.
    expect(await decide(id, true)).toBe(name === "the MCP server");
    expect(await state()).toBe("expired");
    expect((await newest()).id === id).toBe(name !== "the MCP server");
  });
});
