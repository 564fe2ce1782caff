import { describe, expect, test } from "vitest";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { createEngine } from "../../engine/index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { type RunStore, createInMemoryApprovals, createInMemoryRunJournal } from "../../store/index.ts";
import { Agent } from "../agent.ts";
import { createAgent } from "../create-agent.ts";
import type { ConversationMessage } from "../events/message.ts";
import { findRunner } from "../runners/find-runner.ts";
import { AgentRuns } from "./agent-runs.ts";
import { agentDefaults } from "./resolve-agent-spec.ts";

const approvals = createInMemoryApprovals();

function agentOf(journal: RunStore, answers: readonly string[]) {
  const engine = createEngine();
  const model = scriptedModel(answers);
  const runs = new AgentRuns({ engine, journal, approvals, runner: findRunner, model: () => model });
  return new Agent(runs, { ...agentDefaults, runner: "autonomous" });
}

describe("the history before a run", () => {
  test("a history that was removed is reported by name, and never invented", async () => {
    const journal = createInMemoryRunJournal({ approvals });
    const agent = agentOf(journal, ["A", "B"]);
    await agent.run("a", { conversationId: "t" });
    const { runId } = await agent.run("b", { conversationId: "t" });
    const forgetful = new Proxy(journal, {
      get: (stored, name) => {
        if (name === "turns") return () => Promise.resolve([]);
        const value: unknown = Reflect.get(stored, name);
        return typeof value === "function" ? (value.bind(stored) as unknown) : value;
      },
    });
    const missed = { code: "run_changed", reason: "conversation_removed" };
    await expect(agentOf(forgetful, []).runs.inspect(runId)).rejects.toMatchObject(missed);
  });
});

describe("the history of a run without a conversation id", () => {
  const roles = (messages: readonly ConversationMessage[]): string[] => messages.map(({ role }) => role);
  const both = ["user", "assistant", "user", "assistant"];

  test("is available to a session that loaded it before the run ended", async () => {
    const send = sampleTool(() => "sent", { name: "send", effect: "once" });
    const model = scriptedModel([{ toolCalls: [{ name: "send", args: {} }] }, "sent it", "I sent it"]);
    const agent = createAgent({ engine: createEngine({ tools: [send], permissions: { ask: ["send"] } }), model });
    const { runId, conversationId, approvals = [] } = await agent.run("please send");
    const session = agent.session({ conversationId });
    await session.refresh();
    for (const { id } of approvals) await agent.decide(id, { approved: true });
    await session.resume(runId);
    expect(roles(session.messages)).toEqual(["user", "assistant", "tool", "assistant"]);
    await session.send("what did you do?");
    const { messages } = await agent.runs.conversations.load(conversationId);
    expect(roles(messages)).toEqual(["user", "assistant", "tool", "assistant", "user", "assistant"]);
  });

  test("is available to a session that loaded it before the run started", async () => {
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(() => "fine") });
    const session = agent.session({ conversationId: "r" });
    await session.refresh();
    await agent.run("a", { runId: "r" });
    await session.send("b");
    expect(roles(session.messages)).toEqual(both);
  });

  test("is complete even if another prompt starts while it ends", async () => {
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(() => "fine") });
    for (let ticks = 0; ticks < 80; ticks++) {
      const runId = `r${ticks}`;
      const first = agent.run("a", { runId });
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      await Promise.all([first, agent.run("b", { conversationId: runId })]);
      expect(roles((await agent.runs.conversations.load(runId)).messages)).toEqual(both);
    }
  });

  test("is stored once if several callers continue it at the same time", async () => {
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(() => "fine") });
    const { conversationId } = await agent.run("a");
    await Promise.all([agent.run("b", { conversationId }), agent.run("c", { conversationId })]);
    const { messages } = await agent.runs.conversations.load(conversationId);
    expect(roles(messages)).toEqual([...both, "user", "assistant"]);
  });

  test("is unaffected by later changes to the list that was passed in", async () => {
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(() => "fine") });
    const history: ConversationMessage[] = [];
    const { conversationId, messages } = await agent.run("a", { history });
    history.push(...messages);
    expect(roles((await agent.run("b", { conversationId })).messages)).toEqual(both);
  });
});

