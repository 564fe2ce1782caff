import { describe, expect, test } from "vitest";
import { createEngine } from "../engine/index.ts";
import type { ElicitRequest, ElicitResult } from "../tool/index.ts";
import { type MockAnswer, mockTools } from "../testing/chain/mock-tools.ts";
import { ChainLibrary } from "./chain-library.ts";
import type { ChainSpec } from "./plan/chain-spec.ts";

function setup(
  specs: readonly ChainSpec[],
  behaviours: Readonly<Record<string, MockAnswer>>,
  approvalRules: readonly string[] = [],
) {
  const tools = mockTools(Object.keys(behaviours), behaviours);
  const engine = createEngine({ tools, permissions: { ask: [...approvalRules] } });
  const chains = new ChainLibrary({ tools: engine.tools });
  for (const spec of specs) chains.add({ name: spec.name, spec });
  chains.registerIn(engine.tools);
  return { engine, called: () => tools.calls.map(({ tool }) => tool) };
}

describe("a chain that is called as a tool reports its progress", () => {
  const steps = ["a", "b", "c"].map((id, at, ids) => ({
    id,
    tool: "t",
    ...(at > 0 && { depends_on: [ids[at - 1] ?? ""] }),
  }));

  test("progress is the number of the step that starts, and of the steps that have ended", async () => {
    const { engine } = setup([{ name: "three", steps }], { t: 1 });
    const reported: unknown[] = [];
    await engine.call("three", {}, { onProgress: (value) => reported.push(value) });
    expect(reported).toEqual([
      { progress: 0, total: 3, message: "step 1 of 3: a" },
      { progress: 1, total: 3, message: "step 1 of 3: a success" },
      { progress: 1, total: 3, message: "step 2 of 3: b" },
      { progress: 2, total: 3, message: "step 2 of 3: b success" },
      { progress: 2, total: 3, message: "step 3 of 3: c" },
      { progress: 3, total: 3, message: "step 3 of 3: c success" },
    ]);
  });

  test("the steps of a sub-chain count as parts of its step", async () => {
    const outer = { name: "outer", steps: [{ id: "sub", tool: "three" }] };
    const { engine } = setup([{ name: "three", steps }, outer], { t: 1 });
    const reported: { progress: number; total: number; message: string }[] = [];
    // Reported by the chain itself.
    await engine.call("outer", {}, { onProgress: (value) => reported.push(value as (typeof reported)[number]) });
    expect(reported.map(({ message }) => message)).toContain("step 1 of 1: sub/b");
    expect(reported.every(({ total }) => total === 1)).toBe(true);
    expect(reported.at(-1)).toMatchObject({ progress: 1 });
  });
});

describe("a chain called by a caller that can answer approvals", () => {
  const requests = {
    name: "asks",
    steps: [
      { id: "a", tool: "t" },
      { id: "b", tool: "u", approval: "Sure?", depends_on: ["a"] },
    ],
  };
  const answering = (answer: ElicitResult) => {
    const requested: ElicitRequest[] = [];
    const elicit = async (prompt: ElicitRequest): Promise<ElicitResult> => {
      requested.push(prompt);
      return answer;
    };
    return { requested, elicit };
  };

  test("requests the approval and continues once it is approved", async () => {
    const { engine, called } = setup([requests], { t: 1, u: 2 });
    const { requested, elicit } = answering({ action: "accept", content: { approve: true } });
    expect(await engine.call("asks", {}, { elicit })).toMatchObject({ success: true, output: { b: 2 } });
    expect(requested.map(({ message }) => message.split("\n")[0])).toEqual(["Sure?"]);
    expect(called()).toEqual(["t", "u"]);
  });

  test.each([
    [{ action: "decline" } as const, /declined by the caller/],
    [{ action: "accept", content: { approve: false } } as const, /declined by the caller/],
    [{ action: "cancel" } as const, /dismissed; run it with: windlass run asks/],
  ])("does not continue after %j", async (answer, why) => {
    const { engine, called } = setup([requests], { t: 1, u: 2 });
    const result = await engine.call("asks", {}, { elicit: answering(answer).elicit });
    expect(!result.success && result.error.message).toMatch(why);
    expect(called()).toEqual(["t"]);
  });

  test("requests the approvals that a rule requires inside of it", async () => {
    const { engine, called } = setup([{ name: "c", steps: [{ id: "s", tool: "danger" }] }], { danger: 1 }, ["danger"]);
    const { requested, elicit } = answering({ action: "accept", content: { approve: true } });
    expect(await engine.call("c", {}, { elicit })).toMatchObject({ success: true });
    expect([requested.length, called()]).toEqual([1, ["danger"]]);
  });

  test("does not start if only named approvers may decide", async () => {
    const named = { name: "named", steps: [{ id: "s", tool: "t", approval: { message: "?", approvers: ["ann"] } }] };
    const { engine, called } = setup([named], { t: 1 });
    const { elicit } = answering({ action: "accept", content: { approve: true } });
    expect(await engine.call("named", {}, { elicit })).toMatchObject({ error: { reason: "needs_approval" } });
    expect(called()).toEqual([]);
  });
});
