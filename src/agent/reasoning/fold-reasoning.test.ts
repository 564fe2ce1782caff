import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createEngine } from "../../engine/index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { defineTool } from "../../tool/index.ts";
import type { AgentEvent } from "../events/agent-event.ts";
import { createAgent } from "../create-agent.ts";
import { foldReasoning, toReasoningBlock } from "./fold-reasoning.ts";
import { emptyReasoningBlock } from "./reasoning-block.ts";

const localSearch = defineTool({
  name: "localSearch",
  description: "Searches notes",
  effect: "read",
  input: z.object({ query: z.string(), salientTerms: z.array(z.string()).optional() }),
  run: () => ({ documents: ["Piano practice.md", "Scales.md", "Music.md", "Chords.md"].map((title) => ({ title })) }),
});
const remove = defineTool({ name: "remove", description: "Removes", effect: "once", run: () => 1 });
const broken = defineTool({
  name: "broken",
  description: "Breaks",
  effect: "read",
  run: () => {
    throw new Error("the disk is full");
  },
});

const tides = defineTool({
  name: "get_tides_v2",
  displayName: "Tide table",
  description: "Tides",
  effect: "read",
  run: () => 1,
});
const sync = defineTool({
  name: "sync",
  displayName: "Sync",
  description: "Syncs",
  effect: "read",
  background: true,
  input: z.object({ fails: z.boolean().optional() }),
  run: ({ fails }) => {
    if (fails === true) throw new Error("offline");
    return 1;
  },
});
const reset = defineTool({ name: "reset", description: "Resets", effect: "once", background: true, run: () => 1 });

type Script = Parameters<typeof scriptedModel>[0];

async function eventsOf(prompt: string, script: Script): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  const engine = createEngine({ tools: [localSearch, remove, broken, tides, sync, reset] });
  const agent = createAgent({ engine, model: scriptedModel(script) });
  await agent.run(prompt, { onEvent: (event) => events.push(event) });
  return events;
}

const search = { name: "localSearch", args: { query: "piano", salientTerms: ["piano", "practice"] }, id: "c1" };

