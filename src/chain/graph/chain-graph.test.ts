import { describe, expect, test } from "vitest";
import { fromJsonSchema } from "../../schema/index.ts";
import { type AnyTool, type Effect, ToolRegistry, defineTool } from "../../tool/index.ts";
import { planChain } from "../plan/plan-chain.ts";
import type { Plan } from "../plan/plan.ts";
import type { ChainSpec, StepSpec } from "../plan/chain-spec.ts";
import { chainGraph } from "./chain-graph.ts";
import { type GraphStep, isStep } from "./graph.ts";

const input = fromJsonSchema({ type: "object" });
const tool = (name: string, effect: Effect | (() => Effect) = "read"): AnyTool =>
  defineTool({ name, description: name, effect, input, run: () => null });
const tools = new ToolRegistry();
for (const each of [
  tool("search"),
  tool("fetch"),
  tool("sum", "pure"),
  tool("keep", "idempotent"),
  tool("send", "once"),
  tool("http", () => "read"),
])
  tools.register(each);

function planned(spec: Partial<ChainSpec> & { steps: readonly StepSpec[] }, chains: Record<string, Plan> = {}): Plan {
  const context = {
    tools,
    chains: (name: string) => (Object.hasOwn(chains, name) ? () => chains[name]! : undefined),
  };
  const { plan, problems } = planChain({ spec: { name: "sample", ...spec } }, context);
  expect(problems.filter(({ severity }) => severity !== "warning")).toEqual([]);
  return plan!;
}

const graphOf = (spec: Partial<ChainSpec> & { steps: readonly StepSpec[] }) => chainGraph(planned(spec));
const steps = (graph: ReturnType<typeof chainGraph>): GraphStep[] => graph.nodes.filter(isStep);
const first = (step: Partial<StepSpec>): GraphStep =>
  steps(graphOf({ steps: [{ id: "a", tool: "search", ...step }] }))[0]!;

describe("nodes", () => {
  test("are the input, the steps in the order of the file, and the output", () => {
    const graph = graphOf({
      version: "2.0.0",
      description: "Finds and keeps",
      input: { topic: "string", depth: "number=3" },
      steps: [
        { id: "find", tool: "search", params: { q: "${input.topic}" } },
        { id: "store", tool: "keep", params: { what: "${steps.find.output}" } },
      ],
      output: { id: "${steps.store.output}" },
    });
    expect(graph).toMatchObject({ name: "sample", version: "2.0.0", description: "Finds and keeps", fallbacks: [] });
    expect(graph.nodes).toEqual([
      { key: "input", kind: "input", fields: ["topic", "depth"] },
      { key: "steps.find", kind: "tool", id: "find", tool: "search", effect: "read", fallbacks: [] },
      { key: "steps.store", kind: "tool", id: "store", tool: "keep", effect: "idempotent", fallbacks: [] },
      { key: "output", kind: "output", fields: ["id"] },
    ]);
  });

  test("a chain without inputs and outputs has no input node, and outputs the steps that no other step waits for", () => {
    const graph = graphOf({
      steps: [
        { id: "a", tool: "search" },
        { id: "b", tool: "fetch", depends_on: ["a"] },
      ],
    });
    expect(graph.nodes.map(({ key }) => key)).toEqual(["steps.a", "steps.b", "output"]);
    expect(graph.edges).toEqual([
      { from: "steps.a", to: "steps.b", kind: "order", reads: [] },
      { from: "steps.b", to: "output", kind: "data", reads: ["output"] },
    ]);
    expect(graph.version).toBe("");
  });

  test("a step that calls a chain shows that, with the effect of the chain", () => {
    const inner = planned({ name: "inner", steps: [{ id: "x", tool: "send" }] });
    const graph = chainGraph(planned({ steps: [{ id: "a", tool: "inner" }] }, { inner }));
    expect(steps(graph)[0]).toMatchObject({ kind: "chain", tool: "inner", effect: "once" });
  });

  test("a chain that can no longer be planned may have any effect", () => {
    const inner = planned({ name: "inner", steps: [{ id: "x", tool: "search" }] });
    let there = true;
    const find = (): Plan => {
      if (there) return inner;
      throw new Error("gone");
    };
    const { plan } = planChain(
      { spec: { name: "outer", steps: [{ id: "a", tool: "inner" }] } },
      { tools, chains: (name) => (name === "inner" ? find : undefined) },
    );
    there = false;
    expect(steps(chainGraph(plan!))[0]).toMatchObject({ kind: "chain", effect: "once" });
  });

  test("an effect that depends on the arguments varies until they are known", () => {
    expect(first({ tool: "http", params: { url: "${input.url}" } }).effect).toBe("varies");
    expect(first({ tool: "http", params: { url: "https://a.test" } }).effect).toBe("read");
  });
});

