import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { type Failure, isFailureError } from "../base/index.ts";
import { createEngine } from "../engine/index.ts";
import { Hub } from "../hub/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../store/index.ts";
import { type AnyTool, ToolRegistry, isUsable } from "../tool/index.ts";
import { ChainLibrary } from "./chain-library.ts";
import { ChainRuns } from "./chain-runs.ts";
import { missingRequirements } from "./missing-requirements.ts";
import type { ChainSpec, StepSpec } from "./plan/chain-spec.ts";
import { runChain } from "./run-chain.ts";

const reason = "no model is configured; set WINDLASS_MODEL";

/** A library with the tools `works` and `writes`, of which the second needs a model. `declared` are capabilities. */
function setup(specs: readonly ChainSpec[], declared: Readonly<Record<string, readonly string[]>> = {}) {
  const calls: string[] = [];
  const world = { hasModel: false, checks: 0 };
  const tool = (name: string, more: Partial<AnyTool> = {}): AnyTool =>
    Object.freeze({ ...sampleTool(() => calls.push(name), { name, effect: "read" }), ...more });
  const unavailable = (): string | undefined => {
    world.checks++;
    return world.hasModel ? undefined : reason;
  };
  const registry = new ToolRegistry();
  for (const each of [tool("works"), tool("writes", { unavailable }), tool("draws", { unavailable })]) {
    registry.register(each);
  }
  const hub = new Hub({ registry, declared });
  const engine = createEngine({ registry, resolver: hub });
  const chains = new ChainLibrary({ tools: hub });
  for (const spec of specs) chains.add({ name: spec.name, spec });
  chains.registerIn(registry);
  const approvals = createInMemoryApprovals();
  const runs = new ChainRuns({
    engine,
    journal: createInMemoryRunJournal({ approvals }),
    approvals,
    chains,
  });
  return { engine, registry, chains, runs, approvals, calls, world };
}

const first: StepSpec = { id: "first", tool: "works" };

const chain = (name: string, ...steps: readonly StepSpec[]): ChainSpec => ({ name, steps: [...steps] });

const refused = { code: "not_available", reason: "missing_requirement", retry: "never" };

/** The failure of a run that was refused. */
async function refusal(run: Promise<unknown>): Promise<Failure | undefined> {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return isFailureError(error) ? error.toFailure() : undefined;
}

describe("[H25] a chain with a step whose tool cannot work here", () => {
  test("does not start: the failure names the steps, the tools, the reason once, and what to do", async () => {
    const spec = chain("c", first, { id: "write", tool: "writes" }, { id: "draw", tool: "draws" });
    const { runs, chains, engine, calls } = setup([spec]);
    const message = `c was not started: tools of its steps cannot work here\n- write (writes), draw (draws): ${reason}`;
    const issues = [
      {
        path: ["steps", "write"],
        code: "missing_requirement",
        message: "write: writes cannot work here: no model is configured",
        suggestion: "set WINDLASS_MODEL",
      },
      { path: ["steps", "draw"] },
    ];
    expect(await refusal(runs.start(chains.plan("c")))).toMatchObject({ ...refused, message, issues });
    expect(await refusal(runChain(chains.plan("c"), { engine, chains }))).toMatchObject({ ...refused, message });
    expect(await engine.call("c", {})).toMatchObject({ success: false, error: { ...refused, message } });
    expect(calls).toEqual([]);
    expect(await runs.list()).toEqual([]);
  });

  test("starts once nothing is missing", async () => {
    const { runs, chains, world, calls } = setup([chain("c", first, { id: "write", tool: "writes" })]);
    const plan = chains.plan("c");
    expect(await refusal(runs.start(plan))).toMatchObject(refused);
    world.hasModel = true;
    expect(await runs.start(plan)).toMatchObject({ status: "success" });
    expect(calls.toSorted()).toEqual(["works", "writes"]);
  });

  test("does not start if the step is in a chain that it calls, at any depth", async () => {
    const { runs, chains, calls } = setup([
      chain("outer", first, { id: "a", tool: "middle" }),
      chain("middle", { id: "b", tool: "inner" }),
      chain("inner", { id: "write", tool: "writes" }),
    ]);
    const message = expect.stringContaining(`- a/b/write (writes): ${reason}`) as string;
    expect(await refusal(runs.start(chains.plan("outer")))).toMatchObject({ ...refused, message });
    expect(calls).toEqual([]);
  });

  test("is not offered to models and clients, as any tool that cannot work", () => {
    const { registry, world } = setup([chain("c", { id: "write", tool: "writes" }), chain("d", first)]);
    const offered = (): string[] =>
      registry
        .list()
        .filter(({ tool }) => isUsable(tool))
        .map(({ tool }) => tool.name);
    expect(offered().toSorted()).toEqual(["d", "works"]);
    world.hasModel = true;
    expect(offered().toSorted()).toEqual(["c", "d", "draws", "works", "writes"]);
  });
});

