import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createEngine } from "../../engine/index.ts";
import { scriptedModel } from "../../model/index.ts";
import { defineTool } from "../../tool/index.ts";
import type { AgentEvent } from "../agent-event.ts";
import { createAgent } from "../create-agent.ts";
import { foldReasoning, reasoningOf } from "./fold-reasoning.ts";
import { noReasoning } from "./reasoning-block.ts";

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

type Script = Parameters<typeof scriptedModel>[0];

async function eventsOf(question: string, script: Script): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  const engine = createEngine({ tools: [localSearch, remove, broken] });
  const agent = createAgent({ engine, model: scriptedModel(script) });
  await agent.run(question, { onEvent: (event) => events.push(event) });
  return events;
}

const search = { name: "localSearch", args: { query: "piano", salientTerms: ["piano", "practice"] }, id: "c1" };

describe("[E13] the reasoning block", () => {
  test("tells steps in words, with what came of them, the time and the state", async () => {
    const events = await eventsOf("What did I write about the piano?", [
      { thinking: "I have to look.", toolCalls: [search] },
      { text: "About practising." },
    ]);
    const block = reasoningOf(events);
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

  test("speaks Chinese when the question does", async () => {
    const events = await eventsOf("关于钢琴我写了什么？", [{ toolCalls: [search] }, { text: "练习。" }]);
    const { steps, language } = reasoningOf(events);
    expect(language).toBe("zh");
    expect(steps.map(({ text }) => text)).toEqual(["正在为“piano”、“practice”搜索笔记", "已生成回复"]);
    expect(steps[0]?.detail).toBe("找到 4 条：Piano practice.md、Scales.md、Music.md……");
  });

  test("[E14] thinking is apart from the answer, which grows while it is written", async () => {
    const events = await eventsOf("Why?", [
      { thinking: "Because, I think.", text: "Because it is so, and it has always been so." },
    ]);
    let block = noReasoning;
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

  test("what a model says before it calls tools is a step, and no part of the answer", async () => {
    const events = await eventsOf("?", [{ text: "Let me look.", toolCalls: [search] }, { text: "Found." }]);
    const block = reasoningOf(events);
    expect(block.answer).toBe("Found.");
    expect(block.steps[0]).toMatchObject({ kind: "model", text: "Let me look.", state: "done" });
  });

  test("a call that waits for a person is waiting, and so is the block", async () => {
    const events = await eventsOf("?", [{ toolCalls: [{ name: "remove", args: {}, id: "c1" }] }]);
    const block = reasoningOf(events);
    expect(block.state).toBe("waiting");
    expect(block.steps.at(-1)).toMatchObject({ tool: "remove", state: "waiting", approvalId: expect.any(String) });
  });

  test("a call that failed says why, and a repeated one that it was not made", async () => {
    const call = { name: "broken", args: {} };
    const events = await eventsOf("?", [
      { toolCalls: [call] },
      { toolCalls: [call, search] },
      { toolCalls: [search] },
      "Sorry.",
    ]);
    const { steps } = reasoningOf(events);
    expect(steps[0]).toMatchObject({ state: "failed", detail: expect.stringContaining("the disk is full") });
    expect(steps.map(({ text }) => text)).toContain("localSearch: the same call as before");
  });

  test("that a service is waited for is told until it answers", () => {
    const place = { part: "main", round: 1 };
    const base = { at: 1, runId: "r" };
    const wait = { ...base, type: "round-waiting" as const, ...place };
    const slow = { waitMs: 5400, reason: "rate_limited" };
    const asked = (question: string, why: { waitMs: number; reason?: string } = slow): AgentEvent[] => [
      { ...base, type: "run-started", runner: "llm", question },
      { ...base, type: "round-started", ...place },
      { ...wait, ...why },
    ];
    expect(reasoningOf(asked("?")).steps[0]?.detail).toBe("waiting 6 s: the service asks to slow down");
    expect(reasoningOf(asked("为什么？")).steps[0]?.detail).toBe("等待 6 秒：服务要求放慢速度");
    expect(reasoningOf(asked("?", { waitMs: 300 })).steps[0]?.detail).toBe(
      "waiting 0.3 s: the service failed or was not reached, and is asked again",
    );
    const after = reasoningOf([...asked("?"), { ...base, type: "text-delta", ...place, text: "So" }]);
    expect(after.steps[0]).not.toHaveProperty("detail");
  });

  test("text of a stream that broke is forgotten", () => {
    const place = { part: "main", round: 1 };
    const base = { at: 1, runId: "r" };
    const block = reasoningOf([
      { ...base, type: "run-started", runner: "llm", question: "?" },
      { ...base, type: "round-started", ...place },
      { ...base, type: "text-delta", ...place, text: "Wro" },
      { ...base, type: "round-restarted", ...place },
      { ...base, type: "text-delta", ...place, text: "Right" },
    ]);
    expect(block).toMatchObject({ answer: "Right", state: "answering" });
  });

  test("hostile names and texts stay on one line and act on nothing", () => {
    const place = { part: "main", round: 1, callId: "x", tool: "__proto__", decidedBy: "model" } as const;
    const block = reasoningOf([
      { at: 1, runId: "r", type: "run-started", runner: "llm", question: "?" },
      { at: 1, runId: "r", type: "tool-started", ...place, args: { a: "\u001b[2J\n\u202eevil" } },
      {
        at: 1,
        runId: "r",
        type: "tool-finished",
        ...place,
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
