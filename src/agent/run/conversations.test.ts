import { describe, expect, test } from "vitest";
import { createEngine } from "../../engine/index.ts";
import { scriptedModel } from "../../model/index.ts";
import { type RunJournal, createMemoryApprovals, createMemoryRuns } from "../../store/index.ts";
import { createAgent } from "../create-agent.ts";
import { findRunner } from "../runners/find-runner.ts";
import { AgentRuns } from "./agent-runs.ts";

function agentOf(journal: RunJournal, answers: readonly string[]) {
  const engine = createEngine();
  const model = scriptedModel(answers);
  const owner = { id: "p", pid: 1, processStart: "p", bootId: "" };
  const approvals = createMemoryApprovals();
  const runs = new AgentRuns({ engine, journal, approvals, owner, runner: findRunner, model: () => model });
  return createAgent({ engine, model, runs });
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
