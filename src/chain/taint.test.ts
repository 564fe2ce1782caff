import { describe, expect, test } from "vitest";
import { machine } from "../../test/support/chain-machine.ts";
import { runWith, withTime } from "../../test/support/chain-runner.ts";
import { createEngine } from "../engine/index.ts";
import { ChainRuns } from "./chain-runs.ts";
import { dryRunner } from "./dry-run/dry-runner.ts";
import { engineRunner } from "../run/host/engine-runner.ts";
import { type MockAnswer, mock, mockTools } from "../testing/chain/mock-tools.ts";
import { ChainLibrary, type ChainLibraryOptions } from "./chain-library.ts";
import { explainStep } from "./log/explain-step.ts";
import { planChain } from "./plan/plan-chain.ts";
import type { ChainSpec } from "./plan/chain-spec.ts";
import { snapshotOf } from "./plan/snapshot.ts";
import { runChain } from "./run-chain.ts";

const tools: Readonly<Record<string, MockAnswer>> = {
  read: mock({ effect: "read", answer: "rm -rf" }),
  drop: mock({ effect: "once", answer: "gone" }),
};

const forward: ChainSpec = {
  name: "forward",
  steps: [
    { id: "look", tool: "read" },
    { id: "drop", tool: "drop", params: { what: "${steps.look.output}" } },
  ],
};

const refusal = {
  code: "chain_invalid",
  problems: [{ code: "untrusted_input", message: expect.stringContaining('from the step "look" (read)') }],
};

describe("[N08] runChain() under strict", () => {
  test("rejects before anything is called, if the chain, the library or the caller is strict", async () => {
    const calls: unknown[] = [];
    const watched = { ...tools, read: mock({ effect: "read", answer: (args) => calls.push(args) }) };
    const strict: ChainSpec = { ...forward, taint: "strict" };
    await expect(runWith(forward, { tools: watched, taint: "strict" })).rejects.toMatchObject(refusal);
    await expect(runWith(strict, { tools: watched })).rejects.toMatchObject(refusal);
    await expect(runWith(strict, { tools: watched, taint: "show" })).rejects.toMatchObject(refusal);
    const engine = createEngine({ tools: mockTools(forward, watched) });
    const chains = new ChainLibrary({ tools: engine.tools, taint: "strict" });
    await expect(runChain(forward, { engine, chains })).rejects.toMatchObject(refusal);
    await expect(runChain({ ...forward, taint: "show" }, { engine, chains, taint: "show" })).rejects.toMatchObject(
      refusal,
    );
    expect(calls).toEqual([]);
    const { result } = await runWith(forward, { tools, taint: "show" });
    expect(result.status).toBe("success");
  });

  test("rejects a plan that was created under looser settings", async () => {
    const engine = createEngine({ tools: mockTools(forward, tools) });
    const { plan } = planChain({ spec: forward }, { tools: engine.tools });
    if (plan === undefined) throw new Error("no plan");
    await expect(runChain(plan, { engine, taint: "strict" })).rejects.toMatchObject(refusal);
    expect((await runChain(plan, { engine })).status).toBe("success");
  });

  test("a dry run of it is rejected like a real run, and one with an approval is not", async () => {
    const requests = { ...forward, steps: forward.steps.map((step) => ({ ...step, approval: "Really?" })) };
    const itself: ChainSpec = {
      ...requests,
      steps: [
        ...requests.steps,
        { id: "again", tool: "forward", condition: "${input.more}", params: { more: "${steps.look.output}" } },
      ],
    };
    const dry = async (spec: ChainSpec): Promise<{ ended: string; withheld: readonly unknown[] }> => {
      const engine = createEngine({ tools: mockTools(["read", "drop"], tools) });
      const runner = dryRunner({
        runner: engineRunner({ begin: engine.begin.bind(engine), secrets: engine.secrets }),
        tool: (name) => engine.tools.get(name),
      });
      const { plan, problems } = planChain({ spec }, { tools: engine.tools });
      if (plan === undefined) throw new Error(JSON.stringify(problems));
      const options = {
        engine,
        runner,
        requestApproval: runner.requestApproval,
        taint: "strict" as const,
        input: { more: false },
      };
      const ended = await runChain(runner.prepare(plan), options).then(
        ({ status }) => status,
        () => "refused",
      );
      return { ended, withheld: runner.withheld };
    };
    expect(await dry(forward)).toEqual({ ended: "refused", withheld: [] });
    const shown = [{ key: "drop#1", untrusted: { what: "look" } }];
    expect(await dry(requests)).toMatchObject({ ended: "success", withheld: shown });
    expect(await dry(itself)).toMatchObject({ ended: "success", withheld: shown });
  });

  test("explain shows untrusted content of steps in called chains and of fallbacks, too", async () => {
    const inner: ChainSpec = {
      name: "inner",
      steps: [
        { id: "note", tool: "write", params: { text: "${input.text}", by: "${input.by}" } },
        {
          id: "broken",
          tool: "fails",
          error_handling: { fallback: [{ tool: "write", params: { text: "${input.text}" } }] },
        },
      ],
    };
    const outer: ChainSpec = {
      name: "outer",
      steps: [
        { id: "look", tool: "read" },
        { id: "sub", tool: "inner", params: { text: "${steps.look.output}", by: "ann" } },
      ],
    };
    const { result } = await runWith(outer, {
      others: [inner],
      tools: {
        ...tools,
        write: ({ text }) => text,
        fails: () => {
          throw new Error("out of order");
        },
      },
    });
    const messageText = "text is untrusted: it comes from tools that read external content.";
    expect(explainStep(result, "sub/note")).toContain(messageText);
    expect(explainStep(result, "sub/broken")).toContain(messageText);
  });
});