describe("[E13] the reasoning block", () => {
  test("describes steps with their outcome, time and state", async () => {
    const events = await eventsOf("What did I write about the piano?", [
      { thinking: "I have to look.", toolCalls: [search] },
      { text: "About practising." },
    ]);
    const block = toReasoningBlock(events);
    expect(block).toMatchObject({
      state: "completed",
      runner: "autonomous",
      answer: "About practising.",
      thinking: "",
    });
    expect(block.elapsedMs).toBeGreaterThanOrEqual(0);
    expect(block.steps.map(({ text, state, detail }) => ({ text, state, detail }))).toEqual([
      {
        text: 'Searching the notes for "piano", "practice"',
        state: "done",
        detail: "found 4: Piano practice.md, Scales.md, Music.md, …",
      },
      { text: "Wrote the answer", state: "done", detail: undefined },
    ]);
  });

  test("is in Chinese for a Chinese prompt", async () => {
    const events = await eventsOf("关于钢琴我写了什么？", [{ toolCalls: [search] }, { text: "练习。" }]);
    const { steps, language } = toReasoningBlock(events);
    expect(language).toBe("zh");
    expect(steps.map(({ text }) => text)).toEqual(["正在为“piano”、“practice”搜索笔记", "已生成回复"]);
    expect(steps[0]?.detail).toBe("找到 4 条：Piano practice.md、Scales.md、Music.md……");
  });

  test("[E14] reasoning is separate from the answer, which grows while it is written", async () => {
    const events = await eventsOf("Why?", [
      { thinking: "Because, I think.", text: "Because it is so, and it has always been so." },
    ]);
    let block = emptyReasoningBlock;
    const seen = { thinking: "", answers: new Set<string>(), states: new Set<string>() };
    for (const event of events) {
      block = foldReasoning(block, event);
      seen.thinking = block.thinking || seen.thinking;
      seen.answers.add(block.answer);
      seen.states.add(block.state);
    }
    expect(seen.thinking).toBe("Because, I think.");
    expect([...seen.states]).toEqual(["thinking", "answering", "completed"]);
    expect([...seen.answers].every((answer) => "Because it is so, and it has always been so.".startsWith(answer))).toBe(
      true,
    );
    expect(seen.answers.size).toBeGreaterThan(2);
  });

  test("text of a model before its tool calls is a step, and not part of the answer", async () => {
    const events = await eventsOf("?", [{ text: "Let me look.", toolCalls: [search] }, { text: "Found." }]);
    const block = toReasoningBlock(events);
    expect(block.answer).toBe("Found.");
    expect(block.steps[0]).toMatchObject({ kind: "model", text: "Let me look.", state: "done" });
  });

  test("a call that waits for a person is waiting, and so is the block", async () => {
    const events = await eventsOf("?", [{ toolCalls: [{ name: "remove", args: {}, id: "c1" }] }]);
    const block = toReasoningBlock(events);
    expect(block.state).toBe("waiting");
    expect(block.steps.at(-1)).toMatchObject({ tool: "remove", state: "waiting", approvalId: expect.any(String) });
  });

  test("a failed call shows its reason, and a repeated one that it was not run", async () => {
    const call = { name: "broken", args: {} };
    const events = await eventsOf("?", [
      { toolCalls: [call] },
      { toolCalls: [call, search] },
      { toolCalls: [search] },
      "Sorry.",
    ]);
    const { steps } = toReasoningBlock(events);
    expect(steps[0]).toMatchObject({ state: "failed", detail: expect.stringContaining("the disk is full") });
    expect(steps.map(({ text }) => text)).toContain("localSearch: the same call as before");
  });

  test("a wait for a service is shown until it answers", () => {
    const position = { part: "main", round: 1 };
    const base = { at: 1, runId: "r" };
    const wait = { ...base, type: "round-waiting" as const, ...position };
    const slow = { waitMs: 5400, reason: "rate_limited" };
    const requested = (prompt: string, why: { waitMs: number; reason?: string } = slow): AgentEvent[] => [
      { ...base, type: "run-started", runner: "llm", prompt },
      { ...base, type: "round-started", ...position },
      { ...wait, ...why },
    ];
    expect(toReasoningBlock(requested("?")).steps[0]?.detail).toBe("waiting 6 s: the service limits the request rate");
    expect(toReasoningBlock(requested("为什么？")).steps[0]?.detail).toBe("等待 6 秒：服务要求放慢速度");
    expect(toReasoningBlock(requested("?", { waitMs: 300 })).steps[0]?.detail).toBe(
      "waiting 0.3 s: the service failed or was not reached; retrying",
    );
    const after = toReasoningBlock([...requested("?"), { ...base, type: "text-delta", ...position, text: "So" }]);
    expect(after.steps[0]).not.toHaveProperty("detail");
  });

  test("text of an interrupted stream is discarded", () => {
    const position = { part: "main", round: 1 };
    const base = { at: 1, runId: "r" };
    const block = toReasoningBlock([
      { ...base, type: "run-started", runner: "llm", prompt: "?" },
      { ...base, type: "round-started", ...position },
      { ...base, type: "text-delta", ...position, text: "Wro" },
      { ...base, type: "round-restarted", ...position },
      { ...base, type: "text-delta", ...position, text: "Right" },
    ]);
    expect(block).toMatchObject({ answer: "Right", state: "answering" });
  });

  test("hostile names and texts stay on one line and have no effect on the terminal", () => {
    const position = { part: "main", round: 1, callId: "x", tool: "__proto__", initiator: "model" } as const;
    const block = toReasoningBlock([
      { at: 1, runId: "r", type: "run-started", runner: "llm", prompt: "?" },
      { at: 1, runId: "r", type: "tool-started", ...position, args: { a: "\u001b[2J\n\u202eevil" } },
      {
        at: 1,
        runId: "r",
        type: "tool-finished",
        ...position,
        durationMs: 1,
        success: true,
        summary: "a\n\u001b]0;b\u0007c",
      },
    ]);
    const text = block.steps.map((step) => `${step.text}${step.detail}`).join("");
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(block.steps).toHaveLength(1);
  });
});

