import { describe, expect, test } from "vitest";
import { worldOf } from "../../../test/support/candidates.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { fail } from "../../base/index.ts";
import { type ChainSpec, planChain } from "../../chain/index.ts";
import { createMemoryApprovals, createMemoryRuns } from "../../store/index.ts";
import type { CalledTool, ToolRequest } from "../loop/call-tool.ts";
import { toldCall } from "../loop/told-call.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { AgentRuns } from "../run/agent-runs.ts";
import { agentDefaults } from "../run/agent-spec.ts";
import type { Runner } from "../runner.ts";
import { type Flow, all, runPlan } from "./flow.ts";
import type { OwnTool } from "./own-step.ts";

/** A call that nobody can repeat. */
function callTool(run: AgentRun, request: ToolRequest): Flow<CalledTool> {
  return toldCall(run, { ...request, decidedBy: "runner", madeKey: undefined, effect: "read" });
}

/** A runner that is one chain, some steps of which are flows. */
function chainRunner(spec: Omit<ChainSpec, "name">, own: (run: AgentRun) => Record<string, OwnTool>): Runner {
  return {
    name: "chain",
    worksAlone: true,
    *run(run) {
      const described = (name: string) => ({
        tool: sampleTool(() => name, { name }),
        source: "",
        owner: "",
        priority: 0,
      });
      const tools = { resolve: described, names: () => [] };
      const { plan, problems } = planChain({ spec: { name: "c", ...spec } }, { tools });
      if (plan === undefined) throw new Error(JSON.stringify(problems));
      const parts = { key: "c", plan, input: {}, onEvent: undefined, own: new Map(Object.entries(own(run))) };
      const { status, output, error, steps } = yield* runPlan(parts);
      return {
        answer: JSON.stringify({ status, output, error: error?.code, steps: steps.map((step) => step.status) }),
      };
    },
  };
}

// A flow that wishes for nothing.
// oxlint-disable-next-line require-yield
function* gives(value: unknown): Flow<unknown> {
  return value;
}

async function answerOf(runner: Runner, tools: Parameters<typeof worldOf>[0] = [], signal?: AbortSignal) {
  const { engine } = worldOf(tools);
  const journal = createMemoryRuns();
  const owner = { id: "o", pid: 1, processStart: "", bootId: "" };
  const parts = { engine, journal, owner, approvals: createMemoryApprovals() };
  const runs = new AgentRuns({ ...parts, runner: () => runner, model: () => undefined });
  const spec = { ...agentDefaults, runner: runner.name };
  const result = await runs.start(spec, "?", { ...(signal && { signal }) });
  return result.answer === "" ? result : (JSON.parse(result.answer) as Record<string, unknown>);
}

describe("a step of a chain whose work is a flow", () => {
  test("gives its output to those that read it, at once or after what it wished for", async () => {
    const look = sampleTool(({ n }) => Number(n) * 2, { name: "look" });
    const runner = chainRunner(
      {
        steps: [
          { id: "a", tool: "now", params: { n: 1 } },
          { id: "b", tool: "later", params: { n: "${steps.a.output}" } },
          { id: "c", tool: "look", params: { n: "${steps.b.output}" } },
        ],
        output: "${steps.c.output}",
      },
      (run) => ({
        now: ({ args }) => gives((args as { n: number }).n + 1),
        *later({ args }) {
          const place = { part: "b", round: 1 };
          const calls = [1, 2].map((k) => callTool(run, { place, key: `b.${k}`, callId: "", tool: "look", args }));
          const called = yield* all(calls);
          return called.reduce((sum, { result }) => sum + Number(result.success ? result.output : 0), 0);
        },
      }),
    );
    expect(await answerOf(runner, [look])).toMatchObject({ status: "success", output: 16 });
  });

  test("fails with what it throws, and the chain's fallback stands in", async () => {
    const runner = chainRunner(
      {
        steps: [
          { id: "a", tool: "bad", error_handling: { fallback: [{ tool: "good" }] } },
          { id: "b", tool: "bad", error_handling: { strategy: "continue" } },
        ],
      },
      () => ({
        // oxlint-disable-next-line require-yield
        *bad() {
          throw fail("no", { code: "not_available" });
        },
        good: () => gives("stood in"),
      }),
    );
    expect(await answerOf(runner)).toEqual({
      status: "success",
      output: { a: "stood in" },
      steps: ["recovered", "failed"],
    });
  });

  test("that breaks by a mistake breaks the run, and not in silence", async () => {
    const runner = chainRunner(
      {
        steps: [
          { id: "a", tool: "broken" },
          { id: "b", tool: "fine" },
        ],
      },
      () => ({
        // oxlint-disable-next-line require-yield
        *broken() {
          throw new TypeError("a mistake");
        },
        fine: () => gives(1),
      }),
    );
    expect(await answerOf(runner)).toMatchObject({
      status: "failed",
      error: { message: "the runner broke: a mistake" },
    });
  });

  test("is stopped with its chain, whatever it waits for", async () => {
    let aborted = 0;
    const hangs = sampleTool(
      (_args, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => {
            aborted++;
            reject(signal.reason as Error);
          }),
        ),
      { name: "hangs" },
    );
    const runner = chainRunner(
      {
        steps: [
          { id: "a", tool: "waits" },
          { id: "b", tool: "bad" },
        ],
      },
      (run) => ({
        *waits() {
          const place = { part: "a", round: 1 };
          const calls = [1, 2].map((k) => callTool(run, { place, key: `a.${k}`, callId: "", tool: "hangs", args: {} }));
          yield* all(calls);
          return (yield* callTool(run, { place, key: "a.3", callId: "", tool: "hangs", args: {} })).result;
        },
        // oxlint-disable-next-line require-yield
        *bad() {
          throw fail("no", { code: "not_available" });
        },
      }),
    );
    expect(await answerOf(runner, [hangs])).toMatchObject({
      status: "failed",
      error: "not_available",
      steps: ["cancelled", "failed"],
    });
    expect(aborted).toBe(2);
  });
});