describe("[F16] the history of an endless conversation", () => {
  /** A journal that counts the turns that are read from it. */
  function counted(journal: RunStore) {
    const read = { turns: 0 };
    const counting = new Proxy(journal, {
      get: (stored, name) => {
        const value: unknown = Reflect.get(stored, name);
        if (name !== "turns") return typeof value === "function" ? (value.bind(stored) as unknown) : value;
        return async (...args: Parameters<RunStore["turns"]>) => {
          const turns = await stored.turns(...args);
          read.turns += turns.length;
          return turns;
        };
      },
    });
    return { journal: counting, read };
  }
  const words = (n: number): string => `${n} `.padEnd(600, "a word and another ");
  const spec = { ...agentDefaults, runner: "autonomous", contextTokens: 6000 };
  const runsOf = (journal: RunStore): AgentRuns =>
    agentOf(
      journal,
      Array.from({ length: 2000 }, (_, n) => words(n)),
    ).runs;

  test("costs as much to load after 300 prompts as after 60, in this process and in a new one", async () => {
    const { journal, read } = counted(createInMemoryRunJournal({ approvals }));
    const runs = runsOf(journal);
    const agent = new Agent(runs, spec);
    const session = agent.session({ conversationId: "t" });
    const readBy = async (work: () => Promise<unknown>): Promise<number> => {
      read.turns = 0;
      await work();
      return read.turns;
    };
    const costs = async (n: number) => ({
      here: await readBy(() => agent.run(words(n), { conversationId: "t" })),
      elsewhere: await readBy(() => runsOf(journal).conversations.load("t")),
    });
    for (let n = 0; n < 60; n++) await session.send(words(n));
    const early = await costs(60);
    for (let n = 61; n < 300; n++) await session.send(words(n));
    const late = await costs(300);
    expect(late.here).toBe(early.here);
    expect(late.here).toBeLessThan(5);
    expect(late.elsewhere).toBeLessThan(80);
    expect(early.elsewhere).toBeLessThan(80);
  });

  test("is the same, loaded turn by turn or from the last turn that contains all of it", async () => {
    const journal = createInMemoryRunJournal({ approvals });
    const agent = new Agent(runsOf(journal), spec);
    const session = agent.session({ conversationId: "t" });
    const results = [];
    for (let n = 0; n < 120; n++) {
      results.push(await session.send(words(n)));
      const { messages, turn } = await runsOf(journal).conversations.load("t");
      expect(messages).toEqual(session.messages);
      expect(turn).toBe((await journal.turns("t")).at(-1)?.number);
    }
    const wholes = (await journal.turns("t")).filter(({ data }) => data.includes('"whole":true'));
    expect(wholes.length).toBeGreaterThan(2);
    // Runs from before and after such turns can still be replayed.
    for (const { runId, messages } of results.slice(40).filter((_, n) => n % 7 === 0)) {
      expect((await runsOf(journal).inspect(runId)).messages).toEqual(messages);
    }
  });

  test("contains the answers to concurrent prompts, also if one of them summarized the rest", async () => {
    const journal = createInMemoryRunJournal({ approvals });
    const agents = [0, 1, 2].map(() => new Agent(runsOf(journal), spec));
    for (let n = 0; n < 40; n++) {
      await Promise.all(agents.map((agent, at) => agent.run(`${at}.${words(n)}`, { conversationId: "t" })));
    }
    const [known, ...others] = await Promise.all(agents.map(({ runs }) => runs.conversations.load("t")));
    const fresh = await runsOf(journal).conversations.load("t");
    for (const other of [...others, fresh]) expect(other).toEqual(known);
    const last = JSON.stringify(fresh.messages.slice(-6));
    for (const at of [0, 1, 2]) expect(last).toContain(`${at}.39 `);
  });

  test("starts again after it was cleared", async () => {
    const { journal, read } = counted(createInMemoryRunJournal({ approvals }));
    const agent = new Agent(runsOf(journal), { ...spec, contextTokens: 1_000_000 });
    const session = agent.session({ conversationId: "t" });
    for (let n = 0; n < 100; n++) await session.send("a");
    await session.clear();
    await session.send("b");
    read.turns = 0;
    expect((await runsOf(journal).conversations.load("t")).messages).toEqual(session.messages);
    expect(session.messages).toHaveLength(2);
    expect(read.turns).toBe(16);
  });
});
