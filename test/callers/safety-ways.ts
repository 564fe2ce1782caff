import { AIMessage } from "@langchain/core/messages";
import type { LanguageModelV4Content } from "@ai-sdk/provider";
import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createAgent as createLangChainAgent } from "langchain";
import { toAiSdkTools } from "../../src/ai-sdk.ts";
import { agentTool, createAgent } from "../../src/agent.ts";
import { type Workspace, openWorkspace } from "../../src/app/index.ts";
import { toLangChainTools } from "../../src/langchain.ts";
import type { PermissionRules } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing.ts";
import type { LoopbackSite } from "../support/loopback-site.ts";
import { ScriptedChatModel, calling } from "../support/scripted-chat-model.ts";
import { folderWith, writeFiles } from "../support/workspace.ts";

/** A call of a tool of the folder. */
export interface CellCall {
  /** Name of the tool; its former name is `NAME_former`, its capability `NAME_capability`. */
  readonly tool: string;
  readonly args: Args;
  /**
   * A page that is read before the call and decides its arguments: a model reads the page itself, a chain has a step
   * `page`, and then these arguments instead of `args`.
   */
  readonly after?: { readonly page: string; readonly params: Args };
}

type Args = Readonly<Record<string, unknown>>;

/** A workspace folder with one call to make in it. */
export interface CellFolder extends CellCall {
  readonly dir: string;
  /** Opens the folder with its SQLite database, as a new process does. */
  readonly open: () => Promise<Workspace>;
}

/** One way to call a tool. */
export interface SafetyWay {
  readonly way: string;
  /** The caller on the path, as permission rules name it. */
  readonly caller: "model" | "mcp";
  /** True if a step of a chain file states the arguments: undeclared ones are then an error of the file. */
  readonly inFile?: true;
  /** True if the way is another name of the tool, which a chain does not have. */
  readonly isOtherName?: true;
  /** Makes the call; returns the result or the failure that the caller sees, as text. */
  readonly reach: (folder: CellFolder) => Promise<string>;
}

/** The built program; `npm test` builds it first. */
const program = resolve(import.meta.dirname, "../../dist/bin.js");

const model = { callerType: "conversation_agent" } as const;

/** A tool file that narrows a built-in tool to some of its parameters, with a former name and a capability. */
function narrowed(name: string, handler: string, parameters: readonly string[]): string {
  return JSON.stringify({
    name,
    description: `Narrows ${handler}.`,
    aliases: [`${name}_former`],
    capabilities: [`${name}_capability`],
    parameters: parameters.map((parameter) => ({ name: parameter, type: "string", required: true })),
    entry: { type: "builtin", handler },
  });
}

/** The contract of the capability declares `method`, which the tool that serves it does not. */
const contract = JSON.stringify({
  name: "get_capability",
  description: "Gets a page.",
  input: { type: "object", properties: { url: { type: "string" }, method: { type: "string" } }, required: ["url"] },
});

/** Files of a workspace with the tools `put`, `get` and `request`. Default rules: nothing needs approval. */
export function cellFiles(site: Pick<LoopbackSite, "port">, rules: PermissionRules = {}): Record<string, string> {
  const permissions = { ask: [], allow: ["* trusted"], ...rules };
  return {
    "windlass.yaml": JSON.stringify({ permissions, network: { allow: [`127.0.0.1:${site.port}`] } }),
    "notes/a.md": "A",
    "tools/put.yaml": narrowed("put", "write_file", ["path", "content"]),
    "tools/get.yaml": narrowed("get", "http_request", ["url"]),
    "tools/request.yaml": narrowed("request", "http_request", ["url", "method"]),
    "capabilities/get_capability.yaml": contract,
  };
}

/** Creates the folder of a call, with chains that make it. Workspaces that it opens are closed by `closing`. */
export async function cellFolder(
  call: CellCall,
  files: Readonly<Record<string, string>>,
  closing: (() => Promise<unknown>)[],
): Promise<CellFolder> {
  const dir = await folderWith({ ...files, ...chainFiles(call) });
  const open = async (): Promise<Workspace> => {
    const workspace = await openWorkspace(dir, { reload: false });
    closing.push(() => workspace.close());
    return workspace;
  };
  return { ...call, dir, open };
}

/** Chains that make the call: in a step, in a sub-chain, for each item, and after an approval. */
function chainFiles({ tool, args, after }: CellCall): Record<string, string> {
  const params = after?.params ?? args;
  const step = { id: "s", tool, params };
  const first = after === undefined ? [] : [{ id: "page", tool: "get", params: { url: after.page } }];
  const names = Object.keys(args);
  const from = (scope: string): Args => Object.fromEntries(names.map((name) => [name, `\${${scope}.${name}}`]));
  const input = Object.fromEntries(names.map((name) => [name, "string"]));
  const gate = { id: "gate", tool: "calculator", params: { expression: "1+1" }, approval: "Continue?" };
  const chains = [
    { name: "inner", input, steps: [{ ...step, params: from("input") }] },
    { name: "outer", steps: [...first, { ...step, tool: "inner" }] },
    { name: "each", steps: [...first, { ...step, for_each: [params], params: from("item") }] },
    { name: "one", steps: [...first, step] },
    { name: "gated", steps: [...first, gate, { ...step, depends_on: ["gate"] }] },
  ];
  return Object.fromEntries(
    chains.map((chain) => [`chains/${chain.name}.yaml`, JSON.stringify({ description: "Makes the call.", ...chain })]),
  );
}

/** The calls that a model makes: of the page, if there is one, and then of the tool. */
function modelCalls({ tool, args, after }: CellCall): { name: string; args: Record<string, unknown> }[] {
  const first = after === undefined ? [] : [{ name: "get", args: { url: after.page } }];
  return [...first, { name: tool, args: { ...args } }];
}