describe("[H25] a run that may succeed without the tool starts, with a notice", () => {
  const notice = "write: writes cannot work here: no model is configured";
  const write = (more: Partial<StepSpec>): StepSpec => ({ id: "write", tool: "writes", ...more });
  const fallback = (...tools: readonly string[]): Partial<StepSpec> => ({
    error_handling: { strategy: "fallback", fallback: tools.map((tool) => ({ tool })) },
  });
  const starting: readonly (readonly [what: string, steps: readonly StepSpec[]])[] = [
    ["a condition", [write({ condition: "${input.x ?? false}" })]],
    ["an empty list", [write({ for_each: "${input.x ?? []}" })]],
    ["a failure that does not stop the run", [write({ error_handling: { strategy: "continue" } })]],
    ["a fallback that works", [write(fallback("draws", "works"))]],
    ["a fallback that is a chain that works", [write(fallback("other"))]],
    [
      "a step that is skipped with another one",
      [
        { id: "skip", tool: "works", condition: "${input.x ?? false}" },
        write({ params: { text: "${steps.skip.output}" } }),
      ],
    ],
    [
      "a step that depends on one that may fail",
      [
        { id: "may", tool: "works", error_handling: { strategy: "continue" } },
        write({ depends_on: ["may"], condition: "${input.x ?? false}" }),
      ],
    ],
  ];

  test.each(starting)("%s", async (_, steps) => {
    const { runs, chains, engine } = setup([chain("c", first, ...steps), chain("other", first)]);
    const plan = chains.plan("c");
    const notices: string[] = [];
    const onNotice = (message: string): void => void notices.push(message);
    expect(await runs.start(plan, { onNotice })).toMatchObject({ status: "success" });
    expect(await runChain(plan, { engine, chains, onNotice })).toMatchObject({ status: "success" });
    expect(notices).toEqual([notice, notice]);
    expect(isUsable(engine.tools.resolve("c")!.tool)).toBe(true);
  });

  test("in a called chain, if the step that calls it may fail", async () => {
    const calls = { id: "a", tool: "inner", error_handling: { strategy: "continue" } } as const;
    const { runs, chains } = setup([chain("c", first, calls), chain("inner", write({}))]);
    const notices: string[] = [];
    const run = await runs.start(chains.plan("c"), { onNotice: (message) => notices.push(message) });
    expect(run).toMatchObject({ status: "success" });
    expect(notices).toEqual([`a/${notice}`]);
  });

  test("but not if all fallbacks need something that is missing too", async () => {
    const { runs, chains, calls } = setup([
      chain("c", first, write(fallback("draws", "other"))),
      chain("other", { id: "draw", tool: "draws" }),
    ]);
    expect(await refusal(runs.start(chains.plan("c")))).toMatchObject(refused);
    expect(calls).toEqual([]);
  });
});

