import { describe, expect, test } from "vitest";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { type Engine, createEngine } from "../../engine/index.ts";
import { type ScriptedModel, scriptedModel } from "../../testing/index.ts";
import { createInMemoryApprovals, createInMemoryRunJournal } from "../../store/index.ts";
import type { AgentResult } from "../events/agent-result.ts";
import { createAgent } from "../create-agent.ts";
import { AgentRuns } from "../run/agent-runs.ts";
import type { AgentSpec } from "../run/agent-spec.ts";
import { agentDefaults } from "../run/resolve-agent-spec.ts";
import { findRunner } from "../runners/find-runner.ts";
import { resultText } from "./conversation-meter.ts";

/** A tool that sends, and one that needs approval; their calls are in the log. */
function tools() {
  const log: string[] = [];
  const make = (name: string, more = {}) =>
    sampleTool(() => (log.push(name), `${name}: done`), { name, effect: "once", destructive: false, ...more });
  return { log, send: make("send"), other: make("mailer"), wipe: make("wipe", { destructive: true }) };
}

const permissions = { ask: ["wipe"], allow: ["*"] };

/** Runs that outlive their engine. */
function world(model: ScriptedModel) {
  const approvals = createInMemoryApprovals({});
  const journal = createInMemoryRunJournal({ approvals });
  const runs = (engine: Engine): AgentRuns => {
    return new AgentRuns({ engine, journal, approvals, runner: findRunner, model: () => model });
  };
  const approve = async ({ approvals: open = [] }: AgentResult): Promise<void> => {
    for (const { id } of open) await approvals.decide(id, { approved: true }, Date.now());
  };
  return { runs, approve, events: async (runId: string) => (await journal.read(runId))?.events ?? [] };
}

const spec: AgentSpec = { ...agentDefaults, runner: "autonomous" };
const userPrompt = "go";
const calls = (name: string, id: string) => ({ text: `${name} now`, toolCalls: [{ name, args: {}, id }] });

/** The results in a conversation, by the ids of their calls. */
function resultsOf({ messages }: Pick<AgentResult, "messages">): Record<string, string> {
  const parts = messages.flatMap(({ role, content }) => (role === "tool" ? content : []));
  return Object.fromEntries(
    parts.flatMap((part) => (part.type === "tool-result" ? [[part.toolCallId, resultText(part) ?? ""]] : [])),
  );
}

