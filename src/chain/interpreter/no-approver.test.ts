import { describe, expect, test } from "vitest";
import { runWith } from "../../../test/support/chain-runner.ts";
import { createMemoryApprovals } from "../../store/index.ts";
import { mock } from "../kit/mock-tools.ts";

const danger = { permissions: { ask: ["danger"], allow: ["*"] } };
const once = mock({ effect: "once", answer: "done" });

describe("where nobody can be asked", () => {
  const first = { id: "w", tool: "w", compensate: { tool: "undo" } };
  const asks = { id: "s", tool: "t", approval: "Go on?", depends_on: ["w"] };

  test.each([
    { where: 'its step "s"', steps: [first, asks], others: [] },
    {
      where: 'the step "a" of the chain inner',
      steps: [first, { id: "s", tool: "inner", depends_on: ["w"] }],
      others: [{ name: "inner", steps: [{ id: "a", tool: "t", approval: "?" }] }],
    },
  ])("a chain is refused before its first step where $where asks", async ({ where, steps, others }) => {
    const done: unknown[] = [];
    const tools = { w: mock({ effect: "once", answer: () => void done.push("w") }), t: once, undo: once };
    await expect(runWith({ name: "c", steps }, { others, tools })).rejects.toMatchObject({
      code: "not_available",
      reason: "needs_approval",
      message: expect.stringContaining(where),
    });
    expect(done).toEqual([]);
  });

  test("what a rule wants to ask about is answered with no: error_handling and compensate take their course", async () => {
    const spec = { name: "c", steps: [first, { id: "s", tool: "danger", depends_on: ["w"] }] };
    const tools = { w: once, danger: once, undo: once };
    const stopped = await runWith(spec, { settings: danger, tools });
    expect(stopped.result).toMatchObject({
      status: "failed",
      error: { code: "permission_denied", reason: "rejected", message: expect.stringContaining("nobody can be asked") },
    });
    expect(stopped.calls.map(({ tool }) => tool)).toEqual(["w", "undo"]);
    const goesOn = [first, { ...spec.steps[1], id: "s", tool: "danger", error_handling: { strategy: "continue" } }];
    const { statuses, result } = await runWith({ name: "c", steps: goesOn }, { settings: danger, tools });
    expect([result.status, statuses]).toEqual(["success", { w: "success", s: "failed" }]);
  });

  test("with a place for questions, or somebody who answers, it is asked", async () => {
    const spec = { name: "c", steps: [first, asks] };
    const tools = { w: once, t: once, undo: once };
    const kept = await runWith(spec, { tools, approvals: createMemoryApprovals() });
    expect(kept.result.status).toBe("waiting");
    const answered = await runWith(spec, { tools, ask: async () => ({ approved: true }) });
    expect(answered.result.status).toBe("success");
  });
});