describe("[N08] a run that has started", () => {
  const request: ChainSpec = {
    name: "asking",
    steps: [
      { id: "wait", tool: "drop", approval: "Begin?" },
      { id: "look", tool: "read", depends_on: ["wait"] },
      { id: "drop", tool: "drop", params: { what: "${steps.look.output}" } },
    ],
  };

  function processOn(
    { journal, approvals, clock, tools: known }: ReturnType<typeof machine>,
    options: Omit<ChainLibraryOptions, "tools">,
    specs: readonly ChainSpec[] = [request],
  ): { runs: ChainRuns; chains: ChainLibrary } {
    const engine = createEngine({ tools: known, clock });
    const chains = new ChainLibrary({ tools: engine.tools, ...options });
    for (const spec of specs) chains.add({ name: spec.name, spec });
    return { chains, runs: new ChainRuns({ engine, journal, approvals, chains, clock }) };
  }

  test("resumes as planned after the workspace became strict, while a new run is rejected", async () => {
    const shared = machine([request], tools);
    const before = processOn(shared, { taint: "show" });
    await withTime(before.runs.start(before.chains.plan("asking"), { runId: "r" }), shared.clock);
    const [open] = await shared.approvals.list(shared.clock.now(), "pending");
    await shared.approvals.decide(open?.id ?? "", { approved: true, by: "ann" }, shared.clock.now());
    const after = processOn(shared, { taint: "strict" });
    expect(() => after.chains.plan("asking")).toThrow(/untrusted_input/);
    expect(await after.runs.inspect("r")).toMatchObject({ status: "waiting", plan: { taint: "show" } });
    expect(await withTime(after.runs.resume("r"), shared.clock)).toMatchObject({ status: "success" });
    await expect(after.runs.rerun("r")).rejects.toMatchObject({ code: "chain_invalid" });
    // Its chain no longer exists, so the stored chain is run: under the current settings of the workspace.
    const gone = processOn(shared, { taint: "strict" }, []);
    await expect(gone.runs.rerun("r")).rejects.toThrow(/may be destructive/);
  });

  test("stays strict, and resumes although its trusted tools are no longer trusted", async () => {
    const shared = machine([request], tools);
    const before = processOn(shared, { taint: "strict", trusted: ["read"] });
    const plan = before.chains.plan("asking");
    expect(plan.taint).toBe("strict");
    expect(JSON.parse(snapshotOf(plan).definition).chains.asking.taint).toBe("strict");
    await withTime(before.runs.start(plan, { runId: "r" }), shared.clock);
    const [open] = await shared.approvals.list(shared.clock.now(), "pending");
    await shared.approvals.decide(open?.id ?? "", { approved: true, by: "ann" }, shared.clock.now());
    const after = processOn(shared, { taint: "show" });
    const result = await withTime(after.runs.resume("r"), shared.clock);
    expect(result).toMatchObject({ status: "success", plan: { taint: "strict" } });
  });
});