describe("[H25] a capability", () => {
  test("can work if one of its tools can; if none can, the run does not start", async () => {
    const spec = chain("c", first, { id: "make", tool: "capability:making" });
    const served = setup([spec], { writes: ["making"], works: ["making"] });
    expect(await served.runs.start(served.chains.plan("c"))).toMatchObject({ status: "success" });
    const { runs, chains, calls } = setup([spec], { writes: ["making"], draws: ["making"] });
    const message = expect.stringContaining(`- make (capability:making): ${reason}`) as string;
    expect(await refusal(runs.start(chains.plan("c")))).toMatchObject({ ...refused, message });
    expect(calls).toEqual([]);
  });

  test("that a chain has and needs itself does not make the check endless", () => {
    const specs = [
      chain("a", { id: "make", tool: "capability:making" }),
      chain("b", { id: "call", tool: "a" }, { id: "write", tool: "writes" }),
    ];
    const { engine, chains, registry } = setup(specs, { a: ["making"], b: ["making"], draws: ["making"] });
    chains.registerIn(registry);
    expect(engine.tools.resolve("b")?.tool.unavailable?.()).toContain("write (writes)");
    expect(missingRequirements(chains.plan("a"))).toMatchObject([{ step: "make", required: true }]);
  });
});

describe("[H25] a run that exists", () => {
  const approved = chain("c", { ...first, approval: "Go on?" }, { id: "write", tool: "writes", depends_on: ["first"] });

  /** A run that was started with a model, and waits for an approval. */
  async function waiting(spec: ChainSpec = approved) {
    const all = setup([spec]);
    all.world.hasModel = true;
    expect(await all.runs.start(all.chains.plan("c"), { runId: "r" })).toMatchObject({ status: "waiting" });
    all.world.hasModel = false;
    const approve = async (): Promise<void> => {
      const [open] = await all.approvals.list(Date.now(), "pending");
      await all.approvals.decide(open?.id ?? "", { approved: true }, Date.now());
    };
    return { ...all, approve };
  }

  test("is not resumed without the tools of its remaining steps, and not lost", async () => {
    const { runs, world, approve, calls, chains } = await waiting();
    await approve();
    const message = expect.stringMatching(/^c \(run r\) was not resumed: .*\n- write \(writes\): /) as string;
    expect(await refusal(runs.resume("r"))).toMatchObject({ ...refused, message });
    expect(await refusal(runs.start(chains.plan("c"), { runId: "r" }))).toMatchObject({ ...refused, message });
    expect(await runs.list()).toMatchObject([{ id: "r", status: "waiting" }]);
    expect(calls).toEqual([]);
    world.hasModel = true;
    expect(await runs.resume("r")).toMatchObject({ status: "success" });
    expect(calls).toEqual(["works", "writes"]);
  });

  test("can be cancelled", async () => {
    const { runs } = await waiting();
    await runs.cancel("r");
    expect(await runs.resume("r")).toMatchObject({ status: "cancelled" });
  });

  test("is resumed if only steps that are over needed the tool", async () => {
    const spec = chain("c", { id: "write", tool: "writes" }, { ...first, approval: "Go on?", depends_on: ["write"] });
    const { runs, approve, chains, calls } = await waiting(spec);
    await approve();
    expect(await runs.start(chains.plan("c"), { runId: "r" })).toMatchObject({ status: "success" });
    expect(calls).toEqual(["writes", "works"]);
    // A rerun reuses the result of that step, unless it starts from there.
    expect(await runs.rerun("r", { from: "first" })).toMatchObject({ status: "waiting" });
    expect(await refusal(runs.rerun("r", { from: "write" }))).toMatchObject(refused);
    expect(await refusal(runs.rerun("r"))).toMatchObject(refused);
  });
});

test("[H25] the check calls `unavailable` once for each tool, for any number of steps", async () => {
  const steps = Array.from({ length: 50 }, (_, at): StepSpec => ({ id: `s${at}`, tool: at % 2 ? "writes" : "works" }));
  const { runs, chains, world } = setup([chain("c", ...steps)]);
  world.hasModel = true;
  const plan = chains.plan("c");
  world.checks = 0;
  expect(await runs.start(plan)).toMatchObject({ status: "success" });
  expect(world.checks).toBe(1);
});
