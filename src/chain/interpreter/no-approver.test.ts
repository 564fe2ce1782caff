import { describe, expect, test } from "vitest";
import { runWith } from "../../../test/support/chain-runner.ts";
import { createInMemoryApprovals } from "../../store/index.ts";
import { mock } from "../../testing/chain/mock-tools.ts";

const danger = { permissions: { ask: ["danger"], allow: ["*"] } };
const once = mock({ effect: "once", answer: "done" });

describe("without an approver", () => {
  const first = { id: "w", tool: "w", compensate: { tool: "undo" } };
  const requests = { id: "s", tool: "t", approval: "Go on?", depends_on: ["w"] };

  test.each([
    { where: 'its step "s"', steps: [first, requests], others: [] },
    {
      where: 'the step "a" of the chain inner',
      steps: [first, { id: "s", tool: "inner", depends_on: ["w"] }],
      others: [{ name: "inner", steps: [{ id: "a", tool: "t", approval: "?" }] }],
    },
  ])("a chain is rejected before its first step if $where needs an approval", async ({ where, steps, others }) => {
    const done: unknown[] = [];
    const tools = { w: mock({ effect: "once", answer: () => void done.push("w") }), t: once, undo: once };
    await expect(runWith({ name: "c", steps }, { others, tools })).rejects.toMatchObject({
      code: "not_available",
      reason: "needs_approval",
      message: expect.stringContaining(where),
    });
    expect(done).toEqual([]);
  });

  test("an approval that a rule requires is rejected: error_handling and compensate apply", async () => {
    const spec = { name: "c", steps: [first, { id: "s", tool: "danger", depends_on: ["w"] }] };
    const tools = { w: once, danger: once, undo: once };
    const stopped = await runWith(spec, { settings: danger, tools });
    expect(stopped.result).toMatchObject({
      status: "failed",
      error: {
        code: "permission_denied",
        reason: "rejected",
        message: expect.stringContaining("no approver is available"),
      },
    });
    expect(stopped.calls.map(({ tool }) => tool)).toEqual(["w", "undo"]);
    const goesOn = [first, { ...spec.steps[1], id: "s", tool: "danger", error_handling: { strategy: "continue" } }];
    const { statuses, result } = await runWith({ name: "c", steps: goesOn }, { settings: danger, tools });
    expect([result.status, statuses]).toEqual(["success", { w: "success", s: "failed" }]);
  });

  test("with an approval store, or a requestApproval callback, the approval is requested", async () => {
    const spec = { name: "c", steps: [first, requests] };
    const tools = { w: once, t: once, undo: once };
    const stored = await runWith(spec, { tools, approvals: createInMemoryApprovals() });
    expect(stored.result.status).toBe("waiting");
    const answered = await runWith(spec, { tools, requestApproval: async () => ({ approved: true }) });
    expect(answered.result.status).toBe("success");
  });
});
