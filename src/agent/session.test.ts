import { describe, expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "../engine/index.ts";
import { type Model } from "../model/index.ts";
import { scriptedModel } from "../testing/index.ts";
import { type InMemoryRunJournalOptions, createInMemoryApprovals, createInMemoryRunJournal } from "../store/index.ts";
import { Agent } from "./agent.ts";
import { createAgent } from "./create-agent.ts";
import type { ConversationMessage } from "./events/message.ts";
import { AgentRuns } from "./run/agent-runs.ts";
import { agentDefaults } from "./run/resolve-agent-spec.ts";
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
  test("counts the usage of a prompt once, even if it was resumed several times", async () => {
    const agent = agentWith([wantsSend, { text: "sent", usage }, { text: "bye", usage }]);
    const session = agent.session();
    const { runId, approvals } = await session.send("send it");
    expect(session.usage).toMatchObject({ inputTokens: 100, outputTokens: 10 });
    await session.resume(runId);
    expect(session.usage).toMatchObject({ inputTokens: 100, outputTokens: 10 });
    await agent.decide(approvals?.[0]?.id ?? "", { approved: true });
    expect(await session.resume(runId)).toMatchObject({ status: "completed", answer: "sent" });
    expect(session.usage).toMatchObject({ inputTokens: 200, outputTokens: 20 });
    await session.send("bye");
    expect(session.usage).toMatchObject({ inputTokens: 300, outputTokens: 30 });
  });

  test("continues after a prompt without a conversation id, even if its list of messages was modified", async () => {
    const agent = agentWith([{ text: "A" }, { text: "other" }, { text: "B" }]);
    const first = await agent.run("a");
    // A caller may modify the list in a result.
    (first.messages as ConversationMessage[]).length = 0;
    await agent.run("something else");
    const { messages } = await agent.run("b", { conversationId: first.conversationId });
    expect(textsOf(messages)).toEqual(["a", "A", "b", "B"]);
  });

  test("resumes any of its suspended prompts; their turn is appended after later turns", async () => {
    const agent = agentWith([wantsSend, { text: "hello", usage }, { text: "sent", usage }, { text: "bye", usage }]);
    const session = agent.session();
    const { runId, approvals } = await session.send("send it");
    await session.send("hello?");
    await agent.decide(approvals?.[0]?.id ?? "", { approved: true });
    const result = await session.resume(runId);
    expect(result).toMatchObject({
      status: "completed",
      answer: "sent",
      notices: [expect.stringContaining("in the meantime")],
    });
    expect(await agent.runs.inspect(runId)).toEqual(result);
    // It started without the prompt that came after it.
    expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    await session.send("bye");
    expect(textsOf(session.messages)).toEqual(["hello?", "hello", "send it", "sent", "bye", "bye"]);
    expect(session.messages.map(({ role }) => role)).toContain("tool");
    expect(session.usage).toMatchObject({ inputTokens: 400, outputTokens: 40 });
  });

  test("is tainted if its caller declares it so, independently of the journal, until it is cleared", async () => {
    const wantsWrite = { toolCalls: [{ name: "write", args: {}, id: "w1" }] };
    const write = sampleTool(() => "written", { name: "write", effect: "idempotent", destructive: true });
    const engine = createEngine({ tools: [write], permissions: { ask: [], allow: ["*"] } });
    const agent = createAgent({ engine, model: scriptedModel(["A", "B", wantsWrite, "C"]) });
    await agent.run("a", { conversationId: "t" });
    const session = agent.session({ conversationId: "t", tainted: true });
    expect(session.tainted).toBe(true);
    await session.refresh();
    // A concurrent prompt does not know of it.
    await agent.run("b", { conversationId: "t" });
    expect(await session.send("write it")).toMatchObject({ status: "waiting", tainted: true });
    expect(session.tainted).toBe(true);
    await session.clear();
    expect(await session.send("c")).toMatchObject({ status: "completed", tainted: false });
  });

  test("resumes its own prompt in another process, and none of another conversation", async () => {
    const agent = agentWith([wantsSend, { text: "sent", usage }]);
    const { runId, approvals, conversationId } = await agent.session().send("send it");
    await expect(agent.session().resume(runId)).rejects.toMatchObject({ code: "validation_error" });
    await agent.decide(approvals?.[0]?.id ?? "", { approved: true });
    expect(await agent.session({ conversationId }).resume(runId)).toMatchObject({ status: "completed" });
  });
});

/** The stores of a machine. */
function inMemory(options: Partial<InMemoryRunJournalOptions> = {}) {
  const approvals = createInMemoryApprovals();
  return { approvals, journal: createInMemoryRunJournal({ approvals, ...options }) };
}

