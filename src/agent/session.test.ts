import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "../engine/index.ts";
import { type Model, scriptedModel } from "../model/index.ts";
import { type RunJournal, createMemoryApprovals, createMemoryRuns } from "../store/index.ts";
import { Agent } from "./agent.ts";
import { createAgent } from "./create-agent.ts";
import type { ConversationMessage } from "./message.ts";
import { AgentRuns } from "./run/agent-runs.ts";
import { agentDefaults } from "./run/agent-spec.ts";
import { findRunner } from "./runners/find-runner.ts";

const usage = { inputTokens: 100, outputTokens: 10 };
const wantsSend = { toolCalls: [{ name: "send", args: {}, id: "c1" }], usage };

function textsOf(messages: readonly ConversationMessage[]): string[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.flatMap((part) => (part.type === "text" ? [part.text] : [])),
  );
}

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

  test("goes on from a question that nobody gave a name, whatever was done to its list of messages", async () => {
    const agent = agentWith([{ text: "A" }, { text: "other" }, { text: "B" }]);
    const first = await agent.run("a");
    // Whoever gets a result may do with its list as they like.
    (first.messages as ConversationMessage[]).length = 0;
    await agent.run("something else");
    const { messages } = await agent.run("b", { conversationId: first.conversationId });
    expect(textsOf(messages)).toEqual(["a", "A", "b", "B"]);
  });

  test("takes up any of its questions that waited; what came of it is behind what was said meanwhile", async () => {
    const agent = agentWith([wantsSend, { text: "hello", usage }, { text: "sent", usage }, { text: "bye", usage }]);
    const session = agent.session();
    const { runId, approvals } = await session.ask("send it");
    await session.ask("hello?");
    await agent.decide(approvals?.[0]?.id ?? "", { approved: true });
    const result = await session.resume(runId);
    expect(result).toMatchObject({
      status: "completed",
      answer: "sent",
      notes: [expect.stringContaining("meanwhile")],
    });
    expect(await agent.runs.inspect(runId)).toEqual(result);
    // It began without the question that came after it.
    expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    await session.ask("bye");
    expect(textsOf(session.messages)).toEqual(["hello?", "hello", "send it", "sent", "bye", "bye"]);
    expect(session.messages.map(({ role }) => role)).toContain("tool");
    expect(session.usage).toMatchObject({ inputTokens: 400, outputTokens: 40 });
  });

  test("is tainted where its caller says so, whatever the journal has of it, until it is cleared", async () => {
    const wantsWrite = { toolCalls: [{ name: "write", args: {}, id: "w1" }] };
    const write = sampleTool(() => "written", { name: "write", effect: "idempotent", destructive: true });
    const engine = createEngine({ tools: [write], permissions: { ask: [], allow: ["*"] } });
    const agent = createAgent({ engine, model: scriptedModel(["A", "B", wantsWrite, "C"]) });
    await agent.run("a", { conversationId: "t" });
    const session = agent.session({ conversationId: "t", tainted: true });
    expect(session.tainted).toBe(true);
    await session.refresh();
    // Whoever answers meanwhile knows nothing of it.
    await agent.run("b", { conversationId: "t" });
    expect(await session.ask("write it")).toMatchObject({ status: "waiting", tainted: true });
    expect(session.tainted).toBe(true);
    await session.clear();
    expect(await session.ask("c")).toMatchObject({ status: "completed", tainted: false });
  });

  test("takes up its own question in another life, and none of another conversation", async () => {
    const agent = agentWith([wantsSend, { text: "sent", usage }]);
    const { runId, approvals, conversationId } = await agent.session().ask("send it");
    await expect(agent.session().resume(runId)).rejects.toMatchObject({ code: "validation_error" });
    await agent.decide(approvals?.[0]?.id ?? "", { approved: true });
    expect(await agent.session({ conversationId }).resume(runId)).toMatchObject({ status: "completed" });
  });
});

/** Agents of several processes with one journal. */
function processes(model: Model, journal: RunJournal = createMemoryRuns()) {
  const engine = createEngine({
    tools: [
      sampleTool(() => "sent", { name: "send", effect: "once" }),
      sampleTool(() => "from outside", { name: "fetch_page", effect: "read" }),
    ],
  });
  const approvals = createMemoryApprovals();
  let count = 0;
  return () => {
    const id = `p${++count}`;
    const owner = { id, pid: count, processStart: id, bootId: "" };
    const parts = { engine, journal, approvals, owner, runner: findRunner, model: () => model };
    return new Agent(new AgentRuns(parts), { ...agentDefaults, runner: "autonomous" });
  };
}

