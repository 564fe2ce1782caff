import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "../engine/index.ts";
import { scriptedModel } from "../model/index.ts";
import { createAgent } from "./create-agent.ts";
import type { OwnRunner } from "./own-runner.ts";

describe("a runner of one's own", () => {
  test("asks the model with and without tools, and calls tools itself", async () => {
    const runner: OwnRunner = {
      name: "brief",
      *run(work, { text }) {
        const looked = yield* work.call({ name: "first", tool: "look", args: { n: 1 } });
        const draft = yield* work.ask({ part: "draft", tools: true });
        work.note("there was a draft");
        const seen = looked.success ? String(looked.output) : "";
        return { answer: yield* work.ask({ text: `${text} ${seen} ${draft}`, rules: ["Be brief."] }) };
      },
    };
    const look = sampleTool(({ n }) => `seen ${String(n)}`, { name: "look" });
    const model = scriptedModel([{ toolCalls: [{ name: "look", args: { n: 2 } }] }, "a draft", "short"]);
    const agent = createAgent({ engine: createEngine({ tools: [look] }), model, runner, instructions: "Speak up." });
    const result = await agent.run("Which?");
    expect(result).toMatchObject({ status: "completed", runner: "brief", answer: "short", rounds: 3 });
    expect(result).toMatchObject({ notes: ["there was a draft"], toolUsageSummary: { toolUsage: { look: 2 } } });
    const [first, , last] = model.calls;
    expect(first?.tools).toHaveLength(1);
    expect(last?.tools).toBeUndefined();
    const prompt = JSON.stringify(last?.prompt);
    for (const said of ["Which? seen 1 a draft", "Be brief.", "Speak up."]) expect(prompt).toContain(said);
    expect(result.messages).toHaveLength(2);
    expect(await agent.runs.inspect(result.runId)).toMatchObject({ answer: "short", rounds: 3 });
  });

  test("waits where a person is asked about its call, and goes on without doing anything twice", async () => {
    let looks = 0;
    const tools = [
      sampleTool(() => ++looks, { name: "look" }),
      sampleTool(() => "sent", { name: "send", effect: "once" }),
    ];
    const runner: OwnRunner = {
      name: "sends",
      worksAlone: true,
      *run(work) {
        const looked = yield* work.call({ name: "look", tool: "look" });
        const sent = yield* work.call({ name: "send", tool: "send" });
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

  test("is told that two of what it wants have one name", async () => {
    const runner: OwnRunner = {
      name: "same",
      *run(work) {
        yield* work.ask();
        return { answer: yield* work.ask() };
      },
    };
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(["a", "b"]), runner });
    const message = 'the runner broke: the runner same has two of part "main": each needs another';
    expect(await agent.run("?")).toMatchObject({ status: "failed", error: { message } });
  });

  test("cannot have the name of one that there is", () => {
    const runner: OwnRunner = {
      name: "vault",
      // oxlint-disable-next-line require-yield -- it wants nothing
      *run() {
        return { answer: "mine" };
      },
    };
    expect(() => createAgent({ engine: createEngine(), runner })).toThrow('there is a runner "vault" already');
  });
});