/** Agents of several processes on one machine. */
function processes(model: Model, { journal, approvals } = inMemory()) {
  const engine = createEngine({
    tools: [
      sampleTool(() => "sent", { name: "send", effect: "once" }),
      sampleTool(() => "from outside", { name: "fetch_page", effect: "read" }),
    ],
  });
  return () => {
    const parts = { engine, journal, approvals, runner: findRunner, model: () => model };
    return new Agent(new AgentRuns(parts), { ...agentDefaults, runner: "autonomous" });
  };
}

describe("[H21] prompts to one session at the same time", () => {
  test("are queued: each becomes a turn, in the order in which they were sent, and sees the turns before it", async () => {
    const model = scriptedModel(["A", "B", "C"]);
    const session = createAgent({ engine: createEngine(), model }).session();
    const results = await Promise.all([session.send("a"), session.send("b"), session.send("c")]);
    expect(results.map(({ answer, notices }) => [answer, notices])).toEqual([
      ["A", []],
      ["B", []],
      ["C", []],
    ]);
    expect(textsOf(session.messages)).toEqual(["a", "A", "b", "B", "c", "C"]);
    expect(textsOf(model.calls[2]?.prompt ?? [])).toEqual(["a", "A", "b", "B", "c"]);
  });

  test("continue after one that failed, was cancelled, or could not start", async () => {
    const session = createAgent({ engine: createEngine(), model: scriptedModel([new Error("no"), "C"]) }).session();
    const [failed, cancelled, unknown, done] = await Promise.allSettled([
      session.send("a"),
      session.send("b", { signal: AbortSignal.abort() }),
      session.resume("no-such-run"),
      session.send("c"),
    ]);
    expect(failed).toMatchObject({ value: { status: "failed" } });
    expect(cancelled).toMatchObject({ value: { status: "cancelled" } });
    expect(unknown).toMatchObject({ status: "rejected" });
    expect(done).toMatchObject({ value: { status: "completed", answer: "C" } });
    expect(textsOf(session.messages)).toEqual(["c", "C"]);
  });

  test("do not wait for others once they are cancelled", async () => {
    const gate = Promise.withResolvers<string>();
    const look = sampleTool(() => gate.promise, { name: "look", effect: "read" });
    const model = scriptedModel([{ toolCalls: [{ name: "look", args: {} }] }, "A", "C"]);
    const session = createAgent({ engine: createEngine({ tools: [look] }), model }).session();
    const first = session.send("a");
    const controller = new AbortController();
    const second = session.send("b", { signal: controller.signal });
    const third = session.send("c");
    controller.abort();
    expect(await second).toMatchObject({ status: "cancelled" });
    gate.resolve("seen");
    expect([(await first).answer, (await third).answer]).toEqual(["A", "C"]);
    expect(textsOf(session.messages)).toEqual(["a", "A", "c", "C"]);
  });

  test("are separated by a clear between them", async () => {
    const model = scriptedModel(["A", "B"]);
    const session = createAgent({ engine: createEngine(), model }).session();
    await Promise.all([session.send("a"), session.clear(), session.send("b")]);
    expect(textsOf(session.messages)).toEqual(["b", "B"]);
  });
});

