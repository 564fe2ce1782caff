import { describe, expect, test } from "vitest";
import { type SampleHandler, sampleTool } from "../../../test/support/sample-tool.ts";
import { type Engine, type EngineOptions, createEngine, internals } from "../../engine/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../../store/index.ts";
import { ChainRuns } from "../chain-runs.ts";
import { chainTool } from "../chain-tool.ts";
import { ChainLibrary, type ChainLibraryOptions } from "../chain-library.ts";
import { planChain } from "../plan/plan-chain.ts";
import type { ChainSpec, StepSpec } from "../plan/chain-spec.ts";
import { runChain } from "../run-chain.ts";
import { TaintedCalls } from "./tainted-calls.ts";

/** An engine whose tools note whether their calls were tainted: `helper: yes`. */
function world(options: Omit<EngineOptions, "tools"> = {}): { engine: Engine; seen: string[] } {
  const seen: string[] = [];
  const noted =
    (name: string, answer: SampleHandler): SampleHandler =>
    (args, context) => {
      seen.push(`${name}: ${internals(context).isTainted ? "yes" : "no"}`);
      return answer(args, context);
    };
  const composite = { composite: true, effect: "idempotent", destructive: false } as const;
  const tools = [
    sampleTool(() => ["a page"], { name: "fetch", effect: "read" }),
    sampleTool(({ of }) => of, { name: "format", effect: "pure" }),
    sampleTool(
      noted("write", () => "written"),
      { name: "write", effect: "once" },
    ),
    sampleTool(
      noted("helper", () => "helped"),
      { name: "helper", ...composite },
    ),
    sampleTool(
      noted("manager", (args, { callTool }) => callTool("write", args)),
      { name: "manager", ...composite },
    ),
    sampleTool(
      () => {
        throw new Error("out of order");
      },
      { name: "broken", effect: "read" },
    ),
  ];
  const permissions = { deny: [], ask: [], allow: ["*"] };
  return { engine: createEngine({ permissions, ...options, tools }), seen };
}

const fetch: StepSpec = { id: "fetch", tool: "fetch" };
const page = "${steps.fetch.output}";

function chainOf(...steps: StepSpec[]): ChainSpec {
  return { name: "chain", steps };
}

/** Calls that the tools saw in a run of these chains; the first is run. */
async function seenIn(specs: readonly ChainSpec[], options: Omit<ChainLibraryOptions, "tools"> = {}) {
  const { engine, seen } = world();
  const chains = new ChainLibrary({ tools: engine.tools, ...options });
  for (const spec of specs) chains.add({ name: spec.name, spec });
  const [first] = specs;
  if (first === undefined) throw new Error("no chain");
  const requestApproval = () => Promise.resolve({ approved: true });
  await runChain(chains.plan(first.name), {
    engine,
    chains,
    requestApproval,
    input: { text: "given", list: ["x"] },
  });
  return seen;
}

describe("[N08] a composite tool that a chain calls", () => {
  const inner: ChainSpec = { name: "inner", steps: [{ id: "do", tool: "helper", params: { text: "${input.text}" } }] };
  const middle: ChainSpec = { name: "middle", steps: [{ id: "in", tool: "inner", params: { text: "${input.text}" } }] };
  const undo = { tool: "helper", params: { of: "${steps.sent.output}" } };

  test.each<[string, ...StepSpec[]]>([
    ["in its arguments", { id: "a", tool: "helper", params: { deep: [{ text: `see: ${page}` }] } }],
    [
      "through a pure tool",
      { id: "f", tool: "format", params: { of: page } },
      { id: "a", tool: "helper", params: { text: "${steps.f.output}" } },
    ],
    ["as an item", { id: "a", tool: "helper", for_each: page, params: { text: "${item}" } }],
    [
      "where it stands in",
      {
        id: "a",
        tool: "broken",
        error_handling: {
          fallback: [
            { tool: "broken", params: {} },
            { tool: "helper", params: { text: page } },
          ],
        },
      },
    ],
    ["in a chain that is called", { id: "a", tool: "inner", params: { text: page } }],
    [
      "in a chain that is called by one for an item",
      { id: "a", tool: "middle", for_each: page, params: { text: "${item}" } },
    ],
    ["although a person let the step run", { id: "a", tool: "helper", params: { text: page }, approval: "Really?" }],
  ])("is marked as containing untrusted content: %s", async (_where, ...steps) => {
    expect(await seenIn([chainOf(fetch, ...steps), inner, middle])).toEqual(["helper: yes"]);
  });

  test("is marked if it compensates a step, and if it continues from its own output", async () => {
    const sent: StepSpec = { id: "sent", tool: "write", params: { text: "hi" }, compensate: undo };
    const fails: StepSpec = { id: "fails", tool: "broken", depends_on: ["sent"] };
    expect(await seenIn([chainOf(sent, fails)])).toEqual(["write: no", "helper: yes"]);
    const repeat = { until: "${steps.a.output == 'enough'}", max: 2 };
    const own = { text: "${steps.a.output ?? input.text}" };
    expect(await seenIn([chainOf({ id: "a", tool: "helper", params: own, repeat })])).toEqual([
      "helper: yes",
      "helper: yes",
    ]);
  });

  test.each<[string, StepSpec, Omit<ChainLibraryOptions, "tools">?]>([
    ["the chain's own text", { id: "a", tool: "helper", params: { text: "Sum up" } }],
    ["what the chain is given", { id: "a", tool: "helper", params: { text: "${input.text}" } }],
    ["items of what it is given", { id: "a", tool: "helper", for_each: "${input.list}", params: { text: "${item}" } }],
    [
      "what only decides on it",
      { id: "a", tool: "helper", condition: page, params: { text: "${steps.fetch.status}" } },
    ],
    ["what the workspace trusts", { id: "a", tool: "helper", params: { text: page } }, { trusted: ["fetch"] }],
    ["what a chain that is called is given", { id: "a", tool: "inner", params: { text: "Sum up" } }],
  ])("treats %s as trusted", async (_what, step, options) => {
    expect(await seenIn([chainOf(fetch, step), inner], options)).toEqual(["helper: no"]);
  });

  test("passes the mark on to its nested calls, which need no more approvals than before", async () => {
    const { engine, seen } = world();
    const spec = chainOf(fetch, { id: "a", tool: "manager", params: { text: page } });
    expect(await runChain(spec, { engine })).toMatchObject({ status: "success" });
    expect(seen).toEqual(["manager: yes", "write: yes"]);
  });
});

