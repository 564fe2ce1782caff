import { expect, test } from "vitest";
import { AgentRuns, agentDefaults, findRunner } from "../src/agent/index.ts";
import { ChainLibrary, ChainRuns, type ChainSpec, chainTool } from "../src/chain/index.ts";
import { fail } from "../src/base/index.ts";
import { type RequestApproval, createEngine } from "../src/engine/index.ts";
import { DurableCalls, RunService, openHost } from "../src/run/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../src/store/index.ts";
import { ok } from "../src/tool/index.ts";
import { scriptedModel } from "../src/testing/index.ts";
import { type Queue, queuedCalls } from "./support/queued-calls.ts";
import { sampleTool } from "./support/sample-tool.ts";

const secret = "correct-horse-battery";

/** A machine, and everything that people and tools see of its runs. */
function machine(sent?: string[]) {
  const seen: unknown[] = [];
  let failures = 0;
  const tools = [
    sampleTool(({ token }) => ({ isRight: token === secret, echo: token }), { name: "login" }),
    sampleTool(({ text }) => ({ chars: String(text).length, isSecret: text === secret }), { name: "count" }),
    sampleTool(
      (_args, { attempt }) => {
        seen.push(`attempt ${attempt}`);
        if (++failures < 3) throw new Error("not yet");
        return "at last";
      },
      { name: "flaky" },
    ),
    sampleTool(() => ok({ url: "https://known.example/a", host: "other.example" }), { name: "look" }),
    sampleTool(({ url }) => `page of ${String(url)}`, { name: "open", targets: { url: "url" } }),
    sampleTool(({ to }) => void seen.push(`sent to ${String(to)}`), { name: "send", effect: "once" }),
    sampleTool(() => ok("drawn", { attachments: [{ kind: "file", mimeType: "x/y", data: new Uint8Array(3) }] }), {
      name: "draw",
    }),
    sampleTool(
      async ({ to }, { callTool }) => {
        const result = await callTool("send", { to });
        if (!result.success) throw fail(result.error.message);
        return "sent";
      },
      {
        name: "outer",
        composite: true,
        effect: "idempotent",
        destructive: false,
      },
    ),
    sampleTool(() => Promise.reject(new Error("broken")), { name: "broken" }),
  ];
  const secrets = { API: secret };
  const permissions = { ask: ["send"], allow: ["*"] };
  const engine = createEngine({ tools, secrets, permissions, limits: { maxRetries: 0 } });
  const approvals = createInMemoryApprovals();
  const { redactor } = engine;
  const names = Object.keys(secrets);
  const queue = (texts: string[]): Queue => ({ sent: texts, known: { redactor, secrets: engine.secrets, names } });
  const service = new RunService({
    journal: createInMemoryRunJournal({ approvals }),
    approvals,
    secrets: engine,
    ...(sent && {
      openHost: (task) => openHost({ ...task, calls: task.calls && queuedCalls(task.calls, queue(sent)) }),
    }),
  });
  const requestApproval: RequestApproval = async ({ tool, args, message, step }) => {
    seen.push({ tool, args, message, step });
    return { approved: true, by: "ann" };
  };
  return { engine, service, seen, requestApproval };
}

const inner: ChainSpec = {
  name: "inner",
  steps: [{ id: "login", tool: "login", params: { token: "${input.token}" } }],
  output: "${steps.login.output.isRight}",
};

const everything: ChainSpec = {
  name: "everything",
  max_parallel: 1,
  steps: [
    { id: "login", tool: "login", params: { token: "${secret.API}", nested: [{ "[secret API]": "[secret API]" }] } },
    { id: "count", tool: "count", params: { text: "${steps.login.output.echo}" } },
    { id: "sub", tool: "inner", params: { token: "${secret.API}" } },
    { id: "flaky", tool: "flaky", retry: { max: 5, delay: "1ms" } },
    { id: "look", tool: "look" },
    { id: "known", tool: "open", params: { url: "${steps.look.output.url}" } },
    { id: "composed", tool: "open", params: { url: "https://${steps.look.output.host}/x" } },
    { id: "each", tool: "outer", for_each: ["ann", "bob"], params: { to: "${item}" } },
    { id: "task", tool: "task", params: { url: "${steps.look.output.url}" } },
    { id: "draw", tool: "draw", cache: { ttl: 60 } },
    {
      id: "saved",
      tool: "broken",
      error_handling: { strategy: "fallback", fallback: [{ tool: "count", params: { text: "${error.message}" } }] },
    },
  ],
};

const undone: ChainSpec = {
  name: "undone",
  steps: [
    { id: "write", tool: "outer", params: { to: "cy" }, compensate: { tool: "count", params: { text: "undo" } } },
    { id: "fails", tool: "broken", depends_on: ["write"] },
  ],
};

/** The results of runs of every kind, with what people and tools see of them. */
async function results(sent?: string[]): Promise<unknown> {
  const { engine, service, seen, requestApproval } = machine(sent);
  const chains = new ChainLibrary({ tools: engine.tools });
  chains.add({ name: "t", spec: { name: "task", input: { url: "string" }, steps: [open("in", "${input.url}")] } });
  engine.tools.register(chainTool(chains.plan("t")));
  for (const spec of [inner, undone, everything]) chains.add({ name: spec.name, spec });
  const chainRuns = new ChainRuns({ engine, service, chains });
  const chainResults = [];
  for (const { name } of [everything, undone]) {
    const { status, output, steps, error } = await chainRuns.start(chains.plan(name), { requestApproval });
    const shown = steps.map(({ path, attempts, input, compensation }) => [path, attempts, input, compensation?.status]);
    chainResults.push({ status, output, shown, error });
  }
  const model = scriptedModel([
    { toolCalls: [{ name: "look", args: {} }] },
    {
      toolCalls: [
        { name: "open", args: { url: "https://known.example/a" } },
        { name: "open", args: { url: "https://other.example/x" } },
        { name: "outer", args: { to: "dan" } },
      ],
    },
    { toolCalls: [{ name: "task", args: { url: "https://known.example/a" } }] },
    "the answer",
  ]);
  const agents = new AgentRuns({ engine, service, runner: findRunner, model: () => model });
  const agent = await agents.start({ ...agentDefaults, runner: "autonomous" }, "Begin.", { requestApproval });
  const { status, answer, toolUsageSummary, messages, usage } = agent;
  const calls = new DurableCalls({ engine, service });
  const call = await calls.start("outer", { to: "eve" }, { requestApproval, tainted: true });
  const called = { status: call.status, result: call.result?.success === true && call.result.output };
  await service.close();
  return {
    chainResults,
    agent: { status, answer, toolUsageSummary, messages, usage },
    called,
    seen: seen.map((each) => JSON.stringify(each)).toSorted(),
  };
}

function open(id: string, url: string): ChainSpec["steps"][number] {
  return { id, tool: "open", params: { url } };
}

test("[N12] runs whose calls and ends are sent as JSON have the same results, and no secret is sent", async () => {
  const sent: string[] = [];
  const [local, queued] = [await results(), await results(sent)];
  expect(queued).toEqual(local);
  expect(local).toMatchObject({
    chainResults: [{ status: "success" }, { status: "failed" }],
    agent: { status: "completed", answer: "the answer" },
    called: { status: "success", result: "sent" },
    seen: expect.arrayContaining(['"attempt 3"', expect.stringContaining("Untrusted content decides its url")]),
  });
  expect(sent.length).toBeGreaterThan(60);
  expect(sent.filter((text) => text.includes(secret))).toEqual([]);
});
