import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { worldOf } from "../../../test/support/candidates.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { ChainLibrary, ChainRuns, runChain } from "../../chain/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../../store/index.ts";
import { parseContract } from "./contract-file.ts";
import type { Hub } from "./hub.ts";

const text = `
name: look
input: { topic: string }
steps:
  - id: find
    tool: capability:search
    params: { query: "\${input.topic}", count: 2 }
  - id: count
    tool: work
    params: { urls: "\${steps.find.output.results[*].url}" }
output: \${steps.count.output}
`;

const page = (name: string) => ({ title: name, url: `https://${name}.example/`, snippet: "s" });
const finder = (name: string, more: Parameters<typeof sampleTool>[1] = {}) =>
  sampleTool(() => ({ results: [page(name)] }), { name, capabilities: ["search"], ...more });
const work = sampleTool(({ urls }) => (urls as string[]).length, { name: "work" });

describe("capability:search in a chain", () => {
  test("is planned by the contract and called like any tool", async () => {
    const { engine, hub } = worldOf([finder("a"), finder("b"), work]);
    const chains = new ChainLibrary({ tools: hub });
    chains.add({ name: "look", text, file: "chains/look.yaml" });
    expect(chains.problems("look")).toEqual([]);
    const plan = chains.plan("look");
    expect(plan).toMatchObject({ effect: "read", destructive: false });
    const run = await runChain(plan, { engine, chains, input: { topic: "tide mills" } });
    expect(run).toMatchObject({ status: "success", output: 2 });
    const { records } = await engine.queryRecords({});
    expect(records.map(({ tool }) => tool).toSorted()).toEqual(["a", "b", "capability:search", "work"]);
  });

  test("is checked before anything runs: unserved capabilities, and arguments that the contract does not have", () => {
    const { hub } = worldOf([finder("a"), work]);
    const chains = new ChainLibrary({ tools: hub });
    chains.add({ name: "look", text: text.replace("capability:search", "capability:serach"), file: "x.yaml" });
    expect(chains.problems("look")).toMatchObject([
      { code: "unknown_tool", hint: expect.stringContaining("capability:search") },
    ]);
    chains.add({
      name: "other",
      text: text.replace("query:", "q:").replace("name: look", "name: other"),
      file: "y.yaml",
    });
    expect(
      chains
        .problems("other")
        .map(({ message }) => message)
        .join(),
    ).toMatch(/query/);
  });

  test("a chain waits for the approval of the candidate that runs, and continues after it", async () => {
    const clock = new FakeClock();
    const approvals = createInMemoryApprovals({ clock });
    const sends = ["mail", "post"].map((name) =>
      sampleTool(() => `${name} sent`, { name, effect: "idempotent", capabilities: ["send"] }),
    );
    const { engine, hub } = worldOf(sends, { permissions: { ask: ["mail"] }, clock });
    const chains = new ChainLibrary({ tools: hub });
    chains.add({
      name: "send",
      spec: { name: "send", steps: [{ id: "s", tool: "capability:send" }], output: "${steps.s.output}" },
    });
    const journal = createInMemoryRunJournal({ clock, approvals });
    const runs = new ChainRuns({ engine, journal, approvals, chains, clock });
    const first = await runs.start(chains.plan("send"), {});
    const [requested, ...others] = await approvals.list(clock.now(), "pending");
    expect([first.status, requested?.tool, others]).toEqual(["waiting", "mail", []]);
    await approvals.decide(requested?.id ?? "", { approved: true, by: "ann" }, clock.now());
    expect(await runs.resume(first.runId)).toMatchObject({ status: "success", output: "mail sent" });
  });

  test("a choice of candidates that must not run twice waits as well: the chosen one has done nothing yet", async () => {
    const clock = new FakeClock();
    const approvals = createInMemoryApprovals({ clock });
    const ran: string[] = [];
    const sends = ["mail", "post"].map((name) =>
      sampleTool(() => ran.push(name), { name, effect: "once", capabilities: ["send"] }),
    );
    const { engine, hub } = worldOf(sends, { permissions: { ask: ["destructive"] }, clock });
    const chains = sendingChain(hub);
    const journal = createInMemoryRunJournal({ clock, approvals });
    const runs = new ChainRuns({ engine, journal, approvals, chains, clock });
    const first = await runs.start(chains.plan("send"), {});
    const [requested] = await approvals.list(clock.now(), "pending");
    expect([first.status, requested?.tool]).toEqual(["waiting", "mail"]);
    await approvals.decide(requested?.id ?? "", { approved: true, by: "ann" }, clock.now());
    expect(await runs.resume(first.runId)).toMatchObject({ status: "success" });
    expect(ran).toEqual(["mail"]);
  });

  test("the retries of a step never hand work to another tool that one may have done", async () => {
    const ran: string[] = [];
    const sends = ["mail", "post"].map((name) =>
      sampleTool(() => (ran.push(name), Promise.reject(new Error("reset after the work"))), {
        name,
        effect: "idempotent",
        capabilities: ["send"],
      }),
    );
    const { engine, hub } = worldOf(sends);
    const chains = sendingChain(hub, { retry: { max: 2, delay: 0.001 } });
    expect(await runChain(chains.plan("send"), { engine, chains, input: {} })).toMatchObject({ status: "failed" });
    expect(ran).toEqual(["mail"]);
  });
});

