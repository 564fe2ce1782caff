import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "../engine/index.ts";
import { scriptedModel } from "../model/index.ts";
import { createAgent } from "./create-agent.ts";

const usage = { inputTokens: 100, outputTokens: 10 };
const wantsSend = { toolCalls: [{ name: "send", args: {}, id: "c1" }], usage };

function agentWith(script: Parameters<typeof scriptedModel>[0]) {
  const engine = createEngine({ tools: [sampleTool(() => "sent", { name: "send", effect: "once" })] });
  return createAgent({ engine, model: scriptedModel(script) });
}

describe("a conversation", () => {
  test("counts what a question took once, however often it went on", async () => {
    const agent = agentWith([wantsSend, { text: "sent", usage }, { text: "bye", usage }]);
    const session = agent.session();
    const { runId, approvals } = await session.ask("send it");
    expect(session.usage).toMatchObject({ inputTokens: 100, outputTokens: 10 });
    await session.resume(runId);
    expect(session.usage).toMatchObject({ inputTokens: 100, outputTokens: 10 });
    await agent.decide(approvals?.[0]?.id ?? "", { approved: true });
    expect(await session.resume(runId)).toMatchObject({ status: "completed", answer: "sent" });
    expect(session.usage).toMatchObject({ inputTokens: 200, outputTokens: 20 });
    await session.ask("bye");
    expect(session.usage).toMatchObject({ inputTokens: 300, outputTokens: 30 });
  });

  test("does not go back to a question before the last one, and forgets nothing", async () => {
    const agent = agentWith([wantsSend, { text: "hello", usage }]);
    const session = agent.session();
    const { runId } = await session.ask("send it");
    await session.ask("hello?");
    const said = session.messages;
    await expect(session.resume(runId)).rejects.toMatchObject({ code: "validation_error" });
    expect(session.messages).toBe(said);
    expect(session.usage).toMatchObject({ inputTokens: 200, outputTokens: 20 });
  });

  test("takes up its own question in another life, and none of another conversation", async () => {
    const agent = agentWith([wantsSend, { text: "sent", usage }]);
    const { runId, approvals, conversationId } = await agent.session().ask("send it");
    await expect(agent.session().resume(runId)).rejects.toMatchObject({ code: "validation_error" });
    await agent.decide(approvals?.[0]?.id ?? "", { approved: true });
    expect(await agent.session({ conversationId }).resume(runId)).toMatchObject({ status: "completed" });
  });
});