describe("[H6] display names and background tools", () => {
  const call = (name: string, args = {}) => ({ toolCalls: [{ name, args }] });

  test("a tool is shown by its display name, in events and in the block", async () => {
    const events = await eventsOf("?", [call("get_tides_v2", { a: 1 }), call("get_tides_v2", { a: 1 }), "Noon."]);
    for (const type of ["tool-started", "tool-finished"]) {
      expect(events.find((event) => event.type === type)).toMatchObject({
        tool: "get_tides_v2",
        displayName: "Tide table",
      });
    }
    const { steps } = toReasoningBlock(events);
    expect(steps.map(({ text }) => text)).toEqual([
      'Calling Tide table {"a":1}',
      "Tide table: the same call as before",
      "Wrote the answer",
    ]);
    expect(steps[0]).toMatchObject({ tool: "get_tides_v2", displayName: "Tide table" });
  });

  test("a tool without one has no such field", async () => {
    const events = await eventsOf("?", [{ toolCalls: [search] }, "Done."]);
    for (const event of events) expect(event).not.toHaveProperty("displayName");
    for (const event of events) expect(event).not.toHaveProperty("background");
  });

  test("a background tool is marked in events, and takes no step of the block", async () => {
    const events = await eventsOf("?", [call("sync"), "Done."]);
    const marked = events.filter(({ type }) => type === "tool-started" || type === "tool-finished");
    expect(marked).toMatchObject([{ background: true }, { background: true }]);
    expect(toReasoningBlock(events).steps.map(({ text }) => text)).toEqual(["Wrote the answer"]);
  });

  test("a background tool that fails, or needs approval, is shown", async () => {
    const failed = toReasoningBlock(await eventsOf("?", [call("sync", { fails: true }), "Done."]));
    expect(failed.steps[0]).toMatchObject({
      text: "Calling Sync",
      state: "failed",
      detail: expect.stringContaining("offline"),
    });
    const waiting = toReasoningBlock(await eventsOf("?", [call("reset")]));
    expect(waiting.steps.at(-1)).toMatchObject({ tool: "reset", state: "waiting" });
  });

  test("a display name cannot break the view", async () => {
    const evil = { ...tides, name: "evil", displayName: "a\n\u001b[2Jb\u202e" };
    const events: AgentEvent[] = [];
    const agent = createAgent({ engine: createEngine({ tools: [evil] }), model: scriptedModel([call("evil"), "x"]) });
    await agent.run("?", { onEvent: (event) => events.push(event) });
    // oxlint-disable-next-line no-control-regex
    expect(toReasoningBlock(events).steps[0]?.text).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});

describe("[H12] nothing found", () => {
  const list = z.array(z.string());
  const find = z.object({ query: z.string().optional(), matches: list, skipped: list.optional() });

  async function detailOf(output: unknown, more: object = {}): Promise<string | undefined> {
    const tool = defineTool({ name: "t", description: "T", effect: "read", run: () => output, ...more });
    const events: AgentEvent[] = [];
    const model = scriptedModel([{ toolCalls: [{ name: "t", args: {} }] }, "Done."]);
    await createAgent({ engine: createEngine({ tools: [tool] }), model }).run("?", {
      onEvent: (event) => events.push(event),
    });
    return toReasoningBlock(events).steps.find((step) => step.tool === "t")?.detail;
  }

  test.each<[string, unknown, object]>([
    ["an empty list", [], {}],
    ["the declared list is empty", { matches: [] }, { output: find }],
    ["the declared list is empty beside others", { query: "q", matches: [], skipped: ["a"] }, { output: find }],
  ])("is shown for: %s", async (_, output, more) => {
    expect(await detailOf(output, more)).toBe("nothing found");
  });

  test.each<[string, unknown, object, string]>([
    ["an object with an empty list", { saved: "a.md", warnings: [] }, {}, '{"saved":"a.md","warnings":[]}'],
    [
      "an optional list",
      { saved: "a.md", warnings: [] },
      { output: z.object({ saved: z.string(), warnings: list.optional() }) },
      '{"saved":"a.md","warnings":[]}',
    ],
    [
      "a list beside a text",
      { text: "line\n".repeat(3), links: [] },
      { output: z.object({ text: z.string(), links: list }) },
      "line",
    ],
    [
      "a tool that changes something",
      { warnings: [] },
      { effect: "idempotent", output: z.object({ warnings: list }) },
      '{"warnings":[]}',
    ],
    ["two declared lists", { a: [], b: [] }, { output: z.object({ a: list, b: list }) }, '{"a":[],"b":[]}'],
  ])("is not shown for: %s", async (_, output, more, detail) => {
    const shown = await detailOf(output, more);
    expect(shown).not.toBe("nothing found");
    expect(shown).toContain(detail);
  });

  test("a list with items is counted, declared or not", async () => {
    expect(await detailOf({ total: 1, hits: ["x"] })).toBe("found 1: x");
    expect(await detailOf({ matches: ["x"], skipped: ["y", "z"] }, { output: find })).toBe("found 1: x");
  });
});
