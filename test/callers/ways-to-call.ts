import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { toAiSdkTools } from "../../src/ai-sdk.ts";
import { agentTool, createAgent } from "../../src/agent.ts";
import { ChainLibrary, ChainRuns, type ChainSpec, createInMemoryRunJournal } from "../../src/chain.ts";
import {
  type AnyTool,
  type CallContext,
  type PermissionRules,
  createInMemoryApprovals,
  storedApprover,
  systemClock,
} from "../../src/index.ts";
import { toLangChainTools } from "../../src/langchain.ts";
import { createMcpToolServer } from "../../src/adapters/mcp/server/mcp-tool-server.ts";
import { scriptedModel } from "../../src/testing.ts";
import { type World, worldOf } from "../support/candidates.ts";

/** An engine with tools and chains, and durable runs of the chains. */
export interface CallWorld extends World {
  readonly runs: ChainRuns;
  readonly chains: ChainLibrary;
  readonly approvals: ReturnType<typeof createInMemoryApprovals>;
}

export function callWorld(
  tools: readonly AnyTool[],
  specs: readonly ChainSpec[],
  permissions: PermissionRules = {},
): CallWorld {
  const approvals = createInMemoryApprovals();
  const world = worldOf(tools, { permissions, approver: storedApprover(approvals, systemClock) });
  const { engine } = world;
  const chains = new ChainLibrary({ tools: engine.resolver });
  for (const spec of specs) chains.add({ name: spec.name, spec });
  chains.registerIn(engine.tools);
  const journal = createInMemoryRunJournal({ approvals });
  const runs = new ChainRuns({ engine, journal, approvals, chains });
  return { ...world, runs, chains, approvals };
}

type Args = Readonly<Record<string, unknown>>;

/** One way in which a caller reaches a chain. */
export interface WayToCall {
  readonly way: string;
  /** The caller as permission rules name it. */
  readonly caller: "model" | "mcp";
  /** Calls the chain, or all that leads to it; the result or the failure as text. */
  readonly reach: (world: CallWorld, chain: string, args?: Args) => Promise<string>;
}

const asModel = (context: CallContext = {}): CallContext => ({ ...context, callerType: "conversation_agent" });

async function callAs(context: CallContext, { engine }: CallWorld, [tool, args]: [string, unknown]): Promise<string> {
  return JSON.stringify(await engine.call(tool, args, context));
}

/** Every way from a model or an MCP client to a chain. `tainted` if the conversation contains untrusted content. */
export function waysToCall(tainted: boolean): readonly WayToCall[] {
  return [
    {
      way: "a call of the chain by a model",
      caller: "model",
      reach: (world, chain, args = {}) => callAs(asModel({ tainted }), world, [chain, args]),
    },
    {
      way: "an agent as a tool",
      caller: "mcp",
      reach: (world, chain, args = {}) => {
        const model = scriptedModel([{ toolCalls: [{ name: chain, args }] }, "done"]);
        const agent = createAgent({ engine: world.engine, model, tools: [chain] });
        world.engine.tools.register(agentTool(agent, { name: "helper", description: "Helps" }));
        return callAs({ callerType: "mcp_client", tainted }, world, ["helper", { prompt: "go" }]);
      },
    },
    { way: "mcp serve", caller: "mcp", reach: callServed },
    {
      way: "the AI SDK adapter",
      caller: "model",
      reach: async ({ engine }, chain, args = {}) => {
        const tool = toAiSdkTools(engine, { tainted })[chain];
        const options = { toolCallId: "1", messages: [], context: undefined };
        return JSON.stringify(await tool?.execute(args, options));
      },
    },
    {
      way: "the LangChain adapter",
      caller: "model",
      reach: async ({ engine }, chain, args = {}) => {
        const tool = toLangChainTools(engine, { tainted }).find(({ name }) => name === chain);
        return JSON.stringify(await tool?.invoke({ type: "tool_call", id: "1", name: chain, args }));
      },
    },
    {
      way: "a run that another process resumes",
      caller: "model",
      reach: async (world, chain, input = {}) => {
        const { chains, runs } = world;
        const gate = { id: "gate", tool: chain, params: input, approval: "Go on?" } as const;
        chains.add({ name: "gated", spec: { name: "gated", steps: [gate] } });
        const plan = chains.plan("gated");
        const waiting = await runs.start(plan, { callerType: "conversation_agent", tainted, runId: "gated-run" });
        const approval = JSON.stringify(waiting).match(/"approvalId":"([^"]+)"/)?.[1] ?? "";
        await world.approvals.decide(approval, { approved: true }, Date.now());
        return JSON.stringify(await runs.resume("gated-run"));
      },
    },
    {
      way: "a run that the caller reruns",
      caller: "mcp",
      reach: async ({ chains, runs }, chain, input = {}) => {
        await runs.start(chains.plan("harmless"), { input, tainted, runId: "first" }).catch(() => {});
        chains.add({ name: "harmless", spec: { name: "harmless", steps: [{ id: "s", tool: chain, params: input }] } });
        return JSON.stringify(await runs.rerun("first", { callerType: "mcp_client" }));
      },
    },
  ];
}

async function callServed({ engine }: CallWorld, chain: string, args: Args = {}): Promise<string> {
  const serving = createMcpToolServer({ engine, name: "test", version: "1.0.0" });
  const { url, token } = await serving.http();
  const client = new Client({ name: "t", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  try {
    return JSON.stringify(await client.callTool({ name: chain, arguments: { ...args } }));
  } finally {
    await client.close();
    await serving.close();
  }
}
