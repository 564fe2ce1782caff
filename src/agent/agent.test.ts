import { describe, expect, test, vi } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { createEngine } from "../engine/index.ts";
import { scriptedModel } from "../testing/index.ts";
import type { AgentEvent } from "./events/agent-event.ts";
import { agentTool } from "./agent-tool.ts";
import { createAgent } from "./create-agent.ts";
import { Agent } from "./agent.ts";

const secret = "hunter2-is-my-secret";

async function read(events: AsyncIterable<AgentEvent>): Promise<AgentEvent["type"][]> {
  const types: AgentEvent["type"][] = [];
  for await (const { type } of events) types.push(type);
  return types;
}

describe("a stream of an agent's events", () => {
  test("has all of them even if another listener throws", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(["hello"]) });
    const stream = agent.stream("hi", {
      onEvent: () => {
        throw new Error("no");
      },
    });
    const types = await read(stream);
    expect(types.at(0)).toBe("run-started");
    expect(types.at(-1)).toBe("run-finished");
    expect(warned).toHaveBeenCalled();
    warned.mockRestore();
  });

  test("ends for each of several readers, who share the events", async () => {
    const agent = createAgent({ engine: createEngine(), model: scriptedModel([{ text: "hello", delayMs: 20 }]) });
    const whole = await read(createAgent({ engine: createEngine(), model: scriptedModel(["hello"]) }).stream("hi"));
    const stream = agent.stream("hi");
    const shares = await Promise.all([read(stream), read(stream)]);
    expect(shares.flat().toSorted()).toEqual(whole.toSorted());
  });

  test("can be abandoned and read again", async () => {
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(["hello"]) });
    const stream = agent.stream("hi");
    for await (const { type } of stream) {
      expect(type).toBe("run-started");
      break;
    }
    await stream.result;
    expect((await read(stream)).at(-1)).toBe("run-finished");
  });

  test("rejects an invalid history with the reason", async () => {
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(["hello"]) });
    const foreign = [{ role: "user", content: "hi" }] as unknown as [];
    const refused = {
      code: "validation_error",
      message: expect.stringContaining("history [0].content must be a list"),
    };
    await expect(agent.run("hi", { history: foreign })).rejects.toMatchObject(refused);
    const stream = agent.stream("hi", { history: foreign });
    await expect(read(stream)).rejects.toMatchObject(refused);
    await expect(stream.result).rejects.toMatchObject(refused);
    for (const nonsense of [null, [null], [{ role: "robot", content: [] }], [{ role: "system", content: [] }]]) {
      await expect(agent.run("hi", { history: nonsense as unknown as [] })).rejects.toMatchObject({
        code: "validation_error",
      });
    }
  });
});

test("[N08] no event reveals a secret in pieces, neither of the agent nor of an agent that it calls as a tool", async () => {
  const engine = createEngine({ secrets: { KEY: secret } });
  const helper = createAgent({ engine, model: scriptedModel([`the helper says ${secret} ok`]) });
  engine.tools.register(agentTool(helper, { name: "helper", description: "Helps." }));
  const model = scriptedModel([{ toolCalls: [{ name: "helper", args: { prompt: "?" } }] }, `so it is ${secret}, yes`]);
  const stream = createAgent({ engine, model }).stream("ask the helper");
  const own: string[] = [];
  const helpers: string[] = [];
  for await (const event of stream) {
    if (event.type === "text-delta") own.push(event.text);
    const inner = event.type === "tool-progress" ? (event.value as AgentEvent) : undefined;
    if (inner?.type === "text-delta") helpers.push(inner.text);
  }
  expect(own.join("")).toBe("so it is [redacted], yes");
  expect(helpers.join("")).toBe("the helper says [redacted] ok");
  expect((await stream.result).answer).toBe("so it is [redacted], yes");
});

test("the events of an agent contain no secrets", async () => {
  const token = `ghp_${"a1B2c3D4e5".repeat(4)}`.slice(0, 40);
  const engine = createEngine({
    secrets: { KEY: secret },
    tools: [
      sampleTool(() => ({ docs: [{ title: `the key is ${secret}` }] }), { name: "look" }),
      sampleTool(
        () => {
          throw new Error(`${secret} was refused, and so was ${token}`);
        },
        { name: "login" },
      ),
      sampleTool((_args, { progress }) => progress({ at: secret, password: "p4ssw0rd" }), { name: "work" }),
    ],
  });
  const names = ["look", "login", "work"];
  const script = [{ toolCalls: names.map((name) => ({ name, args: {} })) }, `it is ${secret}, and you want ${token}`];
  const events: AgentEvent[] = [];
  const agent = createAgent({ engine, model: scriptedModel(script) });
  await agent.run(`is ${secret} it?`, { onEvent: (event) => events.push(event) });
  const reported = JSON.stringify(events);
  expect(reported).not.toContain(secret);
  expect(reported).not.toContain("p4ssw0rd");
  const without = events.filter(({ type }) => !["text-delta", "round-finished", "run-finished"].includes(type));
  expect(JSON.stringify(without)).not.toContain(token);
  // Text that the model wrote for the user is not redacted.
  expect(events.at(-1)).toMatchObject({ type: "run-finished", answer: expect.stringContaining(token) });
});

