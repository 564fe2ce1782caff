import { describe, expect, test } from "vitest";
import { worldOf } from "../../../test/support/candidates.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { fail } from "../../base/index.ts";
import { ChainLibrary, dryRunner, explainStep, runChain } from "../../chain/index.ts";
import { engineRunner } from "../../run/index.ts";
import type { AnyTool } from "../../tool/index.ts";

const page = (name: string) => ({ title: name, url: `https://${name}.example/`, snippet: "s" });
const finder = (name: string, run: Parameters<typeof sampleTool>[0]) =>
  sampleTool(run, { name, capabilities: ["search"] });

/** A chain with one step that searches, over these tools. */
function searching(tools: readonly AnyTool[], step: Readonly<Record<string, unknown>> = {}) {
  const { engine, hub } = worldOf(tools);
  const chains = new ChainLibrary({ tools: hub });
  const find = { id: "find", tool: "capability:search", params: { query: "tides" }, ...step };
  chains.add({ name: "look", spec: { name: "look", steps: [find], output: "${steps.find.output.results}" } });
  expect(chains.problems("look")).toEqual([]);
  return { engine, chains, plan: chains.plan("look") };
}

describe("a step that calls a capability", () => {
  test("is reported with the tools that served it, failed or were not called", async () => {
    const { engine, chains, plan } = searching([
      finder("web", () => fail("401 key expired", { code: "not_available", retry: "never" })),
      finder("notes", () => ({ results: [page("n")] })),
      finder("pages", () => ({ results: [page("p")] })),
      sampleTool(() => ({}), { name: "off", capabilities: ["search"], status: "disabled" }),
    ]);
    const run = await runChain(plan, { engine, chains });
    expect(run.status).toBe("success");
    const text = explainStep(run, "find");
    expect(text).toContain("It was served by notes and pages; their results were merged.");
    expect(text).toContain("web was called for it too, and failed: not_available: 401 key expired.");
    expect(run.log().steps[0]).toMatchObject({
      tool: "capability:search",
      sources: ["notes", "pages"],
      failed_sources: [{ tool: "web", code: "not_available", message: "401 key expired" }],
    });
  });

  test("a capability with one tool is reported without sources", async () => {
    const { engine, hub } = worldOf([sampleTool(() => 1, { name: "one" })]);
    const chains = new ChainLibrary({ tools: hub });
    chains.add({ name: "c", spec: { name: "c", steps: [{ id: "s", tool: "one" }] } });
    const run = await runChain(chains.plan("c"), { engine, chains });
    expect(explainStep(run, "s").join(" ")).not.toContain("served by");
    expect(run.log().steps[0]).not.toHaveProperty("sources");
  });

  test("really reads in a dry run, and only records calls with side effects", async () => {
    const calls: string[] = [];
    const send = ["mail", "post"].map((name) =>
      sampleTool(() => calls.push(name), { name, effect: "once", capabilities: ["send"] }),
    );
    const { engine, hub } = worldOf([finder("web", () => (calls.push("web"), { results: [page("w")] })), ...send]);
    const chains = new ChainLibrary({ tools: hub });
    const steps = [
      { id: "find", tool: "capability:search", params: { query: "tides" } },
      { id: "send", tool: "capability:send", params: { text: "${steps.find.output.results[0].url}" } },
    ];
    chains.add({ name: "c", spec: { name: "c", steps } });
    const runner = dryRunner({
      runner: engineRunner({ begin: (...call) => engine.begin(...call) }),
      tool: (name) => hub.resolve(name)?.tool,
    });
    const run = await runChain(runner.prepare(chains.plan("c")), { engine, chains, runner });
    expect([run.status, calls]).toEqual(["success", ["web"]]);
    expect(runner.withheld).toMatchObject([{ tool: "capability:send", effect: "once", args: { text: page("w").url } }]);
  });

  test("keeps its timeout regardless of its tools", async () => {
    const hangs = finder("slow", (_args, { signal }) => {
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    });
    const { engine, chains, plan } = searching([hangs], { timeout: 0.05 });
    const begin = performance.now();
    const run = await runChain(plan, { engine, chains });
    expect(performance.now() - begin).toBeLessThan(2_000);
    expect(run).toMatchObject({ status: "failed", error: { code: "timeout" } });
    expect(engine.metrics().currentConcurrent).toBe(0);
  });
});