describe("[N12] a run that is replayed on another engine", () => {
  const { send, wipe, log } = tools();
  const others: [string, () => Engine][] = [
    ["has the tool switched off", () => createEngine({ tools: [send, wipe], permissions, disabledTools: ["send"] })],
    ["has only the other tool", () => createEngine({ tools: [wipe], permissions })],
    [
      "has the tool as one that reads",
      () => {
        const reads = sampleTool(() => "read", { name: "send", effect: "read" });
        return createEngine({ tools: [reads, wipe], permissions });
      },
    ],
  ];

  test.each(others)("an engine that %s knows the completed work", async (_how, other) => {
    log.length = 0;
    const model = scriptedModel([calls("send", "c0"), calls("wipe", "c1"), "both done"]);
    const { runs, approve } = world(model);
    const waiting = await runs(createEngine({ tools: [send, wipe], permissions })).start(spec, userPrompt);
    expect(waiting.status).toBe("waiting");
    await approve(waiting);
    const ended = await runs(other()).resume(waiting.runId);
    expect(ended).toMatchObject({ status: "completed", answer: "both done", toolUsageSummary: { successRate: 100 } });
    expect(resultsOf(ended)).toEqual({ c0: "send: done", c1: "wipe: done" });
    expect(log).toEqual(["send", "wipe"]);
    expect(model.calls).toHaveLength(3);
  });

  test("a run can be inspected as it happened on an engine without any tools", async () => {
    const model = scriptedModel([calls("send", "c0"), calls("send", "c1"), "sent it"]);
    const { runs } = world(model);
    const first = await runs(createEngine({ tools: [send], permissions })).start(spec, userPrompt);
    expect(first.answer).toBe("sent it");
    const bare = runs(createEngine());
    expect(await bare.inspect(first.runId)).toEqual(first);
    expect(await bare.resume(first.runId)).toEqual(first);
  });

  test("does not make a call that was refused before, even if it is possible now", async () => {
    log.length = 0;
    const model = scriptedModel([calls("send", "c0"), calls("wipe", "c1"), "done"]);
    const { runs, approve } = world(model);
    const limited = { ...spec, tools: ["wipe"] };
    const waiting = await runs(createEngine({ tools: [send, wipe], permissions })).start(limited, userPrompt);
    await approve(waiting);
    // Another tool, which the run might use, has this name now.
    const named = sampleTool(() => log.push("stand-in"), { name: "wipe", aliases: ["send"], effect: "once" });
    const ended = await runs(createEngine({ tools: [named], permissions })).resume(waiting.runId);
    expect(log).not.toContain("send");
    expect(log).toHaveLength(ended.status === "completed" ? 1 : 0);
    expect(resultsOf(ended)["c0"]).toContain("send is not available here");
  });

  test.each([
    [
      "with its tools bound",
      {
        toolCalls: [
          { name: "send", args: {}, id: "c0" },
          { name: "wipe", args: {}, id: "c1" },
        ],
      },
    ],
    ["in words", JSON.stringify({ calls: [{ tool: "send" }, { tool: "wipe" }] })],
  ])("a run of the planned runner, %s, repeats nothing and omits nothing", async (how, plan) => {
    log.length = 0;
    const note = sampleTool(() => (log.push("note"), "noted"), { name: "note", effect: "once", destructive: false });
    const noTools = Object.assign(new Error("this model does not support tools"), {
      statusCode: 400,
      responseHeaders: {},
      responseBody: '{"error":"this model does not support tools"}',
    });
    const model = scriptedModel(how === "in words" ? [noTools, plan, "all done"] : [plan, "all done"]);
    const { runs, approve } = world(model);
    const planned = {
      ...spec,
      runner: "planned",
      options: { commands: { note: "note" } },
    };
    const text = "@note go";
    const waiting = await runs(createEngine({ tools: [send, wipe, note], permissions })).start(planned, text);
    expect(waiting).toMatchObject({ status: "waiting" });
    await approve(waiting);
    const ended = await runs(createEngine({ tools: [wipe], permissions })).resume(waiting.runId);
    expect(ended).toMatchObject({ status: "completed", answer: "all done", toolUsageSummary: { successRate: 100 } });
    expect(log.toSorted()).toEqual(["note", "send", "wipe"]);
    const message = JSON.stringify(model.calls.at(-1)?.prompt);
    for (const gave of ["send: done", "wipe: done", "noted"]) expect(message).toContain(gave);
  });

  test("requests no summary other than the original one", async () => {
    const long = (word: string): string => `${word} `.repeat(700);
    const turn = (n: number) => [
      { role: "user" as const, content: [{ type: "text" as const, text: long(`q${n}`) }] },
      { role: "assistant" as const, content: [{ type: "text" as const, text: long(`a${n}`) }] },
    ];
    const history = Array.from({ length: 5 }, (_, n) => turn(n)).flat();
    const bulky = Array.from({ length: 4 }, (_, n) =>
      sampleTool(() => n, { name: `tool_${n}`, description: long("does"), effect: "read" }),
    );
    const small = createEngine({ tools: [wipe], permissions });
    const large = createEngine({ tools: [wipe, ...bulky], permissions });
    for (const [first, second] of [[small, large] as const, [large, small] as const]) {
      const model = scriptedModel(({ prompt }) => {
        if (JSON.stringify(prompt[0]).includes("Summarize")) return "in short";
        return prompt.some(({ role }) => role === "tool") ? "done" : calls("wipe", "c0");
      });
      const { runs, approve } = world(model);
      const tight = { ...spec, contextTokens: 8000, toolDefinitionTokens: 4000 };
      const waiting = await runs(first).start(tight, userPrompt, {
        history: { messages: history, tainted: false, turn: 0, isPersisted: false },
      });
      expect(waiting.status).toBe("waiting");
      // Only with many tools is the history too long.
      const requested = model.calls.length;
      expect(requested).toBe(first === large ? 2 : 1);
      expect(await runs(second).inspect(waiting.runId)).toEqual(waiting);
      await approve(waiting);
      const ended = await runs(second).resume(waiting.runId);
      expect(ended).toMatchObject({ status: "completed", answer: "done" });
      expect(
        model.calls
          .slice(requested)
          .map(({ prompt }) => JSON.stringify(prompt[0]).includes("Summarize"))
          .at(-1),
      ).toBe(false);
    }
  });

  test("a crew does not reassign a step that was done", async () => {
    const { other } = tools();
    log.length = 0;
    const steps = [
      { id: "1", description: "Send the mail", tool_type: "send", dependencies: [], input: {} },
      { id: "2", description: "Wipe the list", tool_type: "wipe", dependencies: ["1"], input: {} },
    ];
    const model = scriptedModel(({ prompt }) =>
      JSON.stringify(prompt[0]).includes("you plan how others") ? JSON.stringify({ steps }) : "it is all done",
    );
    const { runs, approve, events } = world(model);
    const crew = { ...spec, runner: "crew" };
    const waiting = await runs(createEngine({ tools: [send, wipe], permissions })).start(crew, userPrompt);
    expect(waiting).toMatchObject({ status: "waiting" });
    const requested = model.calls.length;
    const known = (await events(waiting.runId)).length;
    await approve(waiting);
    const ended = await runs(createEngine({ tools: [other, wipe], permissions })).resume(waiting.runId);
    expect(ended).toMatchObject({ status: "completed", steps: [{ by: "tool" }, { by: "tool" }] });
    expect(log).toEqual(["send", "wipe"]);
    // No model request was made except for the text of the answer.
    expect(model.calls.length - requested).toBeLessThanOrEqual(1);
    expect((await events(waiting.runId)).length).toBeGreaterThan(known);
  });
});

