import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "../engine/index.ts";
import { scriptedModel } from "../testing/index.ts";
import { createAgent } from "./create-agent.ts";
import type { CustomRunner } from "./custom-runner.ts";

describe("a custom runner", () => {
  test("sends model requests with and without tools, and calls tools itself", async () => {
    const runner: CustomRunner = {
      name: "brief",
      *run(work, { text }) {
        const looked = yield* work.callTool({ name: "first", tool: "look", args: { n: 1 } });
        const draft = yield* work.generate({ part: "draft", tools: true });
        work.notice("there was a draft");
        const seen = looked.success ? String(looked.output) : "";
        return { answer: yield* work.generate({ text: `${text} ${seen} ${draft}`, rules: ["Be brief."] }) };
      },
    };
    const look = sampleTool(({ n }) => `seen ${String(n)}`, { name: "look" });
    const model = scriptedModel([{ toolCalls: [{ name: "look", args: { n: 2 } }] }, "a draft", "short"]);
    const agent = createAgent({ engine: createEngine({ tools: [look] }), model, runner, instructions: "Speak up." });
    const result = await agent.run("Which?");
    expect(result).toMatchObject({ status: "completed", runner: "brief", answer: "short", rounds: 3 });
    expect(result).toMatchObject({ notices: ["there was a draft"], toolUsageSummary: { toolUsage: { look: 2 } } });
    const [first, , last] = model.calls;
    expect(first?.tools).toHaveLength(1);
    expect(last?.tools).toBeUndefined();
    const prompt = JSON.stringify(last?.prompt);
    for (const messageText of ["Which? seen 1 a draft", "Be brief.", "Speak up."])
      expect(prompt).toContain(messageText);
    expect(result.messages).toHaveLength(2);
    expect(await agent.runs.inspect(result.runId)).toMatchObject({ answer: "short", rounds: 3 });
  });

  test("waits for the approval of its call, and resumes without repeating anything", async () => {
    let looks = 0;
    const tools = [
      sampleTool(() => ++looks, { name: "look" }),
      sampleTool(() => "sent", { name: "send", effect: "once" }),
    ];
    const runner: CustomRunner = {
      name: "sends",
      worksWithoutModel: true,
      *run(work) {
        const looked = yield* work.callTool({ name: "look", tool: "look" });
        const sent = yield* work.callTool({ name: "send", tool: "send" });
        return { answer: JSON.stringify([looked, sent].map((result) => result.success && result.output)) };
      },
    };
    const agent = createAgent({ engine: createEngine({ tools }), runner });
    const waiting = await agent.run("go");
    expect(waiting).toMatchObject({ status: "waiting", approvals: [{ tool: "send" }] });
    await agent.decide(waiting.approvals?.[0]?.id ?? "", { approved: true });
    expect(await agent.resume(waiting.runId)).toMatchObject({ status: "completed", answer: '[1,"sent"]' });
    expect(looks).toBe(1);
  });

  test("gets an error if it uses one name twice", async () => {
    const runner: CustomRunner = {
      name: "same",
      *run(work) {
        yield* work.generate();
        return { answer: yield* work.generate() };
      },
    };
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(["a", "b"]), runner });
    const message = 'the runner failed: the runner same uses part "main" twice; each must be unique';
    expect(await agent.run("?")).toMatchObject({ status: "failed", error: { message } });
  });

  test("cannot have the name of a built-in runner", () => {
    const runner: CustomRunner = {
      name: "vault",
      // oxlint-disable-next-line require-yield -- this runner requests nothing
      *run() {
        return { answer: "mine" };
      },
    };
    expect(() => createAgent({ engine: createEngine(), runner })).toThrow('a runner named "vault" already exists');
  });
});