test("[N08] a tool that is not composite is called as before, with any arguments", async () => {
  const chain = chainOf(fetch, { id: "a", tool: "write", params: { text: page } });
  expect(await seenIn([chain])).toEqual(["write: no"]);
});

describe("[N08] a chain that is called as a tool with untrusted content", () => {
  const spec: ChainSpec = {
    name: "task",
    steps: [
      { id: "a", tool: "helper", params: { text: "${input.text}" } },
      { id: "b", tool: "helper", params: { text: "Sum up" }, depends_on: ["a"] },
      { id: "c", tool: "write", params: { text: "${input.text}" }, depends_on: ["b"] },
    ],
  };

  async function seenAsTool(options: Omit<EngineOptions, "tools">): Promise<readonly string[]> {
    const { engine, seen } = world(options);
    const { plan } = planChain({ spec }, { tools: engine.tools });
    if (plan === undefined) throw new Error("no plan");
    engine.tools.register(chainTool(plan));
    await engine.call("task", { text: "a page" }, { tainted: true });
    return seen;
  }

  test("passes it to composites as untrusted, although the call of the chain was approved", async () => {
    const seen = await seenAsTool({ approver: { requestApproval: () => Promise.resolve({ kind: "approved" }) } });
    expect(seen).toEqual(["helper: yes", "helper: no", "write: no"]);
  });

  test("trusts it if a rule trusts the chain", async () => {
    const permissions = { deny: [], ask: [], allow: ["task trusted", "*"] };
    expect(await seenAsTool({ permissions })).toEqual(["helper: no", "helper: no", "write: no"]);
  });
});

test("[N08] a run that another process claims passes the same marks to composites", async () => {
  const approvals = createInMemoryApprovals();
  const stored = { journal: createInMemoryRunJournal({ approvals }), approvals };
  const inner: ChainSpec = { name: "inner", steps: [{ id: "do", tool: "helper", params: { text: "${input.text}" } }] };
  const spec = chainOf(
    fetch,
    { id: "wait", tool: "write", params: {}, depends_on: ["fetch"], approval: "Go on?" },
    { id: "a", tool: "inner", params: { text: page }, depends_on: ["wait"] },
    { id: "b", tool: "helper", params: { text: "Sum up" }, depends_on: ["a"] },
  );
  const process = () => {
    const { engine, seen } = world();
    const chains = new ChainLibrary({ tools: engine.tools });
    for (const each of [spec, inner]) chains.add({ name: each.name, spec: each });
    return { seen, chains, runs: new ChainRuns({ engine, ...stored, chains }) };
  };
  const before = process();
  expect(await before.runs.start(before.chains.plan("chain"), { runId: "r" })).toMatchObject({ status: "waiting" });
  await before.runs.close();
  const [open] = await stored.approvals.list(Date.now(), "pending");
  await stored.approvals.decide(open?.id ?? "", { approved: true }, Date.now());
  const after = process();
  expect(await after.runs.resume("r")).toMatchObject({ status: "success" });
  expect(after.seen).toEqual(["write: no", "helper: yes", "helper: no"]);
});

test("[N08] the tainted calls of a plan are computed once", () => {
  const { engine } = world();
  const { plan } = planChain({ spec: chainOf(fetch) }, { tools: engine.tools });
  if (plan === undefined) throw new Error("no plan");
  expect(TaintedCalls.of(plan)).toBe(TaintedCalls.of(plan));
});