describe("[E05] the conversation of a run that stopped half-way", () => {
  test("can be sent: a pending call has a placeholder result, a completed one has its own", async () => {
    const { send, wipe } = tools();
    const both = {
      toolCalls: [
        { name: "send", args: {}, id: "c0" },
        { name: "wipe", args: {}, id: "c1" },
      ],
    };
    const model = scriptedModel([both, "never mind"]);
    const engine = createEngine({ tools: [send, wipe], permissions });
    const agent = createAgent({ engine, model });
    const waiting = await agent.run("go");
    expect(waiting.status).toBe("waiting");
    expect(resultsOf(waiting)).toEqual({ c0: "send: done", c1: expect.stringContaining("no result") });
    await agent.run("something else", { history: waiting.messages });
    const prompt = model.calls[1]?.prompt ?? [];
    expect(prompt.slice(1).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  test("the conversation of a cancelled run can be sent as well", async () => {
    const hang = sampleTool(() => new Promise(() => {}), { name: "hang", effect: "once", destructive: false });
    const { send } = tools();
    const both = {
      toolCalls: [
        { name: "hang", args: {}, id: "c0" },
        { name: "send", args: {}, id: "c1" },
      ],
    };
    const stop = new AbortController();
    const agent = createAgent({
      engine: createEngine({ tools: [hang, send], permissions }),
      model: scriptedModel([both]),
    });
    const onEvent = ({ type }: { type: string }): void => void (type === "tool-started" && stop.abort());
    const cancelled = await agent.run("go", { signal: stop.signal, onEvent });
    expect(cancelled.status).toBe("cancelled");
    expect(Object.keys(resultsOf(cancelled))).toEqual(["c0", "c1"]);
  });
});

describe("a history from the caller", () => {
  const requested = { role: "user" as const, content: [{ type: "text" as const, text: "go" }] };
  const called = {
    role: "assistant" as const,
    content: [{ type: "tool-call" as const, toolCallId: "c0", toolName: "send", input: {} }],
  };
  const output = { type: "text" as const, value: "sent" };
  const gave = {
    role: "tool" as const,
    content: [{ type: "tool-result" as const, toolCallId: "c0", toolName: "send", output }],
  };
  const agent = createAgent({ engine: createEngine(), model: scriptedModel(() => "fine") });

  test.each([
    ["a call without its result", [requested, called], '[1] has the call "c0"'],
    ["a result too late", [requested, called, requested, gave], '[1] has the call "c0"'],
    ["a result without its call", [requested, gave], '[1] has a result of "c0"'],
  ])("a history with %s is rejected, because every service would reject it", async (_what, history, why) => {
    await expect(agent.run("and?", { history })).rejects.toThrow(why);
  });

  test("a history in which each call has its result is accepted", async () => {
    expect(await agent.run("and?", { history: [requested, called, gave] })).toMatchObject({ answer: "fine" });
  });
});