describe("a decision on an agent's approval", () => {
  async function requested(clock = new FakeClock()) {
    const engine = createEngine({ tools: [sampleTool(() => "sent", { name: "send", effect: "once" })] });
    const model = scriptedModel([{ toolCalls: [{ name: "send", args: {} }] }, "done"]);
    const agent = createAgent({ engine, model, clock });
    const { runId, approvals } = await agent.run("send it");
    return { agent, clock, runId, id: approvals?.[0]?.id ?? "" };
  }

  test("returns the current state of the approval, even if the decision is repeated", async () => {
    const { agent, runId, id } = await requested();
    const yes = { approved: true, by: "ada" };
    expect(await agent.decide(id, yes)).toMatchObject({ id, tool: "send", status: "approved", decidedBy: "ada" });
    expect(await agent.decide(id, { approved: true, by: "bob" })).toMatchObject({ decidedBy: "ada" });
    expect(await agent.resume(runId)).toMatchObject({ status: "completed", answer: "done" });
  });

  test.each([
    [false, "was rejected by ada (keep it); the first decision counts"],
    [true, "was approved by ada (keep it); the first decision counts"],
  ])("is rejected if it was decided differently before: %s", async (first, reported) => {
    const { agent, id } = await requested();
    await agent.decide(id, { approved: first, by: "ada", note: "keep it" });
    const refused = { code: "validation_error", message: expect.stringContaining(reported) };
    await expect(agent.decide(id, { approved: !first })).rejects.toMatchObject(refused);
  });

  test("is rejected after it has expired, by the clock of the agent's runs", async () => {
    const { agent, clock, runId, id } = await requested();
    clock.advance(365 * 24 * 3600 * 1000);
    const refused = { code: "validation_error", message: expect.stringContaining("expired at 2026-") };
    await expect(agent.decide(id, { approved: true })).rejects.toMatchObject(refused);
    const early = await requested();
    // The machine's clock is far ahead of this one.
    expect(await early.agent.decide(early.id, { approved: true })).toMatchObject({ decidedAt: early.clock.now() });
    expect(await early.agent.resume(early.runId)).toMatchObject({ status: "completed" });
    expect(runId).not.toBe(early.runId);
  });

  test("is rejected if there is no approval with that id", async () => {
    const { agent } = await requested();
    await expect(agent.decide("nope", { approved: true })).rejects.toThrow('there is no approval "nope"');
  });
});

describe("an agent that is closed", () => {
  test("starts nothing more if it owns its runs", async () => {
    const agent = createAgent({ engine: createEngine(), model: scriptedModel(["hello"]) });
    await agent.close();
    await expect(agent.run("hi")).rejects.toThrow("no run can be started here any more");
  });

  test("does not close shared runs, and waits for its own, also those of its sessions", async () => {
    const model = scriptedModel([{ text: "one", delayMs: 20 }, { text: "two", delayMs: 20 }, "three"]);
    const { runs, spec } = createAgent({ engine: createEngine(), model });
    const [a, b] = [new Agent(runs, spec), new Agent(runs, spec)];
    const over: string[] = [];
    const requested = [a.run("1"), a.session().send("2")].map((run) => run.then(({ answer }) => over.push(answer)));
    // Both have started.
    await vi.waitFor(() => expect(model.calls).toHaveLength(2));
    await a.close();
    await Promise.all(requested);
    expect(over.toSorted()).toEqual(["one", "two"]);
    expect(await b.run("3")).toMatchObject({ answer: "three" });
  });
});

test("agents wait for a free slot instead of failing", async () => {
  const look = sampleTool(() => new Promise((resolve) => setTimeout(resolve, 2, "seen")), { name: "look" });
  const engine = createEngine({ tools: [look], concurrency: { maxConcurrent: 2, queueSize: 3, queueTimeoutMs: 5 } });
  const models = Array.from({ length: 40 }, () => scriptedModel([{ toolCalls: [{ name: "look", args: {} }] }, "ok"]));
  const results = await Promise.all(models.map((model) => createAgent({ engine, model }).run("look")));
  expect(results.filter(({ toolUsageSummary }) => toolUsageSummary.hasErrors)).toEqual([]);
  const calls = await Promise.all(Array.from({ length: 40 }, () => engine.call("look", {}, { maxRetries: 0 })));
  expect(calls.some((result) => !result.success && result.error.code === "rejected")).toBe(true);
});
