import { describe, expect, test } from "vitest";
import { worldOf } from "../../../test/support/candidates.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { fail } from "../../base/index.ts";
import { type ChainSpec, planChain } from "../index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../../store/index.ts";
import type { ToolCallRequest } from "../../agent/loop/tool-call.ts";
import type { ToolCallOutcome } from "../../run/index.ts";
import { callObserved } from "../../agent/loop/observed-call.ts";
import type { AgentRun } from "../../agent/run/agent-run.ts";
import { AgentRuns } from "../../agent/run/agent-runs.ts";
import { agentDefaults } from "../../agent/run/resolve-agent-spec.ts";
import type { Runner } from "../../agent/run/runner.ts";
import { type RunProgram, runAll } from "../../run/program/run-effect.ts";
import type { ProgramTool } from "./program-step.ts";
import { runSubChain } from "./nested-chain.ts";

/** A call that cannot be repeated. */
function callTool(run: AgentRun, request: ToolCallRequest): RunProgram<ToolCallOutcome> {
  return callObserved(run, { ...request, initiator: "runner", dedupeKey: undefined, effect: "read" });
}

/** A runner that is one chain, some steps of which are programs. */
function chainRunner(spec: Omit<ChainSpec, "name">, own: (run: AgentRun) => Record<string, ProgramTool>): Runner {
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
      const { status, output, error, steps } = yield* runSubChain(parts);
      return {
        answer: JSON.stringify({ status, output, error: error?.code, steps: steps.map((step) => step.status) }),
      };
    },
  };
}

// A program without effects.
// oxlint-disable-next-line require-yield
function* gives(value: unknown): RunProgram<unknown> {
  return value;
}

async function answerOf(runner: Runner, tools: Parameters<typeof worldOf>[0] = [], signal?: AbortSignal) {
  const { engine } = worldOf(tools);
  const approvals = createInMemoryApprovals();
  const journal = createInMemoryRunJournal({ approvals });
  const parts = { engine, journal, approvals };
  const runs = new AgentRuns({ ...parts, runner: () => runner, model: () => undefined });
  const spec = { ...agentDefaults, runner: runner.name };
  const result = await runs.start(spec, "?", { ...(signal && { signal }) });
  return result.answer === "" ? result : (JSON.parse(result.answer) as Record<string, unknown>);
}

describe("a step of a chain whose work is a program", () => {
  test("provides its output to its readers, immediately or after its effects", async () => {
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
          const position = { part: "b", round: 1 };
          const calls = [1, 2].map((k) =>
            callTool(run, { turnRef: position, key: `b.${k}`, callId: "", tool: "look", args }),
          );
          const called = yield* runAll(calls);
          return called.reduce((sum, { result }) => sum + Number(result.success ? result.output : 0), 0);
        },
      }),
    );
    expect(await answerOf(runner, [look])).toMatchObject({ status: "success", output: 16 });
  });

  test("fails with the exception, and the chain's fallback is used", async () => {
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

  test("a program that throws because of a bug fails the run, with an error", async () => {
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
      error: { message: "the runner failed: a mistake" },
    });
  });

  test("is cancelled with its chain, in any wait", async () => {
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
          const position = { part: "a", round: 1 };
          const calls = [1, 2].map((k) =>
            callTool(run, { turnRef: position, key: `a.${k}`, callId: "", tool: "hangs", args: {} }),
          );
          yield* runAll(calls);
          return (yield* callTool(run, { turnRef: position, key: "a.3", callId: "", tool: "hangs", args: {} })).result;
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