describe("a conversation with several users", () => {
  test("sees answers from elsewhere at each prompt", async () => {
    const open = processes(scriptedModel(["A", "B", "C", "D"]));
    const [one, other] = [open().session({ conversationId: "t" }), open().session({ conversationId: "t" })];
    await one.send("a");
    await other.send("b");
    await one.send("c");
    await other.refresh();
    expect(textsOf(other.messages)).toEqual(["a", "A", "b", "B", "c", "C"]);
    const { messages } = await open().run("d", { conversationId: "t" });
    expect(textsOf(messages)).toEqual(["a", "A", "b", "B", "c", "C", "d", "D"]);
  });

  test("stores both of two concurrent prompts, and the second answer has a notice", async () => {
    const model = scriptedModel(["A", "B", "C", "D"]);
    const open = processes(model);
    const [one, other] = [open().session({ conversationId: "t" }), open().session({ conversationId: "t" })];
    await one.send("a");
    await other.refresh();
    const [b, c] = await Promise.all([one.send("b"), other.send("c")]);
    expect([...b.notices, ...c.notices]).toEqual([expect.stringContaining("another prompt was answered")]);
    for (const result of [b, c]) {
      expect(result.messages).toHaveLength(4);
      expect(await open().runs.inspect(result.runId)).toEqual(result);
    }
    await one.send("d");
    const requested = textsOf(one.messages).filter((text) => /[a-d]/.test(text));
    expect(requested.toSorted()).toEqual(["a", "b", "c", "d"]);
    expect(one.messages).toHaveLength(8);
  });

  test("a conversation that is cleared is empty everywhere, and remains empty", async () => {
    const open = processes(scriptedModel(["A", "B", "C"]));
    const [one, other] = [open().session({ conversationId: "t" }), open().session({ conversationId: "t" })];
    await one.send("a");
    await other.send("b");
    await one.clear();
    expect(one.messages).toEqual([]);
    await other.send("c");
    expect(textsOf(other.messages)).toEqual(["c", "C"]);
    const later = open().session({ conversationId: "t" });
    await later.refresh();
    expect(textsOf(later.messages)).toEqual(["c", "C"]);
  });

  test("is tainted for the next caller, until it is cleared", async () => {
    const fetch = { toolCalls: [{ name: "fetch_page", args: {}, id: "f1" }] };
    const open = processes(scriptedModel([fetch, "read", "one", "two", "three"]));
    expect(await open().run("read it", { conversationId: "t" })).toMatchObject({ tainted: true });
    const session = open().session({ conversationId: "t" });
    expect(await session.send("and?")).toMatchObject({ tainted: true });
    const other = open().session({ conversationId: "t" });
    await other.refresh();
    expect(other.tainted).toBe(true);
    await other.clear();
    expect(await session.send("now?")).toMatchObject({ tainted: false });
  });

  test("contains no prompts that agents got as tools", async () => {
    const open = processes(scriptedModel(["A", "aside", "B"]));
    await open().run("a", { conversationId: "t" });
    const { runs, spec } = open();
    const aside = await runs.start(spec, "sub", { conversationId: "t", isDetached: true });
    expect(aside).toMatchObject({ conversationId: "t", answer: "aside" });
    expect(aside.messages).toHaveLength(2);
    expect(textsOf((await open().run("b", { conversationId: "t" })).messages)).toEqual(["a", "A", "b", "B"]);
  });

  test("a conversation that a caller overrides has the caller's messages; if they are equal, they are not stored twice", async () => {
    const stores = inMemory();
    const { journal } = stores;
    const open = processes(scriptedModel(["A", "B", "C", "D"]), stores);
    const a = await open().run("a", { conversationId: "t" });
    const b = await open().run("b", { conversationId: "t", history: a.messages });
    expect(JSON.parse((await journal.read(b.runId))?.run.input ?? "")).toEqual({ text: "b" });
    const history = a.messages.slice(0, 0);
    await open().run("c", { conversationId: "t", history });
    expect(textsOf((await open().run("d", { conversationId: "t" })).messages)).toEqual(["c", "C", "d", "D"]);
  });

  test("retains a history from the caller, and answers added in the meantime", async () => {
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
    const slow = session.send("slow");
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
  ])("has no duplicate call id if a service %s", async (_, id) => {
    const model = scriptedModel(({ prompt }) => {
      const [name] = textsOf(prompt.slice(-1));
      return name === undefined ? "done" : { toolCalls: [{ name, args: {}, id }] };
    });
    const agent = processes(model)();
    const session = agent.session({ conversationId: "t" });
    const { runId, approvals } = await session.send("send");
    expect(await session.send("fetch_page")).toMatchObject({ status: "completed" });
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

  test("continues in a session whose journal no longer has it", async () => {
    const model = scriptedModel([...Array.from({ length: 102 }, (_, n) => `${n}`), "last"]);
    const agent = processes(model, inMemory({ finished: 0 }))();
    const session = agent.session();
    await session.send("a");
    for (let n = 0; n < 101; n++) await agent.run("other", { conversationId: `c${n}` });
    await expect(agent.runs.conversations.load(session.conversationId)).resolves.toMatchObject({ messages: [] });
    const { messages } = await session.send("b");
    expect(textsOf(messages)).toEqual(["a", "0", "b", "last"]);
    expect(textsOf(session.messages)).toEqual(["a", "0", "b", "last"]);
  });

  test("continues with another agent, and then with the first one again", async () => {
    const [agent, other] = [processes(scriptedModel(["A", "C"]))(), processes(scriptedModel(["B"]))()];
    const session = agent.session();
    await session.send("a");
    session.use(other);
    await session.send("b");
    session.use(agent);
    await session.send("c");
    expect(textsOf(session.messages)).toEqual(["a", "A", "b", "B", "c", "C"]);
  });

  test("a run stores only its own prompt, and resumes in another process with the exact history it started with", async () => {
    const stores = inMemory();
    const { journal } = stores;
    const model = scriptedModel(["A", wantsSend, "meanwhile", "sent"]);
    const open = processes(model, stores);
    await open().run("a".repeat(1000), { conversationId: "t" });
    const waiting = await open().run("send it", { conversationId: "t" });
    expect((await journal.read(waiting.runId))?.run.input).toBe('{"text":"send it","offered":["fetch_page","send"]}');
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
