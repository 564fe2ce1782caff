import { describe, expect, test } from "vitest";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { createEngine } from "../../engine/index.ts";
import { scriptedModel } from "../../model/index.ts";
import { type RunJournal, createMemoryApprovals, createMemoryRuns } from "../../store/index.ts";
import { Agent } from "../agent.ts";
import { createAgent } from "../create-agent.ts";
import type { ConversationMessage } from "../message.ts";
import { findRunner } from "../runners/find-runner.ts";
import { AgentRuns } from "./agent-runs.ts";
import { agentDefaults } from "./agent-spec.ts";

function agentOf(journal: RunJournal, answers: readonly string[]) {
  const engine = createEngine();
  const model = scriptedModel(answers);
  const owner = { id: "p", pid: 1, processStart: "p", bootId: "" };
  const approvals = createMemoryApprovals();
  const runs = new AgentRuns({ engine, journal, approvals, owner, runner: findRunner, model: () => model });
  return new Agent(runs, { ...agentDefaults, runner: "autonomous" });
}

describe("what was said before a run", () => {
  test("and was removed is missed by name, and never made up", async () => {
    const journal = createMemoryRuns();
    const agent = agentOf(journal, ["A", "B"]);
    await agent.run("a", { conversationId: "t" });
    const { runId } = await agent.run("b", { conversationId: "t" });
    const forgetful = new Proxy(journal, {
      get: (kept, name) => {
        if (name === "turns") return () => Promise.resolve([]);
        const value: unknown = Reflect.get(kept, name);
        return typeof value === "function" ? (value.bind(kept) as unknown) : value;
      },
    });
    const missed = { code: "run_changed", reason: "conversation_removed" };
    await expect(agentOf(forgetful, []).runs.inspect(runId)).rejects.toMatchObject(missed);
  });
});

describe("what was said in a run that nobody gave a conversation", () => {
  const roles = (messages: readonly ConversationMessage[]): string[] => messages.map(({ role }) => role);
  const both = ["user", "assistant", "user", "assistant"];

  test("is there for a session that looked before the run was over", async () => {
    const send = sampleTool(() => "sent", { name: "send", effect: "once" });
    const model = scriptedModel([{ toolCalls: [{ name: "send", args: {} }] }, "sent it", "I sent it"]);
    const agent = createAgent({ engine: createEngine({ tools: [send], permissions: { ask: ["send"] } }), model });
    const { runId, conversationId, approvals = [] } = await agent.run("please send");
    const session = agent.session({ conversationId });
    await session.refresh();
    for (const { id } of approvals) await agent.decide(id, { approved: true });
    await session.resume(runId);
    expect(roles(session.messages)).toEqual(["user", "assistant", "tool", "assistant"]);
    await session.ask("what did you do?");
    const { messages } = await agent.runs.conversations.soFar(conversationId);
    expect(roles(messages)).toEqual(["user", "assistant", "tool", "assistant", "user", "assistant"]);
  });

  test("is there for a session that looked before the run began", async () => {
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(() => "fine") });
    const session = agent.session({ conversationId: "r" });
    await session.refresh();
    await agent.run("a", { runId: "r" });
    await session.ask("b");
    expect(roles(session.messages)).toEqual(both);
  });

  test("is there whenever another question begins while it ends", async () => {
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(() => "fine") });
    for (let ticks = 0; ticks < 80; ticks++) {
      const runId = `r${ticks}`;
      const first = agent.run("a", { runId });
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      await Promise.all([first, agent.run("b", { conversationId: runId })]);
      expect(roles((await agent.runs.conversations.soFar(runId)).messages)).toEqual(both);
    }
  });

  test("is told once where several go on with it at the same time", async () => {
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(() => "fine") });
    const { conversationId } = await agent.run("a");
    await Promise.all([agent.run("b", { conversationId }), agent.run("c", { conversationId })]);
    const { messages } = await agent.runs.conversations.soFar(conversationId);
    expect(roles(messages)).toEqual([...both, "user", "assistant"]);
  });

  test("is what it was, whatever became of the list that it was asked with", async () => {
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(() => "fine") });
    const history: ConversationMessage[] = [];
    const { conversationId, messages } = await agent.run("a", { history });
    history.push(...messages);
    expect(roles((await agent.run("b", { conversationId })).messages)).toEqual(both);
  });
});
