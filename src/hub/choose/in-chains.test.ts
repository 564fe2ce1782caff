import { describe, expect, test } from "vitest";
import { sampleOwner } from "../../../test/conformance/sample-run.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { worldOf } from "../../../test/support/candidates.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { ChainLibrary, ChainRuns, runChain } from "../../chain/index.ts";
import { createMemoryApprovals, createMemoryRuns } from "../../store/index.ts";

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

  test("is checked before anything runs: what no tool can do, and arguments that the contract does not have", () => {
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

  test("a chain waits for the approval of the candidate that runs, and goes on after it", async () => {
    const clock = new FakeClock();
    const approvals = createMemoryApprovals({ clock });
    const sends = ["mail", "post"].map((name) =>
      sampleTool(() => `${name} sent`, { name, effect: "idempotent", capabilities: ["send"] }),
    );
    const { engine, hub } = worldOf(sends, { permissions: { ask: ["mail"] }, clock });
    const chains = new ChainLibrary({ tools: hub });
    chains.add({
      name: "send",
      spec: { name: "send", steps: [{ id: "s", tool: "capability:send" }], output: "${steps.s.output}" },
    });
    const journal = createMemoryRuns({ clock });
    const runs = new ChainRuns({ engine, journal, approvals, chains, owner: sampleOwner("p"), clock });
    const first = await runs.start(chains.plan("send"), {});
    const [asked, ...others] = await approvals.list(clock.now(), "pending");
    expect([first.status, asked?.tool, others]).toEqual(["waiting", "mail", []]);
    await approvals.decide(asked?.id ?? "", { approved: true, by: "ann" }, clock.now());
    expect(await runs.resume(first.runId)).toMatchObject({ status: "success", output: "mail sent" });
  });
});