async function callAsModel({ open, args, after }: CellFolder, name: string): Promise<string> {
  const { engine } = await open();
  return JSON.stringify(await engine.call(name, args, { ...model, tainted: after !== undefined }));
}

async function callChain({ open }: CellFolder, name: string): Promise<string> {
  const workspace = await open();
  await workspace.loadChain(name);
  return JSON.stringify(await workspace.engine.call(name, {}, model));
}

/** The model of an agent requests the call; the agent is called by an MCP client. */
async function callAgent(folder: CellFolder): Promise<string> {
  const { engine } = await folder.open();
  const calls = modelCalls(folder);
  const scripted = scriptedModel([...calls.map((call) => ({ toolCalls: [call] })), "done"]);
  const agent = createAgent({ engine, model: scripted, tools: calls.map(({ name }) => name) });
  engine.tools.register(agentTool(agent, { name: "helper", description: "Helps." }));
  const result = await engine.call("helper", { prompt: "go" }, { callerType: "mcp_client" });
  return JSON.stringify([result, scripted.calls]);
}

/**
 * `windlass mcp serve` of the built program, over stdio. A client calls the tool, or the chain in which a page decides
 * the call.
 */
async function callServed({ dir, tool, args, after }: CellFolder): Promise<string> {
  const client = new Client({ name: "t", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", "serve"],
    cwd: dir,
    env: { ...process.env, WINDLASS_TRUST: "1", XDG_CONFIG_HOME: dir },
    stderr: "ignore",
  });
  await client.connect(transport);
  try {
    const called = after === undefined ? { name: tool, arguments: { ...args } } : { name: "one", arguments: {} };
    return JSON.stringify(await client.callTool(called));
  } finally {
    await client.close();
  }
}

/** A person ran a harmless version of the chain; an MCP client reruns the present one in another process. */
async function callByRerun(folder: CellFolder): Promise<string> {
  const { dir, open } = folder;
  const present = chainFiles(folder);
  await writeFiles(dir, {
    "chains/one.yaml": JSON.stringify({
      name: "one",
      steps: [{ id: "s", tool: "calculator", params: { expression: "1+1" } }],
    }),
  });
  const before = await open();
  const { runId, status } = await before.runs.start(await before.loadChain("one"));
  if (status !== "success") throw new Error(`the first run ended with ${status}`);
  await before.close();
  await writeFiles(dir, present);
  const after = await open();
  return JSON.stringify(await after.runs.rerun(runId, { callerType: "mcp_client" }));
}

/** A model started the chain; another process resumes it after a person's approval. */
async function callByResume({ open }: CellFolder): Promise<string> {
  const before = await open();
  const { runId, status } = await before.runs.start(await before.loadChain("gated"), model);
  if (status !== "waiting") throw new Error(`the run is not waiting: ${status}`);
  await before.close();
  const after = await open();
  const [pending] = await after.approvals.list("pending");
  await after.approvals.decide(pending?.id ?? "", { approved: true, by: "ann" });
  return JSON.stringify(await after.runs.resume(runId));
}

async function callFromLangChain(folder: CellFolder): Promise<string> {
  const { engine } = await folder.open();
  const calls = modelCalls(folder);
  const chat = new ScriptedChatModel([...calls.map((call) => calling(call)), new AIMessage("done")]);
  const tools = toLangChainTools(engine, { tools: calls.map(({ name }) => name) });
  const agent = createLangChainAgent({ model: chat, tools });
  return JSON.stringify(await agent.invoke({ messages: [{ role: "user", content: "go" }] }));
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

async function callFromAiSdk(folder: CellFolder): Promise<string> {
  const { engine } = await folder.open();
  const calls = modelCalls(folder);
  const answers: LanguageModelV4Content[] = calls.map(({ name, args }, at) => ({
    type: "tool-call",
    toolCallId: String(at),
    toolName: name,
    input: JSON.stringify(args),
  }));
  answers.push({ type: "text", text: "done" });
  const mock = new MockLanguageModelV4({
    doGenerate: () => {
      const content = answers.splice(0, 1);
      const unified = content[0]?.type === "text" ? ("stop" as const) : ("tool-calls" as const);
      return Promise.resolve({ content, finishReason: { unified, raw: undefined }, usage, warnings: [] });
    },
  });
  const tools = toAiSdkTools(engine, { tools: calls.map(({ name }) => name) });
  const { steps } = await generateText({ model: mock, prompt: "go", tools, stopWhen: stepCountIs(4) });
  return JSON.stringify(steps.map(({ content }) => content));
}

/** Every way to call a tool that the safety rules must hold for. */
export const safetyWays: readonly SafetyWay[] = [
  { way: "a sub-chain", caller: "model", inFile: true, reach: (folder) => callChain(folder, "outer") },
  { way: "for_each", caller: "model", inFile: true, reach: (folder) => callChain(folder, "each") },
  { way: "an agent as a tool", caller: "mcp", reach: callAgent },
  {
    way: "a capability",
    caller: "model",
    isOtherName: true,
    reach: (folder) => callAsModel(folder, `capability:${folder.tool}_capability`),
  },
  {
    way: "an alias",
    caller: "model",
    isOtherName: true,
    reach: (folder) => callAsModel(folder, `${folder.tool}_former`),
  },
  { way: "mcp serve", caller: "mcp", reach: callServed },
  { way: "rerun", caller: "mcp", inFile: true, reach: callByRerun },
  { way: "resume", caller: "model", inFile: true, reach: callByResume },
  { way: "the LangChain adapter", caller: "model", reach: callFromLangChain },
  { way: "the AI SDK adapter", caller: "model", reach: callFromAiSdk },
];