describe("features of a step", () => {
  test("condition, for_each and repeat are shown without their braces", () => {
    expect(first({ condition: "${ input.a > 0 }" }).condition).toBe("input.a > 0");
    expect(first({ condition: "input.a > 0" }).condition).toBe("input.a > 0");
    expect(first({ for_each: "${input.list}", concurrency: 3 }).forEach).toEqual({
      items: "input.list",
      concurrency: 3,
    });
    expect(first({ for_each: [1, 2, 3] }).forEach).toEqual({ items: "3 items", concurrency: 5 });
    expect(first({ repeat: { until: "${steps.a.output.done}", max: 4 } }).repeat).toEqual({
      until: "steps.a.output.done",
      max: 4,
    });
  });

  test("shows retry, cache, approval, compensation and timeout", () => {
    const step = first({
      retry: { max: 2 },
      cache: { ttl: "2m" },
      approval: "Really?",
      compensate: { tool: "send" },
      timeout: 5,
      description: "Looks around",
    });
    expect(step).toMatchObject({
      retry: 2,
      cacheMs: 120_000,
      approval: "Really?",
      compensate: "send",
      timeoutMs: 5000,
    });
    expect(step.description).toBe("Looks around");
    expect(Object.keys(first({}))).not.toContain("retry");
  });

  test("a fallback of the chain belongs to the step whose failure its condition names", () => {
    const graph = graphOf({
      steps: [
        { id: "a", tool: "search" },
        { id: "b", tool: "fetch" },
      ],
      error_handling: {
        strategy: "fallback",
        fallback: [{ condition: "${steps.a.error}", tool: "keep" }, { tool: "sum" }],
      },
    });
    expect(steps(graph).map(({ fallbacks }) => fallbacks)).toEqual([
      [{ tool: "keep", kind: "tool", condition: "steps.a.error" }],
      [],
    ]);
    expect(graph.fallbacks).toEqual([{ tool: "sum", kind: "tool" }]);
  });

  test("the fallbacks of a step belong to it", () => {
    const step = first({ error_handling: { strategy: "fallback", fallback: [{ tool: "sum" }] } });
    expect(step.fallbacks).toEqual([{ tool: "sum", kind: "tool" }]);
  });
});

describe("edges", () => {
  const edgesTo = (id: string, spec: Parameters<typeof graphOf>[0]) =>
    graphOf(spec).edges.filter(({ to }) => to === `steps.${id}`);

  test("are labeled with the fields that are read, unless it is the whole output", () => {
    const spec = {
      steps: [
        { id: "a", tool: "search" },
        { id: "b", tool: "fetch", params: { urls: "${steps.a.output[*].url}", first: "${steps.a.output[0].title}" } },
        { id: "c", tool: "sum", params: { all: "${steps.b.output}" } },
      ],
    };
    expect(edgesTo("b", spec)).toEqual([
      {
        from: "steps.a",
        to: "steps.b",
        kind: "data",
        reads: ["output[*].url", "output[0].title"],
        label: "[*].url, [0].title",
      },
    ]);
    expect(edgesTo("c", spec)).toEqual([{ from: "steps.b", to: "steps.c", kind: "data", reads: ["output"] }]);
  });

  test("a reference only in a condition is a condition edge; data is stronger, and gives the label", () => {
    const a = { id: "a", tool: "search" };
    const condition = "${steps.a.output.size > 0}";
    expect(edgesTo("b", { steps: [a, { id: "b", tool: "fetch", condition }] })).toMatchObject([
      { kind: "condition", reads: ["output.size"], label: "size" },
    ]);
    const both = { id: "b", tool: "fetch", condition, params: { x: "${steps.a.output.url}" } };
    expect(edgesTo("b", { steps: [a, both] })).toMatchObject([
      { kind: "data", reads: ["output.url", "output.size"], label: "url" },
    ]);
  });

  test("a name given with `as` leads to its step, and another value of the context to no node", () => {
    const spec = {
      steps: [
        { id: "a", tool: "search", output: { as: "found" } },
        { id: "b", tool: "fetch", params: { x: "${context.found.url}", y: "${context.user}" } },
      ],
    };
    expect(edgesTo("b", spec)).toMatchObject([{ from: "steps.a", reads: ["output.url"], label: "url" }]);
  });

  test("a step that repeats does not lead to itself", () => {
    const a = { id: "a", tool: "search", repeat: { until: "${steps.a.output.done}", max: 2 } };
    expect(edgesTo("a", { steps: [a] })).toEqual([]);
  });

  test("a step called input is not the input of the chain", () => {
    const spec = {
      steps: [
        { id: "input", tool: "search", params: { q: "${input.q}" } },
        { id: "output", tool: "fetch", params: { x: "${steps.input.output}" } },
      ],
    };
    expect(graphOf(spec).edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
      "input steps.input",
      "steps.input steps.output",
      "steps.output output",
    ]);
  });

  test("edges to the output are labeled with the output's names", () => {
    const graph = graphOf({
      steps: [{ id: "a", tool: "search" }],
      output: { urls: "${steps.a.output[*].url}", count: "${steps.a.output.size}", fixed: 1 },
    });
    expect(graph.edges).toEqual([
      { from: "steps.a", to: "output", kind: "data", reads: ["output[*].url", "output.size"], label: "urls, count" },
    ]);
    const whole = graphOf({ steps: [{ id: "a", tool: "search" }], output: "${steps.a.output}" });
    expect(whole.edges).toEqual([{ from: "steps.a", to: "output", kind: "data", reads: ["output"] }]);
    expect(whole.nodes.at(-1)).toEqual({ key: "output", kind: "output", fields: [] });
  });
});
