import { describe, expect, test } from "vitest";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { type Clock, fail, systemClock } from "../../base/index.ts";
import { createEngine } from "../../engine/index.ts";
import { brokenModel } from "../../model/index.ts";
import { scriptedModel } from "../../testing/index.ts";
import type { AgentEvent } from "../events/agent-event.ts";
import { createAgent } from "../create-agent.ts";

const send = { toolCalls: [{ name: "send", args: {}, id: "c1" }] };

function world(clock: Clock = systemClock) {
  const tools = [sampleTool(() => "sent", { name: "send", effect: "once" })];
  const events: AgentEvent[] = [];
  return { engine: createEngine({ tools, clock }), events, onEvent: (event: AgentEvent) => void events.push(event) };
}

const timeOf = ({ at }: AgentEvent): number => at;

describe("the times of events", () => {
  test("come from the clock during execution and from the journal in a replay", async () => {
    let now = 1_000_000;
    // Durations are part of the times of events, so both count in the same steps.
    const clock: Clock = { ...systemClock, now: () => (now += 10), elapsed: () => (now += 10) };
    const { engine, events, onEvent } = world(clock);
    const model = scriptedModel([send, "a few words, one after the other"]);
    const agent = createAgent({ engine, model, clock });
    const requestApproval = (): Promise<{ approved: true }> => Promise.resolve({ approved: true });
    const { runId } = await agent.run("send it", { onEvent, requestApproval });
    const times = events.map(timeOf);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    expect(events.filter(({ type }) => type === "text-delta").length).toBeGreaterThan(1);
    const end = now;
    now += 1_000_000;
    const again: AgentEvent[] = [];
    await agent.runs.inspect(runId, (event) => void again.push(event));
    expect(again.length).toBeGreaterThan(4);
    expect(Math.max(...again.map(timeOf))).toBeLessThanOrEqual(end);
  });

  test("never decrease, even if the clock is set back", async () => {
    let now = 1_000_000;
    const clock: Clock = { ...systemClock, now: () => (now -= 10) };
    const { engine, events, onEvent } = world();
    await createAgent({ engine, model: scriptedModel(["a few words"]), clock }).run("hi", { onEvent });
    const times = events.map(timeOf);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});

describe("model requests", () => {
  test("are not sent, reported or counted once a person has cancelled the run", async () => {
    const { engine, events, onEvent } = world();
    const model = scriptedModel([{ toolCalls: [...send.toolCalls, { name: "send", args: { to: "bob" } }] }, "never"]);
    const controller = new AbortController();
    const requestApproval = (): Promise<undefined> => {
      controller.abort();
      return new Promise(() => {});
    };
    const result = await createAgent({ engine, model, maxRounds: 1 }).run("send it", {
      onEvent,
      requestApproval,
      signal: controller.signal,
    });
    expect(result).toMatchObject({ status: "cancelled", rounds: 1, notices: [] });
    expect(model.calls).toHaveLength(1);
    expect(events.filter(({ type }) => type === "round-started")).toHaveLength(1);
    expect(events.filter(({ type }) => type === "tool-started")).toHaveLength(1);
  });

  test("count when they were sent, also if they failed", async () => {
    const { engine } = world();
    const failed = await createAgent({ engine, model: scriptedModel([new Error("x")]), runner: "llm" }).run("hi");
    expect(failed).toMatchObject({ status: "failed", rounds: 1 });
  });

  test("do not start if the model name is wrong", async () => {
    const { engine } = world();
    const model = brokenModel(fail("there is no provider antropic", { code: "validation_error" }));
    const agent = createAgent({ engine, model, runner: "llm" });
    await expect(agent.run("hi", { runId: "wrong" })).rejects.toMatchObject({ reason: "no_model" });
    expect(await agent.runs.has("wrong")).toBe(false);
  });

  test("are counted the same in a replay", async () => {
    const { engine } = world();
    const agent = createAgent({ engine, model: scriptedModel([send, "done"]) });
    const { runId, approvals } = await agent.run("send it");
    expect((await agent.runs.inspect(runId)).rounds).toBe(1);
    await agent.runs.approvals.decide(approvals?.[0]?.id ?? "", { approved: true }, Date.now());
    expect((await agent.resume(runId)).rounds).toBe(2);
    expect((await agent.runs.inspect(runId)).rounds).toBe(2);
  });
});

test("the success rate of a run is not rounded, as in records", async () => {
  const { engine } = world();
  const wrong = { toolCalls: [...send.toolCalls, { name: "nosuch", args: {} }, { name: "nothing", args: {} }] };
  const agent = createAgent({ engine, model: scriptedModel([wrong, "done"]) });
  const { toolUsageSummary } = await agent.run("send it", {
    requestApproval: () => Promise.resolve({ approved: true }),
  });
  expect(toolUsageSummary).toMatchObject({ totalCalls: 3, successRate: (1 / 3) * 100 });
});