describe("a conversation in several places", () => {
  test("sees at each question what was answered elsewhere", async () => {
    const open = processes(scriptedModel(["A", "B", "C", "D"]));
    const [one, other] = [open().session({ conversationId: "t" }), open().session({ conversationId: "t" })];
    await one.ask("a");
    await other.ask("b");
    await one.ask("c");
    await other.refresh();
    expect(textsOf(other.messages)).toEqual(["a", "A", "b", "B", "c", "C"]);
    const { messages } = await open().run("d", { conversationId: "t" });
    expect(textsOf(messages)).toEqual(["a", "A", "b", "B", "c", "C", "d", "D"]);
  });

  test("keeps both of two questions that were asked at once, and the second answer says so", async () => {
    const model = scriptedModel(["A", "B", "C", "D"]);
    const open = processes(model);
    const [one, other] = [open().session({ conversationId: "t" }), open().session({ conversationId: "t" })];
    await one.ask("a");
    await other.refresh();
    const [b, c] = await Promise.all([one.ask("b"), other.ask("c")]);
    expect([...b.notes, ...c.notes]).toEqual([expect.stringContaining("another question was answered")]);
    for (const result of [b, c]) {
      expect(result.messages).toHaveLength(4);
      expect(await open().runs.inspect(result.runId)).toEqual(result);
    }
    await one.ask("d");
    const asked = textsOf(one.messages).filter((text) => /[a-d]/.test(text));
    expect(asked.toSorted()).toEqual(["a", "b", "c", "d"]);
    expect(one.messages).toHaveLength(8);
  });

  test("that is cleared is empty everywhere, and stays so", async () => {
    const open = processes(scriptedModel(["A", "B", "C"]));
    const [one, other] = [open().session({ conversationId: "t" }), open().session({ conversationId: "t" })];
    await one.ask("a");
    await other.ask("b");
    await one.clear();
    expect(one.messages).toEqual([]);
    await other.ask("c");
    expect(textsOf(other.messages)).toEqual(["c", "C"]);
    const later = open().session({ conversationId: "t" });
    await later.refresh();
    expect(textsOf(later.messages)).toEqual(["c", "C"]);
  });

  test("is tainted for whoever asks next, until it is cleared", async () => {
    const fetch = { toolCalls: [{ name: "fetch_page", args: {}, id: "f1" }] };
    const open = processes(scriptedModel([fetch, "read", "one", "two", "three"]));
    expect(await open().run("read it", { conversationId: "t" })).toMatchObject({ tainted: true });
    const session = open().session({ conversationId: "t" });
    expect(await session.ask("and?")).toMatchObject({ tainted: true });
    const other = open().session({ conversationId: "t" });
    await other.refresh();
    expect(other.tainted).toBe(true);
    await other.clear();
    expect(await session.ask("now?")).toMatchObject({ tainted: false });
  });

  test("has nothing of the questions that agents were asked as tools", async () => {
    const open = processes(scriptedModel(["A", "aside", "B"]));
    await open().run("a", { conversationId: "t" });
    const { runs, spec } = open();
    const aside = await runs.start(spec, "sub", { conversationId: "t", aside: true });
    expect(aside).toMatchObject({ conversationId: "t", answer: "aside" });
    expect(aside.messages).toHaveLength(2);
    expect(textsOf((await open().run("b", { conversationId: "t" })).messages)).toEqual(["a", "A", "b", "B"]);
  });

  test("that a caller tells otherwise is what the caller says; told as it is, it is not kept again", async () => {
    const journal = createMemoryRuns();
    const open = processes(scriptedModel(["A", "B", "C", "D"]), journal);
    const a = await open().run("a", { conversationId: "t" });
    const b = await open().run("b", { conversationId: "t", history: a.messages });
    expect(JSON.parse((await journal.read(b.runId))?.run.input ?? "")).toEqual({ text: "b" });
    const history = a.messages.slice(0, 0);
    await open().run("c", { conversationId: "t", history });
    expect(textsOf((await open().run("d", { conversationId: "t" })).messages)).toEqual(["c", "C", "d", "D"]);
  });

  test("keeps a history that was given to it, and what was answered meanwhile", async () => {
    const answered = Promise.withResolvers<void>();
    const model = scriptedModel(async ({ prompt }) => {
      const [text = ""] = textsOf(prompt.slice(-1));
      if (text === "slow") await answered.promise;
      return text.toUpperCase();
    });
    const open = processes(model);
    await open().run("first", { conversationId: "t" });
    const history: ConversationMessage[] = [
      { role: "user", content: [{ type: "text", text: "mine" }] },
      { role: "assistant", content: [{ type: "text", text: "noted" }] },
    ];
    const session = open().session({ conversationId: "t", history });
    const slow = session.ask("slow");
    await open().run("quick", { conversationId: "t" });
    answered.resolve();
    await slow;
    const all = ["first", "FIRST", "quick", "QUICK", "mine", "noted", "slow", "SLOW"];
    expect(textsOf(session.messages)).toEqual(all);
    const { messages } = await open().run("last", { conversationId: "t" });
    expect(textsOf(messages)).toEqual([...all, "last", "LAST"]);
  });

  test.each([
    ["gives no ids", ""],
    ["counts them from 0 in each answer", "call_0"],
  ])("has no call id twice where a service %s", async (_, id) => {
    const model = scriptedModel(({ prompt }) => {
      const [name] = textsOf(prompt.slice(-1));
      return name === undefined ? "done" : { toolCalls: [{ name, args: {}, id }] };
    });
    const agent = processes(model)();
    const session = agent.session({ conversationId: "t" });
    const { runId, approvals } = await session.ask("send");
    expect(await session.ask("fetch_page")).toMatchObject({ status: "completed" });
    await agent.decide(approvals?.[0]?.id ?? "", { approved: true });
    await session.resume(runId);
    await agent.run("fetch_page", { conversationId: "t" });
    await session.refresh();
    const { messages } = session;
    const calls = messages.flatMap(({ role, content }) =>
      role === "assistant" ? content.filter((part) => part.type === "tool-call") : [],
    );
    const results = messages.flatMap(({ role, content }) =>
      role === "tool" ? content.filter((part) => part.type === "tool-result") : [],
    );
    expect(calls.map(({ toolName }) => toolName)).toEqual(["fetch_page", "send", "fetch_page"]);
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(3);
    expect(results.map(({ toolCallId }) => toolCallId)).toEqual(calls.map(({ toolCallId }) => toolCallId));
    const again = agent.session({ conversationId: "t" });
    await again.refresh();
    expect(again.messages).toEqual(session.messages);
  });

  test("goes on in a session whose journal has forgotten it", async () => {
    const model = scriptedModel([...Array.from({ length: 102 }, (_, n) => `${n}`), "last"]);
    const agent = processes(model, createMemoryRuns({ finished: 0 }))();
    const session = agent.session();
    await session.ask("a");
    for (let n = 0; n < 101; n++) await agent.run("other", { conversationId: `c${n}` });
    await expect(agent.runs.conversations.soFar(session.conversationId)).resolves.toMatchObject({ messages: [] });
    const { messages } = await session.ask("b");
    expect(textsOf(messages)).toEqual(["a", "0", "b", "last"]);
    expect(textsOf(session.messages)).toEqual(["a", "0", "b", "last"]);
  });

  test("goes on with an agent that knows nothing of it, and back", async () => {
    const [agent, other] = [processes(scriptedModel(["A", "C"]))(), processes(scriptedModel(["B"]))()];
    const session = agent.session();
    await session.ask("a");
    session.use(other);
    await session.ask("b");
    session.use(agent);
    await session.ask("c");
    expect(textsOf(session.messages)).toEqual(["a", "A", "b", "B", "c", "C"]);
  });

  test("a run keeps its own question only, and goes on in another process with exactly what it began with", async () => {
    const journal = createMemoryRuns();
    const model = scriptedModel(["A", wantsSend, "meanwhile", "sent"]);
    const open = processes(model, journal);
    await open().run("a".repeat(1000), { conversationId: "t" });
    const waiting = await open().run("send it", { conversationId: "t" });
    expect((await journal.read(waiting.runId))?.run.input).toBe('{"text":"send it"}');
    await open().run("other", { conversationId: "t" });
    const agent = open();
    expect(await agent.runs.inspect(waiting.runId)).toEqual(waiting);
    await agent.decide(waiting.approvals?.[0]?.id ?? "", { approved: true });
    const result = await agent.resume(waiting.runId);
    const prompt = model.calls.at(-1)?.prompt ?? [];
    expect(textsOf(prompt)).toEqual(["a".repeat(1000), "A", "send it"]);
    expect(await open().runs.inspect(waiting.runId)).toEqual(result);
  });
});
