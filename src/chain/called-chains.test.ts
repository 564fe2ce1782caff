import { describe, expect, test } from "vitest";
import { createEngine } from "../engine/index.ts";
import type { Question, QuestionAnswer } from "../tool/index.ts";
import { type MockAnswer, mockTools } from "./kit/mock-tools.ts";
import { ChainLibrary } from "./library.ts";
import type { ChainSpec } from "./plan/spec.ts";

function setup(
  specs: readonly ChainSpec[],
  behaviours: Readonly<Record<string, MockAnswer>>,
  ask: readonly string[] = [],
) {
  const tools = mockTools(Object.keys(behaviours), behaviours);
  const engine = createEngine({ tools, permissions: { ask } });
  const chains = new ChainLibrary({ tools: engine.tools });
  for (const spec of specs) chains.add({ name: spec.name, spec });
  chains.registerIn(engine.tools);
  return { engine, called: () => tools.calls.map(({ tool }) => tool) };
}

describe("a chain that is called as a tool tells how far it is", () => {
  const steps = ["a", "b", "c"].map((id, at, ids) => ({
    id,
    tool: "t",
    ...(at > 0 && { depends_on: [ids[at - 1] ?? ""] }),
  }));

  test("by the number of the step that begins, and of those that are over", async () => {
    const { engine } = setup([{ name: "three", steps }], { t: 1 });
    const told: unknown[] = [];
    await engine.call("three", {}, { onProgress: (value) => told.push(value) });
    expect(told).toEqual([
      { progress: 0, total: 3, message: "step 1 of 3: a" },
      { progress: 1, total: 3, message: "step 1 of 3: a success" },
      { progress: 1, total: 3, message: "step 2 of 3: b" },
      { progress: 2, total: 3, message: "step 2 of 3: b success" },
      { progress: 2, total: 3, message: "step 3 of 3: c" },
      { progress: 3, total: 3, message: "step 3 of 3: c success" },
    ]);
  });

  test("with the steps of a chain within as parts of its own", async () => {
    const outer = { name: "outer", steps: [{ id: "sub", tool: "three" }] };
    const { engine } = setup([{ name: "three", steps }, outer], { t: 1 });
    const told: { progress: number; total: number; message: string }[] = [];
    // Told by the chain itself.
    await engine.call("outer", {}, { onProgress: (value) => told.push(value as (typeof told)[number]) });
    expect(told.map(({ message }) => message)).toContain("step 1 of 1: sub/b");
    expect(told.every(({ total }) => total === 1)).toBe(true);
    expect(told.at(-1)).toMatchObject({ progress: 1 });
  });
});

describe("a chain that is called by somebody who can be asked", () => {
  const asks = {
    name: "asks",
    steps: [
      { id: "a", tool: "t" },
      { id: "b", tool: "u", approval: "Sure?", depends_on: ["a"] },
    ],
  };
  const answering = (answer: QuestionAnswer) => {
    const asked: Question[] = [];
    const elicit = async (question: Question): Promise<QuestionAnswer> => {
      asked.push(question);
      return answer;
    };
    return { asked, elicit };
  };

  test("asks, and goes on with a yes", async () => {
    const { engine, called } = setup([asks], { t: 1, u: 2 });
    const { asked, elicit } = answering({ action: "accept", content: { approve: true } });
    expect(await engine.call("asks", {}, { elicit })).toMatchObject({ success: true, output: { b: 2 } });
    expect(asked.map(({ message }) => message.split("\n")[0])).toEqual(["Sure?"]);
    expect(called()).toEqual(["t", "u"]);
  });

  test.each([
    [{ action: "decline" } as const, /declined by the caller/],
    [{ action: "accept", content: { approve: false } } as const, /declined by the caller/],
    [{ action: "cancel" } as const, /dismissed; run it with: windlass run asks/],
  ])("does not go on with %j", async (answer, why) => {
    const { engine, called } = setup([asks], { t: 1, u: 2 });
    const result = await engine.call("asks", {}, { elicit: answering(answer).elicit });
    expect(!result.success && result.error.message).toMatch(why);
    expect(called()).toEqual(["t"]);
  });

  test("asks what a rule asks inside of it", async () => {
    const { engine, called } = setup([{ name: "c", steps: [{ id: "s", tool: "danger" }] }], { danger: 1 }, ["danger"]);
    const { asked, elicit } = answering({ action: "accept", content: { approve: true } });
    expect(await engine.call("c", {}, { elicit })).toMatchObject({ success: true });
    expect([asked.length, called()]).toEqual([1, ["danger"]]);
  });

  test("is not begun where only people by their names may decide", async () => {
    const named = { name: "named", steps: [{ id: "s", tool: "t", approval: { message: "?", approvers: ["ann"] } }] };
    const { engine, called } = setup([named], { t: 1 });
    const { elicit } = answering({ action: "accept", content: { approve: true } });
    expect(await engine.call("named", {}, { elicit })).toMatchObject({ error: { reason: "needs_approval" } });
    expect(called()).toEqual([]);
  });
});
