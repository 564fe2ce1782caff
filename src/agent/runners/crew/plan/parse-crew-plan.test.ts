import { describe, expect, test } from "vitest";
import { agentNoticeText } from "../../../texts/agent-texts.ts";
import { parseCrewPlan } from "./parse-crew-plan.ts";

const read = (plan: unknown) => parseCrewPlan(typeof plan === "string" ? plan : JSON.stringify(plan), { maxSteps: 3 });

describe("[C07] a plan", () => {
  test("is parsed with all fields of a step", () => {
    const step = {
      id: 7,
      description: " Look ",
      tool_type: "look",
      dependencies: [],
      complexity: "HIGH",
      input: { a: 1 },
    };
    expect(read({ steps: [step] })).toEqual({
      steps: [
        { id: "step-1", description: "Look", toolType: "look", dependencies: [], complexity: "high", input: { a: 1 } },
      ],
      issues: [],
      notices: [],
    });
  });

  test("is found in prose, in fences, and without the object around it", () => {
    const steps = '[{"id": "1", "description": "Look", "tool_type": "None"},]';
    for (const text of [`Here:\n\`\`\`json\n{"steps": ${steps}}\n\`\`\``, `Sure!\n${steps}\nDone.`]) {
      expect(read(text).steps).toMatchObject([{ id: "step-1", toolType: "none", complexity: "medium" }]);
    }
  });

  test("may name its steps as it likes; dependencies are found by name and by number", () => {
    const { steps, notices } = read({
      steps: [
        { id: "步骤一", description: "a" },
        { id: "step_2", description: "b", dependencies: ["步骤一"] },
        { description: "c", dependencies: [2, "step_2", "步骤一"] },
      ],
    });
    expect(steps.map(({ dependencies }) => dependencies)).toEqual([[], ["step-1"], ["step-1", "step-2"]]);
    expect(notices).toEqual([]);
  });

  test("a cycle of any length loses one dependency, and no more", () => {
    const ring = ["1", "2", "3"].map((id, at) => ({ id, description: id, dependencies: [["3", "1", "2"][at]] }));
    const { steps, notices } = read({ steps: ring });
    expect(steps.flatMap(({ dependencies }) => dependencies)).toHaveLength(2);
    expect(notices.map((notice) => agentNoticeText(notice))).toEqual([
      "step-2 does not wait for step-1: the dependencies of the plan form a cycle",
    ]);
  });

  test("errors in a plan are described so that a model can act on them", () => {
    expect(read("no").issues).toEqual(["it holds no JSON object"]);
    expect(read({ plan: [] }).issues).toEqual(['the JSON object has no list "steps"']);
    expect(read({ steps: [] }).issues).toEqual(['"steps" is empty; there has to be one step at least']);
    expect(read({ steps: [{ id: "1" }, 5] }).issues).toEqual([
      'steps[0] needs a "description"',
      "steps[1] is not a JSON object",
    ]);
    expect(read({ steps: Array.from({ length: 5 }, () => ({ description: "x" })) })).toMatchObject({
      issues: ["the plan has 5 steps; 3 are allowed, so put some together"],
      notices: [{ code: "plan_shortened", params: { steps: 5, max: 3 } }],
    });
  });

  test("hidden characters are removed, and long texts cut", () => {
    const { steps } = read({
      steps: [{ description: `Look\u202e\u{e0041} ${"x".repeat(5000)}`, tool_type: "y".repeat(999) }],
    });
    expect(steps[0]?.description).toMatch(/^Look x/);
    expect(steps[0]?.description.length).toBeLessThanOrEqual(2000);
    expect(steps[0]?.toolType.length).toBeLessThanOrEqual(128);
  });
});