function sendingChain(tools: Hub, more: Record<string, unknown> = {}): ChainLibrary {
  const chains = new ChainLibrary({ tools });
  const steps = [{ id: "s", tool: "capability:send", ...more }];
  chains.add({ name: "send", spec: { name: "send", steps, output: "${steps.s.output}" } });
  return chains;
}

describe("a run that waits before it calls a capability", () => {
  const contract = (argument: string) => {
    const text = `
name: lookup
input: { type: object, properties: { word: { type: string } }, required: [word] }
tools:
  foo: { arguments: { ${argument}: "\${input.word}" } }
`;
    return parseContract(text, { file: "capabilities/lookup.yaml" }).contract!;
  };
  const tool = (name: string, revision: string) =>
    Object.freeze({ ...sampleTool(() => name, { name, capabilities: ["lookup"] }), revision });

  async function waiting() {
    const clock = new FakeClock();
    const approvals = createInMemoryApprovals({ clock });
    const { engine, hub, registry } = worldOf([tool("foo", "1"), tool("bar", "1")], { clock });
    hub.setContracts([contract("q")]);
    const chains = new ChainLibrary({ tools: hub });
    const steps = [{ id: "s", tool: "capability:lookup", params: { word: "tide" }, approval: { message: "Really?" } }];
    chains.add({ name: "look", spec: { name: "look", steps, output: "${steps.s.output}" } });
    const journal = createInMemoryRunJournal({ clock, approvals });
    const runs = new ChainRuns({ engine, journal, approvals, chains, clock });
    const { runId } = await runs.start(chains.plan("look"), {});
    const [requested] = await approvals.list(clock.now(), "pending");
    await approvals.decide(requested?.id ?? "", { approved: true, by: "ann" }, clock.now());
    return { hub, registry, goOn: () => runs.resume(runId) };
  }

  test("continues if the capability is unchanged", async () => {
    const { registry, hub, goOn } = await waiting();
    registry.register(sampleTool(() => 1, { name: "unrelated" }));
    registry.register(
      sampleTool(() => 1, { name: "evil/foo", aliases: ["foo"] }),
      { source: "mcps", owner: "evil" },
    );
    registry.register(tool("foo", "1"));
    hub.setContracts([contract("q")]);
    expect(await goOn()).toMatchObject({ status: "success" });
  });

  test("is refused if one of its tools was replaced, removed or added, or the contract changed", async () => {
    const changes: ((world: Awaited<ReturnType<typeof waiting>>) => void)[] = [
      ({ registry }) => registry.register(tool("bar", "2")),
      ({ registry }) => registry.remove("bar"),
      ({ registry }) => registry.register(tool("other", "1")),
      ({ hub }) => hub.setContracts([contract("p")]),
    ];
    for (const change of changes) {
      const world = await waiting();
      change(world);
      await expect(world.goOn()).rejects.toMatchObject({ code: "run_changed", message: /capability:lookup/ });
    }
  });
});

describe("under `taint: strict`", () => {
  const spec = {
    name: "act",
    taint: "strict",
    steps: [
      { id: "web", tool: "capability:search", params: { query: "x" } },
      { id: "act", tool: "write", params: { text: "${steps.web.output.results}" } },
    ],
  };
  const tools = [finder("a"), finder("b"), sampleTool(() => 1, { name: "write", effect: "once" })];
  const problems = (trusted: readonly string[]) => {
    const chains = new ChainLibrary({ tools: worldOf(tools).hub, trusted });
    chains.add({ name: "act", spec: spec as never });
    return chains.problems("act").map(({ hint }) => hint);
  };

  test("a capability is trusted with its current tools, not with tools that get it later", () => {
    expect(problems(["a", "b"])).toEqual([]);
    for (const trusted of [[], ["a"], ["capability:search"]]) {
      expect(problems(trusted)).toEqual([expect.stringContaining("chains: { trusted_tools: [a, b] }")]);
    }
  });
});
